/**
 * Writes at random to the SQLite file argv[2] until it is killed. Ids begin with argv[3].
 *
 * Says what it is about to do (`?`) and what the database has confirmed (`!`), each in one synchronous write,
 * so that everything confirmed has left this process before it can be killed.
 */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/store/open.ts';

const [file = '', prefix = ''] = process.argv.slice(2);
const database = await openDatabase({ url: `sqlite:${file}` });
const say = (line: string) => writeSync(1, `${line}\n`);

async function writer(name: string): Promise<never> {
  const ids: string[] = [];
  for (let n = 0; ; n++) {
    const dice = Math.random();
    const known = ids[Math.floor(Math.random() * ids.length)];
    if (known === undefined || dice < 0.5) {
      const id = `${prefix}_${name}_${n}`;
      say(`? ${id} 0`);
      await database.transaction(async (tx) => {
        await tx
          .insertInto('environments')
          .values({ id, name: id.padEnd(1 + dice * 3_000, 'x'), created_at: 0 })
          .execute();
      });
      say(`! ${id} 0`);
      ids.push(id);
    } else if (dice < 0.8) {
      say(`? ${known} ${n}`);
      await database.transaction(async (tx) => {
        await tx.updateTable('environments').set({ created_at: n }).where('id', '=', known).execute();
      });
      say(`! ${known} ${n}`);
    } else {
      say(`? ${known} gone`);
      await database.transaction(async (tx) => {
        await tx.deleteFrom('environments').where('id', '=', known).execute();
      });
      say(`! ${known} gone`);
      ids.splice(ids.indexOf(known), 1);
    }
  }
}

await Promise.all([writer('a'), writer('b'), writer('c')]);
