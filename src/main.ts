/** The program: runs the command line it was started with. */
import { constants, setPriority } from 'node:os';
import { run } from './cli/run.ts';
import { processTerminal } from './cli/terminal/terminal.ts';

// All files that this program writes are for its owner only.
process.umask(0o077);
const [command] = process.argv.slice(2);
// Servers of the same computer go first.
if (command === 'backup') setPriority(constants.priority.PRIORITY_LOW);
process.exitCode = await run(process.argv.slice(2), processTerminal());
