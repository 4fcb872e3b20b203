/**
 * `gatehouse sandbox`: the stand-in providers alone, for a Gatehouse that somebody runs themselves. No server of
 * Gatehouse loads them.
 */
import { stringify } from 'yaml';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { isPortTaken } from '../serve/port-holder.ts';
import { toldToStop } from '../serve/stop-signal.ts';

/** Options of the command. */
export interface OwnSandboxOptions {
  /** Port on loopback. */
  port: number;
  /** Takes one line of text, without its line break. */
  write: (line: string) => void;
  log: Log;
}

/**
 * Serves the stand-ins on loopback until SIGTERM or SIGINT. Everything printed is YAML: what is to be pasted, and
 * comments.
 *
 * @throws ServiceError UNAVAILABLE if the port is taken
 */
export async function runOwnSandbox({ port, write, log }: OwnSandboxOptions): Promise<void> {
  const stopped = toldToStop(log);
  const sandbox = await startSandbox({ port, isPublic: true }).catch((cause: unknown) => {
    if (!isPortTaken(cause)) throw cause;
    throw new ServiceError(
      'UNAVAILABLE',
      `Port ${port} of 127.0.0.1 is taken. Choose another one with --port.`,
      { cause },
    );
  });
  try {
    for (const line of introduction(sandbox)) write(line);
    await stopped;
  } finally {
    await sandbox.close();
  }
}

/** Everything that the person who starts it needs. The last line tells that it listens. */
function introduction(sandbox: Sandbox): string[] {
  const settings = {
    outbound: { allow_private_hosts: [new URL(sandbox.url).host] },
    connections: sandboxConnections(sandbox, (_connector, secret) => secret),
  };
  return [
    '# Stand-ins for a CRM, a calendar, YouTube, a data warehouse, a web search and an MCP server, with invented data.',
    '# The secrets below are public: everybody who has Gatehouse has the same. Never use them elsewhere.',
    '# What you do there is kept in memory and gone when this command ends.',
    '# Paste this into the gatehouse.yaml of your Gatehouse on this machine, then start it again:',
    '',
    ...stringify(settings).trimEnd().split('\n'),
    '',
    `# Web search asks for an API key. This one is accepted: ${sandbox.apiKey}`,
    `# Somebody else's MCP server, to add: gatehouse upstreams add ${sandbox.notes.url} --name notes`,
    `# What you allowed, to expire or remove it: ${sandbox.url}/apps`,
    `# Listening at ${sandbox.url} for programs on this machine. Ctrl-C stops it.`,
  ];
}

/** Stand-ins that grant what is ticked in their app. A connection without the same scopes has a warning. */
const GRANTING_TICKED: ReadonlySet<string> = new Set(['crm']);

/**
 * Connections that lead to the stand-ins, as in gatehouse.yaml.
 *
 * @param written what is written for the client secret of a connector
 */
export function sandboxConnections(
  { url, providers }: Pick<Sandbox, 'url' | 'providers'>,
  written: (connector: string, secret: string) => string,
): Record<string, unknown>[] {
  const withConsent = Object.entries(providers).map(([connector, { app, paths }]) => ({
    name: connector,
    connector,
    client_id: app.clientId,
    client_secret: written(connector, app.clientSecret),
    ...(GRANTING_TICKED.has(connector) && { scopes: [...app.scopes] }),
    overrides: {
      base_url: url,
      authorization_url: url + paths.authorize,
      token_url: url + paths.token,
      ...(paths.revoke !== undefined && { revocation_url: url + paths.revoke }),
    },
  }));
  return [...withConsent, { name: 'websearch', connector: 'websearch', overrides: { base_url: url } }];
}
