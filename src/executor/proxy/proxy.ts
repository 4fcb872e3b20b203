/**
 * Sends a raw request to the provider of an account (docs/contract.md#proxy). Choosing the account, requiring it to
 * be active, its credential, renewal, rates and record work as in a tool call; request and response pass through.
 */
import { createHash } from 'node:crypto';
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import { hostOfPath } from '../../catalog/model/path-prefixes.ts';
import type { Connector, Effect } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import { invalidArgument, invalidField } from '../../core/errors.ts';
import type { PassedAnswer, ProviderClient } from '../../outbound/provider-client.ts';
import { requireValidTarget } from '../../outbound/url.ts';
import type { LinkOptions } from '../../links/link-rules.ts';
import type { Links } from '../../links/links.ts';
import type { AccountChoice, AccountReference, ChosenAccount } from '../call/account-choice.ts';
import type { AccountCalls, ReadyCall } from '../call/account-calls.ts';
import type { CallFacts } from '../call/call-line.ts';
import { deadlinesOf, joinedHeaders, targetOf, withCredential } from '../call/provider-request.ts';
import type { IdempotentCalls } from '../idempotency/idempotent-calls.ts';
import type { SendObserver } from '../call/perform-call.ts';
import { passedAnswerHeaders, passedRequestHeaders } from './proxy-headers.ts';
import { isRefusal } from '../call/active-account-guard.ts';

/** Proxied methods. */
export const PROXY_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type ProxyMethod = (typeof PROXY_METHODS)[number];

/** Replaces the tool's name in records and metrics. */
const NAME = 'proxy';

const EFFECTS: Readonly<Record<ProxyMethod, Effect>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

export interface ProxyCall {
  caller: Caller;
  account: AccountReference;
  /** About the link of the answer, if the account is not connected. */
  link?: LinkOptions | undefined;
  method: ProxyMethod;
  /** Relative to the provider's address, as written by the caller: not decoded, not resolved. */
  path: string;
  /** As written, without `?`. */
  query: string;
  /** As received, names in lower case; only those that are allowed pass. */
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  traceparent?: string | undefined;
  /** Makes repeated requests with the same key happen once: at most 255 characters. */
  idempotencyKey?: string | undefined;
}

/** The provider's answer, without live secrets and without headers of one network connection. */
export interface ProxyAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  executionId: string;
  /** The answer is a replay of an earlier one under the same key. */
  isReplay?: boolean;
}

export interface ProxyDeps {
  accounts: AccountChoice;
  connections: ConnectionFinder;
  calls: AccountCalls;
  provider: ProviderClient;
  idempotentCalls: IdempotentCalls;
  links: Pick<Links, 'optionViolations'>;
}

/**
 * Sends a request and returns any answer of the provider, including 4xx and 5xx.
 *
 * @param facts for the call's line in the log
 * @throws ServiceError INVALID_ARGUMENT on `path`, `query` or the fields that name the account; RESOURCE_NOT_FOUND,
 *   AccountNotActive, CONNECTION_MISSING, RATE_LIMITED; TOOL_ERROR without an answer; with a key as `IdempotentCalls.run`
 */
export async function proxyRequest(deps: ProxyDeps, call: ProxyCall, facts: CallFacts): Promise<ProxyAnswer> {
  facts.tool_name = NAME;
  requireValidTarget(call.path, call.query);
  const { caller, signal, idempotencyKey: key } = call;
  const violations = deps.links.optionViolations(caller, call.link ?? {});
  if (violations.length > 0) throw invalidArgument(violations);
  const chosen = await deps.accounts.choose(
    caller,
    { name: 'The request', connector: undefined },
    call.account,
  );
  const { account } = chosen;
  facts.connected_account_id = account.id;
  requireNoServer(deps.connections.connectorOf(account.connection).connector);
  if (key === undefined) return send(deps, call, chosen);
  const { connector } = deps.connections.connectorOf(account.connection);
  const once = {
    caller,
    account,
    key,
    input: whatIsAsked(connector, call),
    effect: EFFECTS[call.method],
    hasSeveralRequests: false,
    signal,
  };
  const { outcome, isReplay } = await deps.idempotentCalls.run(once, async (observer) => {
    // A caller that repeats the request must find its outcome, so the request continues if the caller leaves.
    const { executionId, body, ...rest } = await send(deps, { ...call, signal: undefined }, chosen, observer);
    return { data: { ...rest, body: body.toString('base64') }, executionId };
  });
  const { body, ...rest } = outcome.data as Omit<ProxyAnswer, 'body' | 'executionId'> & { body: string };
  return { ...rest, body: Buffer.from(body, 'base64'), executionId: outcome.executionId, isReplay };
}

