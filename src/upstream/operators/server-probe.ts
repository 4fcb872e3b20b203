/**
 * Asks a remote MCP server for its identity and whether it answers, without a credential. Loaded with the first
 * probe.
 */
import { RedirectFailure, type FetchLimits, type Opener } from '../../outbound/fetch-face.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import { HttpFailure, McpFailure, McpSession, TimeFailure, type ServerWords } from '../calls/mcp-session.ts';

/** The answer of a server. */
export interface ServerAnswer {
  /** Whether it lists its tools for everybody. */
  isOpen: boolean;
  /** Whether it asks for a credential. */
  isGuarded: boolean;
  era: 'legacy' | 'modern' | null;
  server: ServerWords | null;
  /** Number of tools that it lists without a credential. */
  tools: number | null;
  /** Reason why it cannot be used at all, as a sentence; `undefined` if it can. */
  problem: string | undefined;
}

const STEP_MS = 10_000;
const PROBE_MS = 20_000;

const LIMITS: FetchLimits = {
  headersTimeoutMs: STEP_MS,
  idleTimeoutMs: STEP_MS,
  totalTimeoutMs: PROBE_MS,
  maxBytes: 4_194_304,
  maxEventBytes: 1_048_576,
  maxEvents: 1_000,
};

/** @param era from its file */
export async function askServer(
  outbound: Opener,
  url: URL,
  era: 'auto' | 'legacy' | 'modern' = 'auto',
): Promise<ServerAnswer> {
  const time = { timeoutMs: PROBE_MS, signal: AbortSignal.timeout(PROBE_MS) };
  const unknown = { isOpen: false, isGuarded: false, era: null, server: null, tools: null };
  let session: McpSession;
  try {
    session = await McpSession.open(
      outbound,
      url,
      {
        era: era === 'legacy' ? { kind: 'legacy' } : undefined,
        onlyModern: era === 'modern',
        limits: () => LIMITS,
        attached: { headers: {}, query: [] },
        onListChanged: () => {},
      },
      time,
    );
  } catch (error) {
    return { ...unknown, isGuarded: isRefusal(error), problem: problemOf(error) };
  }
  const known = { ...unknown, era: session.era.kind, server: session.server };
  try {
    const tools = await session.listTools(time);
    return { ...known, isOpen: true, tools: tools.length, problem: undefined };
  } catch (error) {
    return { ...known, isGuarded: isRefusal(error), problem: problemOf(error) };
  } finally {
    await session.close();
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof HttpFailure && (error.status === 401 || error.status === 403);
}

/** A sentence for the operator, without words of the server; `undefined` if the server only asks for a credential. */
function problemOf(error: unknown): string | undefined {
  if (isRefusal(error)) return undefined;
  if (error instanceof RedirectFailure)
    return error.sameOrigin === undefined
      ? 'It sends to an address on another host. Redirects are not followed: find out the address that the server has now.'
      : `It sends to ${error.sameOrigin}. Redirects are not followed: give that address.`;
  if (error instanceof OutboundFailure) return `It cannot be reached. ${error.message}`;
  if (error instanceof TimeFailure || (error instanceof Error && error.name === 'AbortError'))
    return 'It did not answer in time.';
  if (error instanceof HttpFailure)
    return error.status === 429
      ? 'It takes no more requests at the moment (429). Try again later.'
      : `It answered ${error.status}: it does not work at the moment.`;
  if (error instanceof McpFailure && (error.status === 404 || error.status === 405))
    return `There is no MCP server of streamable HTTP at this address: it answered ${error.status}. Many servers have it at /mcp; an address that ends with /sse is one of the old transport, which is not supported.`;
  if (error instanceof McpFailure) return 'It does not answer as an MCP server does. Look at the address.';
  throw error;
}
