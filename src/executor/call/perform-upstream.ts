/**
 * Makes a call of a tool of a remote MCP server. Chooses the form of the tool and the credential, and repeats the
 * call once if it is refused.
 */
import { checkInput } from '../../catalog/call/input.ts';
import type { Tool } from '../../catalog/model/types.ts';
import { ServiceError } from '../../core/errors.ts';
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import { ProviderFailure } from '../../outbound/provider-failure.ts';
import type { OnProgress } from '../../upstream/calls/passed-progress.ts';
import type { PassedBlock, PassedResult } from '../../upstream/calls/passed-result.ts';
import type { Upstreams } from '../../upstream/upstreams.ts';
import type { ReadyCall } from './account-calls.ts';
import { isRefusal } from './active-account-guard.ts';
import type { SendObserver } from './perform-call.ts';
import { baseUrlOf } from './provider-request.ts';

export type { OnProgress, PassedBlock, Upstreams };

/** The answer of such a tool: `data` over REST. */
export interface UpstreamData {
  content: readonly PassedBlock[];
  structured_content?: Readonly<Record<string, unknown>>;
  /** A sentence in our words for each thing that was left out; absent if nothing was. */
  notices?: readonly string[];
}

/** Dependencies of such a call. */
export interface UpstreamCall extends Pick<
  ReadyCall,
  'use' | 'credential' | 'executionId' | 'times' | 'limited'
> {
  tool: Tool;
  /** Input that was checked by a form of the tool. */
  input: Readonly<Record<string, unknown>>;
  /** Deadline of everything, in Unix milliseconds. */
  deadline: number;
  signal: AbortSignal | undefined;
  traceparent: string | undefined;
  observer: SendObserver | undefined;
  maxResultBytes?: number;
  /** Receives progress reports; absent if the caller did not ask for them. */
  onProgress?: OnProgress | undefined;
  /** In Unix milliseconds. */
  now: () => number;
}

/** Fallback: the default of `mcp.max_result_bytes`. */
const MAX_RESULT_BYTES = 32_000;

/** @throws Error if a tool of an MCP server is called without the services for it, which is a bug */
export function requireUpstreams(upstreams: Upstreams | undefined): Upstreams {
  if (upstreams === undefined) throw new Error('nothing calls MCP servers here');
  return upstreams;
}

/** @throws ServiceError TOOL_ERROR, INVALID_ARGUMENT, RATE_LIMITED */
export async function performUpstream(upstreams: Upstreams, call: UpstreamCall): Promise<UpstreamData> {
  const { account } = call.credential.current;
  const tool = await upstreams.formFor(account, call.tool);
  const { upstream } = tool ?? {};
  if (tool === undefined || upstream === undefined) {
    // The server may offer it since the account's last list, as to others for whom it was approved.
    upstreams.noteChanged(account);
    throw notOffered(call);
  }
  // Another form may take other input than the generally shown one.
  const input = tool === call.tool ? call.input : checkInput(tool, call.input);
  const client = await upstreams.client();
  const send = async (credential: UsableCredential): Promise<PassedResult> => {
    const { connector } = call.use;
    await call.observer?.sending();
    return client.call({
      connector,
      url: baseUrlOf(connector, 0, credential.account, credential.details),
      credential,
      executionId: call.executionId,
      deadline: call.deadline,
      signal: call.signal,
      times: call.times,
      reached: () => call.observer?.reached(),
      limited: call.limited,
      tool: upstream.name,
      definition: upstream.definition,
      outputSchema: upstream.outputSchema,
      input,
      effect: tool.effect,
      isIdempotent: tool.annotations.idempotentHint,
      traceparent: call.traceparent,
      maxResultBytes: call.maxResultBytes ?? MAX_RESULT_BYTES,
      onProgress: call.onProgress,
    });
  };
  const isRefused = (sent: PromiseSettledResult<unknown>): boolean =>
    sent.status === 'rejected' && isRefusal(sent.reason, call.use.connector);
  const outcome = await call.credential.send(
    async (credential) => {
      const sent = await outcomeOf(send(credential));
      // Noted before the credential is renewed, because a refused renewal also leads to a link for a consent.
      if (isRefused(sent)) await upstreams.noteRefused(account);
      return sent;
    },
    { isRefused, now: call.now },
  );
  if (outcome.status === 'rejected') {
    if (isAboutDefinition(outcome.reason)) upstreams.noteChanged(account);
    throw outcome.reason;
  }
  upstreams.noteUse(account);
  const { content, structuredContent, notices } = outcome.value;
  return {
    content,
    ...(structuredContent !== undefined && { structured_content: structuredContent }),
    ...(notices.length > 0 && { notices }),
  };
}

/** Whether a server says that it does not know the tool, or not in this form (JSON-RPC -32602; MCP -32020). */
function isAboutDefinition(error: unknown): boolean {
  return error instanceof ProviderFailure && ['RPC_-32602', 'RPC_-32020'].includes(error.toolError.code);
}

async function outcomeOf<T>(sent: Promise<T>): Promise<PromiseSettledResult<T>> {
  try {
    return { status: 'fulfilled', value: await sent };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}

function notOffered({ tool, use }: UpstreamCall): ServiceError {
  return new ServiceError(
    'RESOURCE_NOT_FOUND',
    `${use.connector.title} does not offer ${tool.name} to this account, by its last list. Call it again in a few minutes.`,
  );
}
