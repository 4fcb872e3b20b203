/** Puts a second key into the key file named by the first argument. */
import { newKey, readKeyFile, replaceKeyFile } from '../../../src/vault/key-file.ts';

const file = process.argv[2] ?? '';
replaceKeyFile(file, [newKey(), ...readKeyFile(file)]);
