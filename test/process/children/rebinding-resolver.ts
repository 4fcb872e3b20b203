/**
 * Loaded before the program (`--import`): names under `.rebind.test` have the addresses that a file says, which a test
 * changes between two questions. The file is named by REBIND_FILE; each question is recorded in the file next to it.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.REBIND_FILE ?? '';
const system = dns.lookup;

type Answer = (error: null, addresses: { address: string; family: number }[]) => void;

/** The form of `lookup` that asks for all addresses: the only one that the program may use. */
function lookup(name: string, options: object, answer: Answer): void {
  if (!name.endsWith('.rebind.test')) return system(name, { ...options, all: true }, answer as never);
  appendFileSync(`${file}.asked`, `${name}\n`);
  const addresses = readFileSync(file, 'utf8').trim().split(' ');
  process.nextTick(() =>
    answer(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  );
}

dns.lookup = lookup as typeof dns.lookup;
syncBuiltinESMExports();