/**
 * Requires a connector without an MCP server. Raw messages to a server would bypass approvals, effects and
 * selections.
 */
function requireNoServer({ mcp, name, title }: Connector): void {
  if (mcp === undefined) return;
  throw invalidField(
    'path',
    `${title} is an MCP server, and its messages are not passed on. Call its tools: GET /api/v1/tools?connector=${name} lists them.`,
    'unsupported',
  );
}

/** The parts that must be the same in every request under one key; JSON. */
function whatIsAsked(connector: Connector, { method, path, query, headers, body }: ProxyCall): unknown {
  const { 'idempotency-key': _, ...passed } = passedRequestHeaders(connector, headers, { headers: {} });
  const digest = createHash('sha256')
    .update(body ?? '')
    .digest('base64url');
  return ['proxy', method, path, query, passed, digest];
}

async function send(
  { connections, calls, provider }: ProxyDeps,
  call: ProxyCall,
  { account, isNew }: ChosenAccount,
  observer?: SendObserver,
): Promise<ProxyAnswer> {
  const { caller, link, signal } = call;
  const { connector } = connections.connectorOf(account.connection);
  const host = hostOfPath(connector, call.path);
  const limits = Object.entries(connector.limits ?? {}).map(([group, perMinute]) => ({ group, perMinute }));
  const { value, executionId } = await calls.run(
    { caller, account, isNew, link, name: NAME, limits, signal },
    async (ready) => {
      const { response, failure } = await answerOf(provider, connector, { call, host, ready, observer });
      if (failure === undefined) return { value: response };
      if (isRefusal(failure, connector)) {
        observer?.refused();
        const shown = await ready.refused(failure);
        if (shown !== failure) throw shown;
      }
      return { value: response, failure };
    },
  );
  const { status, headers, body } = value;
  return { status, headers: passedAnswerHeaders(headers), body, executionId };
}

interface ProxiedRequest {
  call: ProxyCall;
  host: number;
  ready: ReadyCall;
  observer: SendObserver | undefined;
}

async function answerOf(
  provider: ProviderClient,
  connector: Connector,
  request: ProxiedRequest,
): Promise<PassedAnswer> {
  const { credential, settings } = request.ready;
  const deadline = provider.deadlineFromNow(deadlinesOf(undefined, settings).totalTimeoutMs);
  return credential.send(
    async (used, renewalMs) =>
      exchange(provider, connector, request, { credential: used, deadline: deadline + renewalMs }),
    {
      isRefused: ({ failure }) => failure !== undefined && isRefusal(failure, connector),
      now: () => provider.deadlineFromNow(0),
    },
  );
}

async function exchange(
  provider: ProviderClient,
  connector: Connector,
  { call, host, ready, observer }: ProxiedRequest,
  { credential, deadline }: { credential: UsableCredential; deadline: number },
): Promise<PassedAnswer> {
  const { method, path, query, body, signal, traceparent } = call;
  requireOthers(query, credential);
  const passed = passedRequestHeaders(connector, call.headers, credential);
  const { base, headers } = targetOf(connector, host, credential.account, credential.details);
  const draft = {
    method,
    base,
    path,
    query: [],
    writtenQuery: query,
    headers: joinedHeaders({ accept: '*/*' }, headers, {
      // Ranges count packed bytes, and a part of those cannot be unpacked (RFC 9110 section 14.2).
      ...(passed['range'] !== undefined && { 'accept-encoding': 'identity' }),
      ...passed,
      ...(traceparent !== undefined && { traceparent }),
    }),
    ...(body !== undefined && { body }),
  };
  const attached = withCredential(draft, credential);
  await observer?.sending();
  return provider.exchange({
    request: { ...attached, ...deadlinesOf(undefined, ready.settings), tenant: credential.account.id },
    effect: EFFECTS[method],
    connector: connector.name,
    errors: connector.errors,
    title: connector.title,
    executionId: ready.executionId,
    sign: credential.sign,
    secrets: credential.secrets,
    ...(signal !== undefined && { signal }),
    deadline,
    reached: () => observer?.reached(),
    limited: ready.limited,
    times: ready.times,
  });
}

/** @throws ServiceError INVALID_ARGUMENT for a query parameter of the credential: a server may use either value */
function requireOthers(query: string, credential: Pick<UsableCredential, 'query'>): void {
  const own = new Set(credential.query.map(([name]) => name.toLowerCase()));
  const taken = [...new URLSearchParams(query).keys()].find((name) => own.has(name.toLowerCase()));
  if (taken === undefined) return;
  throw invalidField(
    `query.${taken}`,
    'This parameter carries the credential of the account and is added here. Leave it out.',
    'reserved',
  );
}
