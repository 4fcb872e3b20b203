/** `gatehouse demo`: the whole job on a fresh machine. It provokes refusals on purpose, so only errors are logged. */
import { Command, Option } from 'commander';
import { createLog } from '../../core/pino-log.ts';
import { portNumber } from '../terminal/options.ts';
import { print, type Terminal } from '../terminal/terminal.ts';

/** The command `demo`. */
export function demoCommand(terminal: Terminal): Command {
  return new Command('demo')
    .description(
      'Shows the whole job against built-in stand-ins, in a folder of its own that is removed at the end: an agent calls a tool, ' +
        'its user opens the link and allows it, the same call works, goes on working when the token expires, and asks ' +
        'again when the access is taken away. Needs no settings, no account and no internet.',
    )
    .option('--keep', 'stay up afterwards, for a client and a browser of your own')
    .addOption(new Option('--port <number>', 'port of the server').argParser(portNumber))
    .option('--environment <name>', 'accepted as everywhere; the demo has an environment of its own')
    .addHelpText('after', '\nExample:\n  gatehouse demo --keep')
    .action(async ({ keep = false, port }: { keep?: boolean; port?: number }) =>
      terminal.app.runDemo({
        keep,
        ...(port !== undefined && { port }),
        command: [terminal.nodePath, terminal.programPath],
        write: (line) => print(terminal, line),
        log: createLog('error'),
      }),
    );
}
