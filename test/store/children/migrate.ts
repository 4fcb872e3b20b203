/** Opens the database of argv[2] on a signal, and reports the result. */
import { once } from 'node:events';
import { openDatabase } from '../../../src/store/open.ts';

const [url = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const database = await openDatabase({ url });
const rows = await database.read
  .selectFrom('installation')
  .selectAll()
  // Not that the file is open, which another process may say at the same time.
  .where('key', 'in', ['compatible_from', 'schema_version'])
  .orderBy('key')
  .execute();
process.stdout.write(`${JSON.stringify(Object.fromEntries(rows.map(({ key, value }) => [key, value])))}\n`);
await database.close();
process.exit();
