/** The program: runs the command line it was started with. */
import { run } from './cli/run.ts';
import { processTerminal } from './cli/terminal/terminal.ts';

// Whatever this program writes is for its owner alone.
process.umask(0o077);
process.exitCode = await run(process.argv.slice(2), processTerminal());
