/**
 * Handles answers that the credential lacks a scope (docs/contract.md#missing-scopes): names the scopes and makes a
 * link that asks for them. The account stays as it is; its other tools continue to work.
 */
import type { ConnectLink } from '../../accounts/not-active.ts';
import type { LinkOptions } from '../../links/link-rules.ts';
import type { Links } from '../../links/links.ts';
import { isByConsent, typeOf } from '../../authorization-types/index.ts';
import { grantsTickedScopes } from '../../authorization-types/blocks.ts';
import { renewalOf } from '../../credentials/schemes/index.ts';
import { lackingScopes } from '../../catalog/model/scope-groups.ts';
import type { Connector, ConnectorAuth, Tool } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { ourScopes } from '../../credentials/oauth/scope-names.ts';
import { isAmong } from '../../outbound/error-code.ts';
import { textAt } from '../../outbound/json-answer.ts';
import { ProviderFailure, RENEWAL_FAILED } from '../../outbound/provider-failure.ts';
import type { Account } from '../../store/accounts/account.ts';
import { ConnectionStore } from '../../store/accounts/connection-store.ts';
import { LinkStore } from '../../store/accounts/link-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { connectLink, declinedLately, DECLINED_MS } from './connect-link.ts';

/** Time for which no other link is given if the server names the scopes, in milliseconds. */
const OFFERED_MS = 10 * 60_000;

/** TOOL_ERROR, 403, with the scopes that would allow the call and, if one can be made, a link that asks for them. */
export class MissingScope extends ServiceError {
  constructor(message: string, failure: ProviderFailure, account: Account, missing: Missing) {
    const { scopes, connect } = missing;
    super('TOOL_ERROR', message, {
      status: 403,
      cause: failure,
      details: {
        tool_error: { ...failure.toolError, required_scopes: scopes },
        connected_account_id: account.id,
        ...('link' in connect && { authorization_link: connect.link, expiry: connect.expiry }),
        ...('declinedAt' in connect && { declined_at: connect.declinedAt }),
      },
    });
  }
}

interface Missing {
  scopes: readonly string[];
  connect: ConnectLink;
}

/** A call that the provider has refused. */
export interface RefusedCall {
  caller: Caller;
  account: Account;
  tool: Tool;
  connector: Connector;
  auth: ConnectorAuth;
  /** Scopes of the credential; `undefined` or empty if the provider has never reported any. */
  granted: readonly string[] | undefined;
  /** Options of the request for the link. */
  link?: LinkOptions | undefined;
}

interface MissingScopeDeps {
  db: Database;
  clock: Clock;
  links: Pick<Links, 'createFor'>;
}

/** The failure to answer with if the provider means a missing scope; `undefined` if it means something else. */
export async function missingScope(
  deps: MissingScopeDeps,
  call: RefusedCall,
  failure: unknown,
): Promise<MissingScope | undefined> {
  const { caller, account, tool, connector, auth } = call;
  if (!(failure instanceof ProviderFailure)) return undefined;
  const named = challengedScopes(connector, failure);
  if (named === undefined && !meansMissingScope(connector, failure)) return undefined;
  const told = named ?? toldScopes(call, failure);
  if (told === undefined && tool.scopes.length === 0) return undefined;
  const connection = await new ConnectionStore(deps.db.read).findById(
    account.environmentId,
    account.connection.id,
  );
  const selected = connection?.scopes ?? [];
  const { granted = [] } = call;
  const scopes = told ?? requiredScopes(tool, granted.length > 0 ? granted : undefined, selected);
  // If the server names the scopes itself, they are requested together with all that were granted before.
  const kept = named === undefined ? keptScopes(auth, granted, selected) : granted;
  const asked = [...new Set([...scopes, ...kept])];
  // A link cannot change the scopes that the connection asks for on behalf of all its accounts.
  const connect =
    renewalOf(auth)?.by === 'mint'
      ? { unavailable: mintingAdvice(auth, account.connection.name) }
      : ((await declinedScopes(deps, call, asked)) ??
        (named && (await offeredLately(deps, call))) ??
        (await connectLink(deps.links, caller, account, { ...call.link, scopes: asked })));
  const message = `${sentence(connector, tool, auth, scopes)} ${advice(auth, connect)}`;
  return new MissingScope(message, failure, account, { scopes, connect });
}

/** The answer without a link if its owner has just declined to grant the same scopes, unless the call forces one. */
async function declinedScopes(
  { db, clock }: MissingScopeDeps,
  { account, link }: RefusedCall,
  scopes: readonly string[],
): Promise<ConnectLink | undefined> {
  if (link?.force === true) return undefined;
  const now = clock.now();
  const at = await new LinkStore(db.read).declinedSince(account, scopes, now - DECLINED_MS);
  return declinedLately(at, 'to grant this', now);
}

