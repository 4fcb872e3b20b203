/** Loads or makes the key file argv[2] on a signal, and shows the key it ended with. */
import { once } from 'node:events';
import { loadKeyRing } from '../../../src/vault/load-key-ring.ts';

const [masterKeyFile = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const [key] = loadKeyRing({ masterKeyFile, createIfMissing: true });
process.stdout.write(`${key.id} ${key.bytes.toString('hex')}\n`);
process.exit();
