/** Makes views of remote MCP servers for operators, from their stored data or from a look. */
import { catalogOf } from '../../catalog/model/compiled.ts';
import { catalogIn } from '../../catalog/model/environment-catalog.ts';
import type { Catalog, Connector } from '../../catalog/model/types.ts';
import { connectionWarnings } from '../../connections/connection-warnings.ts';
import type { Reachable } from '../../connections/override-rules.ts';
import { toTimestampOrNull } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { McpClients } from '../../credentials/oauth/mcp-clients.ts';
import { shownServer } from '../../credentials/oauth/mcp-servers.ts';
import { askedScopes } from '../../credentials/schemes/mcp-consent.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { McpAuthorization } from '../../store/tables/upstream-tables.ts';
import type { ApprovalMode } from '../definitions/pins.ts';
import { visibleText } from '../definitions/plain-text.ts';
import type { KnownServer } from './known-servers.ts';
import { finding, mcpRulesOf, type Look } from './server-look.ts';
import { NO_TOOLS, stateOf, type UpstreamFinding, type UpstreamView } from './upstream-view.ts';

/** Services for views. */
export interface ViewDeps {
  catalog: Catalog;
  environments: Environments;
  isReachable: Reachable;
  mcpClients: Pick<McpClients, 'wayAt'>;
  approvalOf: (environmentId: string) => ApprovalMode;
  /** Time until which an origin gets no calls; `undefined` if it gets them. */
  sparedUntil: (origin: string) => number | undefined;
}

/** The authorization server of consents, and the scopes of its challenge. */
interface Consent {
  authorization: McpAuthorization;
  challenge: readonly string[];
}

/** A view before its state and findings are known. */
type Silent = Omit<UpstreamView, 'state' | 'findings'>;

/** A stored server. */
export function viewOf(deps: ViewDeps, environmentId: string, known: KnownServer): UpstreamView {
  return madeView(deps, environmentId, known, storedConsent(known));
}

/**
 * A server without stored data.
 *
 * @param connection the connection that would be made
 * @param look `undefined` if it cannot be looked at without an account
 */
export function viewOfLook(
  deps: ViewDeps,
  connector: Connector,
  connection: Connection,
  look: Look | undefined,
): UpstreamView {
  const found = look?.discovered;
  const known: KnownServer = {
    name: connection.name,
    connector,
    connection,
    addedAt: null,
    spoken: undefined,
    server: undefined,
    client: undefined,
    tools: NO_TOOLS,
    accounts: 0,
  };
  const consent = found && { authorization: found.authorization, challenge: found.challengeScopes };
  const view = madeView(deps, connection.environmentId, known, consent);
  return {
    ...view,
    connection_id: null,
    state: 'not_added',
    era: look?.answer.era ?? null,
    server: look?.answer.server ? wordsOf(look.answer.server) : null,
    findings: [...(look?.findings ?? [NOT_LOOKED_AT]), ...view.findings],
  };
}

/** The finding for connectors whose accounts each name their own server. */
export const NOT_LOOKED_AT = finding(
  'info',
  'url',
  'The address has placeholders, so the server is looked at when the first account is connected.',
);

/** The era that a connector fixes; null if it is found out. */
function writtenEra({ mcp }: Connector): UpstreamView['era'] {
  return mcp === undefined || mcp.era === 'auto' ? null : mcp.era;
}

function madeView(
  deps: ViewDeps,
  environmentId: string,
  known: KnownServer,
  consent: Consent | undefined,
): UpstreamView {
  const { connector, connection, addedAt, spoken, tools, accounts } = known;
  const url = connector.hosts[0]?.url ?? '';
  const until = URL.canParse(url) ? deps.sparedUntil(new URL(url).origin) : undefined;
  const rules = connection?.type === 'MCP_OAUTH' ? mcpRulesOf(connector) : undefined;
  const { baseUrl } = deps.environments.get(environmentId);
  const { issuer, origins } = consent ? shownServer(consent.authorization) : { issuer: null, origins: [] };
  const view: Silent = {
    name: known.name,
    connector: connector.name,
    title: connector.title,
    url,
    connection_id: connection?.id ?? null,
    added_at: toTimestampOrNull(addedAt),
    authorization_type: connection?.type ?? null,
    approval: connector.mcp?.approval ?? deps.approvalOf(environmentId),
    era: spoken?.era ?? writtenEra(connector),
    server: spoken === undefined || spoken.listed_at === null ? null : wordsOf(spoken.server),
    issuer,
    origins,
    authorization_server_change: changeOf(known),
    registration: registrationOf(deps, known, rules, consent),
    redirect_uri: rules && connection ? `${baseUrl}/sso/v1/oauth/${connection.id}/callback` : null,
    scopes: rules && connection && consent ? scopesOf(connection, rules, consent) : [],
    tools,
    listed_at: toTimestampOrNull(spoken?.listed_at ?? null),
    accounts,
    unavailable_until: toTimestampOrNull(until ?? null),
    unavailable_since: toTimestampOrNull(spoken?.failing_since ?? null),
  };
  const warnings =
    connection === undefined
      ? []
      : connectionWarnings(connection, {
          ...deps,
          catalog: catalogWith(deps, environmentId, connector),
          baseUrl,
        });
  const findings = [
    ...standingFindings(view),
    ...warnings.map((message) => finding('warning', 'connection', message)),
  ];
  return { ...view, state: stateOf(view), findings };
}

