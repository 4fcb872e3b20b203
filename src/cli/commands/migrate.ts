/** `gatehouse migrate`: brings the tables of the database up to date, or says what that would do. */
import { command } from '../terminal/command.ts';
import { readSettings } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';

/** The command `migrate`. */
export const migrateCommand = command({
  name: 'migrate',
  description:
    'Brings the tables of the database up to date before a new version serves. A start of the server does the same, but without a copy. ' +
    'An SQLite database is copied first, next to itself: the copy is the way back. Postgres goes on being used meanwhile.',
  options: {
    '--dry-run': 'say what would be done, and change nothing',
    '--no-copy': 'SQLite: make no copy before',
  },
  example: ['gatehouse migrate --dry-run', 'gatehouse migrate'],
  run: async ({ terminal, options, out }) => {
    const { settings } = readSettings(terminal, options);
    const dryRun = options.dryRun === true;
    const { plan, copy, durationMs } = await withProgress(
      terminal,
      dryRun ? 'Reading the database' : 'Bringing the tables up to date',
      async () => terminal.app.migrate({ settings, dryRun, withCopy: options.copy !== false }),
    );
    const { from, to, statements, seconds } = plan;
    if (out.isJson) return out.json({ from, to, dry_run: dryRun, copy, duration_ms: durationMs, statements });
    if (statements.length === 0) return out.print(`The tables are up to date: schema version ${to}.`);
    if (copy !== null) out.print(`The database before is ${copy}.`);
    if (durationMs !== null)
      return out.print(`The tables went from schema version ${from} to ${to} in ${durationMs} ms.`);
    out.list({
      answer: plan,
      rows: statements,
      columns: ['version', 'rows', 'statement'],
      empty: '',
    });
    const duration = seconds === undefined ? '' : `, in about ${seconds} s at most`;
    out.say(`The tables would go from schema version ${from} to ${to}${duration}. Nothing was changed.`);
  },
});
