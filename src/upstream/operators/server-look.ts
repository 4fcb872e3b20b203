/**
 * Looks at a remote MCP server without a credential and without storing anything: who it is, where consents go, and
 * what would fail. The answer is in sentences for the operator.
 */
import { rulesOf } from '../../authorization-types/blocks.ts';
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { BlockRules, Connector } from '../../catalog/model/types.ts';
import type { Discovered } from '../../credentials/oauth/mcp-discovery.ts';
import { upstreamLooks } from '../../core/telemetry/measured.ts';
import type { McpServers } from '../../credentials/oauth/mcp-servers.ts';
import { TokenFailure } from '../../credentials/oauth/token-endpoint.ts';
import type { ServerAnswer } from './server-probe.ts';
import type { UpstreamFinding } from './upstream-view.ts';

/** Services for a look. */
export interface LookDeps {
  /** Sends requests to a server without a credential. @param era from its file */
  askServer: (url: URL, era: NonNullable<Connector['mcp']>['era'] | undefined) => Promise<ServerAnswer>;
  mcpServers: Pick<McpServers, 'probe'>;
}

/** The result of a look. */
export interface Look {
  answer: ServerAnswer;
  /** The authorization metadata; `undefined` if there is no consent or it could not be found. */
  discovered: Discovered | undefined;
  /** The type that the operator names, or otherwise the one that the server asks for. */
  type: AuthorizationType;
  findings: UpstreamFinding[];
}

/**
 * @param connector with MCP_OAUTH if the operator has not said how people bring credentials
 * @param isChosen whether the operator has said it
 */
export async function lookAt(
  deps: LookDeps,
  server: { connector: Connector; url: URL; isChosen: boolean },
): Promise<Look> {
  const look = await looked(deps, server);
  const isUsable = look.findings.every(({ severity }) => severity !== 'error');
  upstreamLooks.tell({ by: 'operator', outcome: isUsable ? 'found' : 'failed' });
  return look;
}

async function looked(
  { askServer, mcpServers }: LookDeps,
  { connector, url, isChosen }: { connector: Connector; url: URL; isChosen: boolean },
): Promise<Look> {
  const chosen = connector.auth[0]?.type ?? 'NO_AUTH';
  const rules = mcpRulesOf(connector);
  const answer = await askServer(url, connector.mcp?.era);
  const out: UpstreamFinding[] = [];
  if (connector.mcp?.transport === 'sse')
    out.push(
      finding('error', 'connector.mcp.transport', 'The transport of 2024-11-05 (sse) is not supported.'),
    );
  if (answer.problem !== undefined) {
    out.push(finding('error', 'url', answer.problem));
    return { answer, discovered: undefined, type: chosen, findings: out };
  }
  const found = rules && (await discovered(mcpServers, url, rules));
  const type =
    isChosen || found === undefined || !(found instanceof TokenFailure) || !answer.isOpen
      ? chosen
      : 'NO_AUTH';
  out.push(...authFindings(type, answer, found, { isChosen, url }));
  return { answer, discovered: found instanceof TokenFailure ? undefined : found, type, findings: out };
}

/** The rules of MCP_OAUTH of a connector; `undefined` if it has only other types. */
export function mcpRulesOf({ auth }: Connector): BlockRules<'MCP_OAUTH'> | undefined {
  const entry = auth.find(({ type }) => type === 'MCP_OAUTH');
  return entry && (rulesOf(entry) as BlockRules<'MCP_OAUTH'> | undefined);
}

async function discovered(
  servers: Pick<McpServers, 'probe'>,
  url: URL,
  rules: BlockRules<'MCP_OAUTH'>,
): Promise<Discovered | TokenFailure> {
  try {
    return await servers.probe(url, rules);
  } catch (error) {
    if (error instanceof TokenFailure) return error;
    throw error;
  }
}

function authFindings(
  type: AuthorizationType,
  answer: ServerAnswer,
  found: Discovered | TokenFailure | undefined,
  { isChosen, url }: { isChosen: boolean; url: URL },
): UpstreamFinding[] {
  const { isOpen, isGuarded, tools } = answer;
  if (type === 'NO_AUTH') {
    if (isGuarded)
      return [
        finding('error', 'connector.auth', 'It refuses requests without a credential, so NO_AUTH fails.'),
      ];
    return [
      finding(
        'info',
        'authorization_type',
        `It asks for no credential and lists ${count(tools ?? 0)}. Everybody is the same to it.`,
      ),
    ];
  }
  const out: UpstreamFinding[] = [];
  if (isOpen)
    out.push(
      finding('info', 'authorization_type', `It lists ${count(tools ?? 0)} without a credential, too.`),
    );
  if (type !== 'MCP_OAUTH' || found === undefined) return out;
  if (found instanceof TokenFailure) {
    const advice = isChosen
      ? ''
      : ' If people bring a key or a token of their own, say so: with --auth, or as auth in connector.';
    out.push(
      finding(
        'error',
        'connector.auth',
        `Where people give their consent was not found. ${found.message}${advice}`,
      ),
    );
    return out;
  }
  const { origin } = new URL(found.authorization.authorizationUrl);
  const elsewhere = origin === url.origin ? '' : `, and not at ${url.origin}`;
  out.push(finding('info', 'issuer', `People give their consent at ${origin}${elsewhere}.`));
  return out;
}

function count(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`;
}

export function finding(
  severity: UpstreamFinding['severity'],
  field: string,
  message: string,
): UpstreamFinding {
  return { severity, field, message };
}
