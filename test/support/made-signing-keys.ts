/**
 * Gives the authorization servers in the tests' own process signing keys that were made once: an RSA key takes 120 ms of
 * a processor, and hundreds of installations make one. In turns, so that a key and its successor differ. In the full
 * rounds, and in processes that tests start, every key is made.
 */
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

const SIGNING_KEYS = join(import.meta.dirname, '../../src/authorization-server/tokens/signing-keys.ts');

/** How the program makes a pair. */
const MAKES = `promisify(generateKeyPair)('rsa', { modulusLength: 2048 })`;

/** An environment has at most two keys at a time. */
const PAIRS = 4;

/** Makes the keys when the first test file imports the module. */
export function madeSigningKeys(): Plugin {
  return {
    name: 'made-signing-keys',
    enforce: 'pre',
    transform(code, id) {
      if (id !== SIGNING_KEYS) return undefined;
      if (!code.includes(MAKES)) throw new Error(`${SIGNING_KEYS} makes keys in another way now.`);
      const pem = { format: 'pem' } as const;
      const pairs = Array.from({ length: PAIRS }, () => {
        const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        return {
          publicKey: publicKey.export({ ...pem, type: 'spki' }),
          privateKey: privateKey.export({ ...pem, type: 'pkcs8' }),
        };
      });
      const head = [
        `import { createPrivateKey as readPrivate, createPublicKey as readPublic } from 'node:crypto';`,
        `let turn = 0;`,
        `const pairs = ${JSON.stringify(pairs)}.map(({ publicKey, privateKey }) =>`,
        `({ publicKey: readPublic(publicKey), privateKey: readPrivate(privateKey) }));`,
      ].join(' ');
      return { code: `${head} ${code.replace(MAKES, `pairs[turn++ % ${PAIRS}]`)}`, map: null };
    },
  };
}
