/**
 * The provider request that a tool would send, with the credential masked. Nothing is sent, not even to renew the
 * credential. Nothing is counted or recorded.
 */
import type { CredentialSource, UsableCredential } from '../../credentials/usable-credential.ts';
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import { renamedSentences, type Renamed } from '../../catalog/model/aliases.ts';
import { inputWarnings } from '../../catalog/call/input.ts';
import { withAccountValues } from '../../catalog/call/request.ts';
import type { Connector, ProviderRequest, Tool, UpstreamTool } from '../../catalog/model/types.ts';
import { headerPlaceholders } from '../../connections/placeholders.ts';
import type { Caller } from '../../core/caller.ts';
import { MASK, SecretScrubber } from '../../outbound/secret-scrubber.ts';
import type { LinkOptions } from '../../links/link-rules.ts';
import type { ChosenAccount } from './account-choice.ts';
import { runTool, type HandlerSource } from './perform-call.ts';
import { baseUrlOf, draftOf, targetOf, withCredential, type DraftRequest } from './provider-request.ts';
import type { ActiveAccountGuard } from './active-account-guard.ts';

/** A provider request as it would be sent. */
export interface ShownRequest {
  method: string;
  url: string;
  /** Without the headers that belong to the network connection. */
  headers: Readonly<Record<string, string>>;
  /** JSON; null without a body. */
  body: unknown;
}

/** The result of a dry run. */
export interface ShownCall {
  /** Null if the tool would send nothing with this input. */
  request: ShownRequest | null;
  /** Facts that the request alone does not show. */
  note: string;
}

export interface DryRunDeps {
  connections: ConnectionFinder;
  activeAccounts: ActiveAccountGuard;
  credentials: CredentialSource;
  handlers: HandlerSource;
}

/** A checked call whose account is known. */
export interface DryCall extends ChosenAccount {
  call: { caller: Caller; link?: LinkOptions | undefined };
  tool: Tool;
  input: Readonly<Record<string, unknown>>;
  renamed: readonly Renamed[];
}

const NOTHING_SENT = 'Nothing was sent.';
const FIRST_OF_SEVERAL = `This tool may send several requests, later ones depending on earlier answers: this is the first. ${NOTHING_SENT}`;

const NO_ACCOUNT = 'No account is connected: this is the request without its credential.';
const NO_REQUEST: ShownCall = { request: null, note: 'With this input the tool sends no request.' };

/** Ends a tool's own code at its first request. */
class FirstRequestFailure extends Error {
  override readonly name = 'FirstRequestFailure';
}

/** @throws ServiceError AccountNotActive, INVALID_ARGUMENT, UNAVAILABLE */
export async function dryRun(deps: DryRunDeps, chosen: DryCall): Promise<ShownCall> {
  const { request, note } = await shownCall(deps, chosen);
  const notes = [renamedSentences(chosen.renamed), ...inputWarnings(chosen.tool, chosen.input), note];
  return { request, note: notes.filter(Boolean).join(' ') };
}

async function shownCall(deps: DryRunDeps, chosen: DryCall): Promise<ShownCall> {
  const { call, tool, input, account, isNew } = chosen;
  const { connector, auth } = deps.connections.connectorOf(account.connection);
  const active = await deps.activeAccounts.requireActive(call.caller, account, connector, {
    link: call.link,
    tools: [tool],
    isNew,
  });
  if (tool.upstream !== undefined) {
    const credential = await deps.credentials.asStored(active, { connector, auth, executionId: null });
    const base = baseUrlOf(connector, 0, credential.account, credential.details);
    const message = messageOf(tool.upstream, input);
    return { request: await shown(draftOfMessage(message, base), message, credential), note: NOTHING_SENT };
  }
  const first = await firstRequest(deps.handlers, tool, input);
  if (first === undefined) return NO_REQUEST;
  const credential = await deps.credentials.asStored(active, { connector, auth, executionId: null });
  const target = targetOf(connector, first.host, credential.account, credential.details);
  const whole = withAccountValues(first, credential.fromAccount);
  const request = await shown(draftOf(whole, target), whole.body, credential);
  return { request, note: tool.handler === undefined ? NOTHING_SENT : FIRST_OF_SEVERAL };
}

/**
 * The request without an account: at the connector's own address, without the credential.
 *
 * @returns `undefined` if the address or the body depends on the account
 */
export async function dryRunWithoutAccount(
  handlers: HandlerSource,
  connector: Connector,
  { tool, input, renamed }: Pick<DryCall, 'tool' | 'input' | 'renamed'>,
): Promise<ShownCall | undefined> {
  if (tool.upstream !== undefined) return undefined;
  const first = await firstRequest(handlers, tool, input);
  if (first === undefined) return NO_REQUEST;
  const host = connector.hosts[first.host];
  const { headers = {} } = connector;
  const filled = [...Object.keys(host?.placeholders ?? {}), ...Object.keys(headerPlaceholders(connector))];
  if (host === undefined || filled.length > 0 || first.fromAccount !== undefined) return undefined;
  const none = { headers: {}, query: [], secrets: [] };
  const request = await shown(draftOf(first, { base: new URL(host.url), headers }), first.body, none);
  const note = tool.handler === undefined ? NOTHING_SENT : FIRST_OF_SEVERAL;
  return { request, note: [renamedSentences(renamed), NO_ACCOUNT, note].filter(Boolean).join(' ') };
}

/** The message that calls a tool of a remote MCP server; not even a session is opened for it. */
function messageOf({ name }: UpstreamTool, input: DryCall['input']): unknown {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
}

function draftOfMessage(message: unknown, { origin, pathname: path }: URL): DraftRequest {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return { method: 'POST', base: new URL(origin), path, query: [], headers, body: JSON.stringify(message) };
}

/** @returns `undefined` if the tool sends nothing with this input */
async function firstRequest(
  handlers: HandlerSource,
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
): Promise<ProviderRequest | undefined> {
  let first: ProviderRequest | undefined;
  const send = async (request: ProviderRequest): Promise<never> => {
    first ??= request;
    throw new FirstRequestFailure();
  };
  try {
    await runTool(handlers, { tool, input }, { send });
  } catch (error) {
    // The code's result without an answer is not its result with one.
    if (first === undefined) throw error;
  }
  return first;
}

async function shown(
  draft: DraftRequest,
  body: unknown,
  credential: Pick<UsableCredential, 'headers' | 'query' | 'secrets' | 'sign'>,
): Promise<ShownRequest> {
  const scrubber = new SecretScrubber(credential.secrets);
  const { method, url, headers, body: sent } = withCredential(draft, credential);
  const query = credential.query.map(([name]) => [name, MASK] as const);
  const shownUrl = withCredential(draft, { headers: {}, query }).url.href;
  const signed = await credential.sign?.({ method, url, headers, body: bytesOf(sent) });
  return {
    method,
    url: scrubber.scrub(shownUrl).replaceAll(encodeURIComponent(MASK), MASK),
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrubber.scrub(value)])),
      ...masked(credential.headers, scrubber),
      ...masked(signed ?? {}, scrubber),
    },
    body: body ?? null,
  };
}

/** Headers of the credential, with their secrets masked; hidden whole if the secrets are too short to be found. */
function masked(headers: Readonly<Record<string, string>>, scrubber: SecretScrubber): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const clean = scrubber.scrub(value);
      return [name, clean === value ? MASK : clean];
    }),
  );
}

function bytesOf(body: string | Uint8Array | undefined): Uint8Array | undefined {
  return typeof body === 'string' ? Buffer.from(body) : body;
}
