/**
 * The provider request that a tool would send, with the credential masked. Nothing is sent, not even to renew the
 * credential. Nothing is counted or recorded.
 */
import type { CredentialSource, UsableCredential } from '../../credentials/usable-credential.ts';
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import { renamedSentences, type Renamed } from '../../catalog/model/aliases.ts';
import { withAccountValues } from '../../catalog/call/request.ts';
import type { ProviderRequest, Tool } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import { MASK, SecretScrubber } from '../../outbound/secret-scrubber.ts';
import type { Account } from '../../store/accounts/account.ts';
import { runTool, type HandlerSource } from './perform-call.ts';
import { baseUrlOf, draftOf, withCredential, type DraftRequest } from './provider-request.ts';
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
export interface DryCall {
  call: { caller: Caller };
  tool: Tool;
  input: Readonly<Record<string, unknown>>;
  account: Account;
  renamed: readonly Renamed[];
}

const NOTHING_SENT = 'Nothing was sent.';
const FIRST_OF_SEVERAL = `This tool may send several requests, later ones depending on earlier answers: this is the first. ${NOTHING_SENT}`;

/** Ends a tool's own code at its first request. */
class FirstRequestFailure extends Error {
  override readonly name = 'FirstRequestFailure';
}

/** @throws ServiceError AccountNotActive, INVALID_ARGUMENT, UNAVAILABLE */
export async function dryRun(deps: DryRunDeps, chosen: DryCall): Promise<ShownCall> {
  const { request, note } = await shownCall(deps, chosen);
  return { request, note: [renamedSentences(chosen.renamed), note].filter(Boolean).join(' ') };
}

async function shownCall(deps: DryRunDeps, { call, tool, input, account }: DryCall): Promise<ShownCall> {
  const { connector, auth } = deps.connections.connectorOf(account.connection);
  const active = await deps.activeAccounts.requireActive(call.caller, account, connector);
  let first: ProviderRequest | undefined;
  const send = async (request: ProviderRequest): Promise<never> => {
    first ??= request;
    throw new FirstRequestFailure();
  };
  try {
    await runTool(deps.handlers, { tool, input }, send);
  } catch (error) {
    // The code's result without an answer is not its result with one.
    if (first === undefined) throw error;
  }
  if (first === undefined) return { request: null, note: 'With this input the tool sends no request.' };
  const credential = await deps.credentials.asStored(active, { connector, auth, executionId: null });
  const base = baseUrlOf(connector, first.host, credential.account, credential.details);
  const whole = withAccountValues(first, credential.fromAccount);
  const request = await shown(draftOf(whole, base), whole.body, credential);
  return { request, note: tool.handler === undefined ? NOTHING_SENT : FIRST_OF_SEVERAL };
}

async function shown(
  draft: DraftRequest,
  body: unknown,
  credential: UsableCredential,
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