/** The answer without a link if one that asks for more scopes was given lately: a server may name others for ever. */
async function offeredLately(
  { db, clock }: MissingScopeDeps,
  { account, link }: RefusedCall,
): Promise<ConnectLink | undefined> {
  if (link?.force === true) return undefined;
  const isOffered = await new LinkStore(db.read).askedForMoreSince(account, clock.now() - OFFERED_MS);
  return isOffered
    ? {
        unavailable:
          'A link that asks for more was given within the last ten minutes. Its owner opens that one; a later call gets another.',
      }
    : undefined;
}

/** The scopes that a remote MCP server asks for in its challenge (RFC 6750 section 3); `undefined` if it asks for none. */
function challengedScopes(
  { mcp }: Connector,
  { toolError, challenge = '' }: ProviderFailure,
): string[] | undefined {
  if (mcp === undefined || toolError.provider_status !== 403) return undefined;
  if (!/\berror="?insufficient_scope\b/.test(challenge)) return undefined;
  const scopes =
    /\bscope="([^"]*)"/
      .exec(challenge)?.[1]
      ?.split(' ')
      .filter((name) => name !== '') ?? [];
  return scopes.length === 0 ? undefined : scopes;
}

/**
 * Scopes that the answer names as missing, if the connector says where they stand; `undefined` if there are no new
 * ones. Only scopes that the connector describes count, because a provider cannot make people consent to anything
 * else.
 */
function toldScopes(
  { connector, auth, granted = [] }: RefusedCall,
  failure: ProviderFailure,
): string[] | undefined {
  const text = textAt(failure.toolError.provider_body, connector.errors.missing_scope?.named ?? []) ?? '';
  const told = ourScopes(text.split(/[\s,;]+/), auth.type === 'OAUTH' ? auth.oauth.scope_names : undefined);
  const missing = told.filter((scope) => Object.hasOwn(auth.scopes ?? {}, scope) && !granted.includes(scope));
  return missing.length === 0 ? undefined : missing;
}

function meansMissingScope({ errors }: Connector, { toolError }: ProviderFailure): boolean {
  const { missing_scope: rule } = errors;
  const { provider_status: status, code } = toolError;
  if (rule === undefined || status === null) return false;
  // A failure inside a 2xx has no status of its own, so that its code alone decides.
  if (status < 300 ? rule.codes === undefined : !rule.statuses.includes(status)) return false;
  if (code === RENEWAL_FAILED) return false;
  if (isAmong(errors.reconnect_codes ?? [], code)) return false;
  return (rule.codes === undefined || isAmong(rule.codes, code)) && !isAmong(rule.except, code);
}

/**
 * The scopes that the credential lacks as far as known. If it seems to lack none, the provider knows better: then
 * another of its alternatives, preferably one that the connection selects.
 */
function requiredScopes(
  tool: Tool,
  granted: readonly string[] | undefined,
  selected: readonly string[],
): string[] {
  const lacking = lackingScopes(tool, granted ?? selected);
  if (lacking.length > 0) return lacking;
  const needed = tool.scopes.flatMap((alternatives) => {
    // The granted scopes were not enough, so asking for them again cannot help.
    const others = alternatives.filter((scope) => granted?.includes(scope) !== true);
    const possible = others.length > 0 ? others : alternatives;
    return possible.find((scope) => selected.includes(scope)) ?? possible.slice(0, 1);
  });
  return [...new Set(needed)];
}

/** Scopes granted beyond those of the connection: a provider that grants only what is asked for would take them away. */
function keptScopes(
  { scopes: known = {} }: ConnectorAuth,
  granted: readonly string[],
  selected: readonly string[],
): string[] {
  return granted.filter((scope) => Object.hasOwn(known, scope) && !selected.includes(scope));
}

function sentence(connector: Connector, tool: Tool, auth: ConnectorAuth, scopes: readonly string[]): string {
  const what = `${connector.title} refused ${tool.name}, because`;
  const which = `${scopes.length === 1 ? 'the scope' : 'the scopes'} ${scopes.join(', ')}`;
  if (!isByConsent(auth)) return `${what} the credential of this account lacks ${which}.`;
  return grantsTickedScopes(auth)
    ? `${what} the app registered there, or the consent given to it, lacks ${which}. The operator ticks what is missing in that app first.`
    : `${what} its owner has not granted ${which}.`;
}

function advice(auth: ConnectorAuth, connect: ConnectLink): string {
  if (!('link' in connect)) return connect.unavailable;
  return isByConsent(auth)
    ? 'The owner of the account consents again by opening the authorization link.'
    : 'The owner of the account enters one that has it by opening the authorization link.';
}

/** Advice for minted tokens, whose scopes are those of the connection. */
function mintingAdvice(auth: ConnectorAuth, connection: string): string {
  const { scopeAdvice = 'and to what the client may have there.' } = typeOf(auth);
  return `The operator adds what is missing to the scopes of the connection ${connection}, ${scopeAdvice}`;
}