function catalogWith({ catalog: all }: ViewDeps, environmentId: string, connector: Connector): Catalog {
  const catalog = catalogIn(all, environmentId);
  if (catalog.connectors.get(connector.name) === connector) return catalog;
  return catalogOf([...catalog.connectors.values(), connector], []);
}

function storedConsent({ server }: KnownServer): Consent | undefined {
  if (server === undefined || server.authorization_found === null) return undefined;
  return { authorization: server.authorization_found, challenge: server.challenge_scopes };
}

function changeOf({ server }: KnownServer): UpstreamView['authorization_server_change'] {
  if (server === undefined || server.held === null) return null;
  return { ...shownServer(server.held), found_at: toTimestampOrNull(server.held_at) };
}

type Rules = ReturnType<typeof mcpRulesOf>;

function registrationOf(
  { mcpClients }: ViewDeps,
  { connection, client }: KnownServer,
  rules: Rules,
  consent: Consent | undefined,
): UpstreamView['registration'] {
  if (connection === undefined || rules === undefined || consent === undefined) return null;
  const way = mcpClients.wayAt(connection, rules, consent.authorization) ?? null;
  const registered = way === 'dynamic' ? client : undefined;
  return {
    way,
    client_id: (way === 'static' ? connection.clientId : registered?.client_id) ?? null,
    registered_at: toTimestampOrNull(registered?.created_at ?? null),
  };
}

function scopesOf(
  connection: Connection,
  rules: NonNullable<Rules>,
  { authorization, challenge }: Consent,
): string[] {
  const chosen = connection.scopes.length > 0 ? connection.scopes : rules.scopes;
  const isChosen = chosen.length > 0;
  return askedScopes(chosen, isChosen ? [] : challenge, isChosen, authorization, rules.offline_scope);
}

function wordsOf(said: {
  name?: unknown;
  version?: unknown;
  instructions?: unknown;
}): UpstreamView['server'] {
  const word = (value: unknown): string | null => (typeof value === 'string' ? visibleText(value) : null);
  return { name: word(said.name), version: word(said.version), instructions: word(said.instructions) };
}

/** Findings about waiting decisions, and about things that do not work until somebody has acted. */
function standingFindings(view: Silent): UpstreamFinding[] {
  const { name, title, registration, tools, authorization_server_change: change } = view;
  const redirectUri = view.redirect_uri ?? '';
  const out: UpstreamFinding[] = [];
  if (registration?.way === null)
    out.push(
      finding(
        'warning',
        'registration',
        `It registers no clients by itself. Register one with ${title}, with the redirect URI ${redirectUri}, and enter it with "gatehouse connections update ${name} --client-id … --client-secret".`,
      ),
    );
  if (registration?.way === 'document')
    out.push(
      finding(
        'info',
        'registration',
        'Its authorization server reads at our own address who we are: nothing has to be registered.',
      ),
    );
  if (registration?.way === 'dynamic' && registration.client_id === null)
    out.push(
      finding(
        'info',
        'registration',
        `A client is registered with the first consent, with the redirect URI ${redirectUri}. Some servers take only redirect URIs that they know.`,
      ),
    );
  if (change !== null)
    out.push(
      finding(
        'warning',
        'authorization_server_change',
        `Its authorization server is to be ${change.issuer} from now on. Accounts go on, and new consents wait: "gatehouse upstreams accept ${name}" takes it.`,
      ),
    );
  if (tools.waiting > 0)
    out.push(
      finding(
        'info',
        'tools',
        `${tools.waiting === 1 ? '1 tool waits' : `${tools.waiting} tools wait`} for approval: "gatehouse upstreams diff ${name}" shows what is new, "gatehouse upstreams approve ${name} --all" publishes it.`,
      ),
    );
  const blocked = tools.new + tools.held - tools.waiting;
  if (blocked > 0)
    out.push(
      finding(
        'warning',
        'tools',
        `${blocked === 1 ? '1 tool' : `${blocked} tools`} cannot be published. "gatehouse upstreams diff ${name}" says why.`,
      ),
    );
  return out;
}
