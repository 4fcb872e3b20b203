/** `gatehouse sandbox`: the stand-in providers, for a Gatehouse that somebody runs themselves. */
import { createLog } from '../../core/pino-log.ts';
import { command } from '../terminal/command.ts';
import { portNumber } from '../terminal/options.ts';
import { print } from '../terminal/terminal.ts';

/** The command `sandbox`. */
export const sandboxCommand = command({
  name: 'sandbox',
  description:
    'Serves stand-ins for the providers of the shipped connectors, for a Gatehouse of your own on this machine, until SIGTERM or SIGINT. ' +
    'Prints the connections to paste into its gatehouse.yaml. The data is invented and kept in memory; the secrets are public. ' +
    'Listens on loopback only, and accepts every redirect URI there.',
  options: {
    '--port <number>': { about: 'port to listen on', parse: portNumber, fallback: 4400 },
  },
  json: false,
  example: ['gatehouse sandbox', 'gatehouse sandbox --port 4401'],
  run: async ({ terminal, options: { port } }) =>
    terminal.app.runOwnSandbox({
      port,
      write: (line) => print(terminal, line),
      log: createLog('error'),
    }),
});
