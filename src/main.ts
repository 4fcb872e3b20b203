/** The program: runs the command line it was started with. */
import { run } from './cli/run.ts';
import { processTerminal } from './cli/terminal/terminal.ts';

// All files that this program writes are for its owner only.
process.umask(0o077);
process.exitCode = await run(process.argv.slice(2), processTerminal());
