/** Holds the write lock of the SQLite file argv[2] until stdin says otherwise. */
import SqliteHandle from 'better-sqlite3';
import { once } from 'node:events';

const handle = new SqliteHandle(process.argv[2]);
handle.exec('begin immediate');
process.stdout.write('locked\n');
await once(process.stdin, 'data');
handle.exec('rollback');
handle.close();
process.stdout.write('released\n');
process.exit();
