/** `gatehouse serve`: the server, until it is stopped by a signal. */
import { createLog } from '../../core/pino-log.ts';
import type { App } from '../terminal/app.ts';
import { command } from '../terminal/command.ts';
import {
  COMMON_OPTIONS,
  readSettings,
  TOOL_SELECTION_OPTIONS,
  warnOfPrivateHosts,
} from '../terminal/options.ts';
import { print, say, type Terminal } from '../terminal/terminal.ts';

type RunningServer = Parameters<Parameters<App['runServe']>[0]['ready']>[0];

/** The command `serve`. */
export const serveCommand = command({
  name: 'serve',
  description:
    'Serves REST, the token endpoint, the connect pages and MCP at /mcp, for all environments, until SIGTERM or SIGINT. ' +
    'Prints one line when ready, with the addresses of --environment: JSON with base_url, mcp_url, dashboard_url and pid when stdout is not a terminal. ' +
    'The first start makes the key file and an API credential, which is printed once on stderr.',
  options: {
    '--host <address>': 'address to listen on',
    '--port <number>': 'port to listen on; 0 picks a free one',
    '--base-url <origin>': 'public address, such as https://gate.example.test',
    '--watch': 'for development: take over changes in the folders of catalog_dirs at once',
    ...COMMON_OPTIONS,
    ...TOOL_SELECTION_OPTIONS,
  },
  json: false,
  example: 'gatehouse serve --port 8080 --base-url https://gate.example.test',
  run: async ({ terminal, options }) => {
    const { settings, environment } = readSettings(terminal, options, options);
    const log = createLog(settings.logLevel);
    warnOfPrivateHosts(log, settings);
    await terminal.app.runServe({
      settings,
      log,
      watch: options.watch === true,
      ready: (server) => announce(terminal, server, environment.name),
    });
  },
});

/** Prints the addresses of the selected environment. Secrets made at this start go to stderr, once. */
function announce(terminal: Terminal, server: RunningServer, environmentName: string): void {
  for (const { environment, clientId, clientSecret } of server.firstCredentials)
    say(
      terminal,
      `API credential of ${environment}, shown only now: client id ${clientId}, client secret ${clientSecret}`,
    );
  const { baseUrl } = server.services.environments.byName(environmentName);
  const addresses = { base_url: baseUrl, mcp_url: `${baseUrl}/mcp`, dashboard_url: `${baseUrl}/dashboard` };
  if (terminal.outputIsTerminal)
    print(
      terminal,
      `Gatehouse is ready at ${baseUrl}\n  MCP    ${addresses.mcp_url}\n  Tokens ${baseUrl}/oauth/token\nStop it with Ctrl+C.`,
    );
  else print(terminal, JSON.stringify({ event: 'ready', ...addresses, pid: process.pid }));
}
