/**
 * Calls tools of remote MCP servers and reads their lists. Decides era, session, deadline and repetition. Loaded
 * with the first call or list.
 */
import type { Connector, OutputSchema } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import { memberOf } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { CallTimes } from '../../core/telemetry/call-times.ts';
import {
  schemaViolations,
  upstreamLists,
  upstreamRequests,
  type UpstreamOutcome,
} from '../../core/telemetry/measured.ts';
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import { AnswerReader } from '../../outbound/answer-reader.ts';
import type { FetchLimits, Opener } from '../../outbound/fetch-face.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import { ProviderFailure } from '../../outbound/provider-failure.ts';
import { mayRetry, parseRetryAfter, type Effect } from '../../outbound/retry.ts';
import { SecretScrubber } from '../../outbound/secret-scrubber.ts';
import type { Database } from '../../store/engine/database.ts';
import { listedTool } from '../definitions/listed-tool.ts';
import type { ListedTool } from '../../store/tables/upstream-tool-tables.ts';
import {
  answeredFailure,
  failedOutcome,
  isAbort,
  isAnswer,
  isOutage,
  isSessionBroken,
  repeatable,
  sparedFailure,
  toolError,
  ToolReportedFailure,
} from './call-failures.ts';
import { KnownEras } from './known-eras.ts';
import { HttpFailure, McpFailure, McpSession, TimeFailure, type ServerWords } from './mcp-session.ts';
import { passedProgress, type OnProgress } from './passed-progress.ts';
import { passedResult, TooLargeFailure, type PassedResult } from './passed-result.ts';
import { fitsSchema } from './result-check.ts';
import { ServerHealth, type CalledServer } from './server-health.ts';
import { SessionPool } from './session-pool.ts';

/** A server, called with the credential of one account. */
export interface ServerCall {
  connector: Connector;
  url: URL;
  credential: UsableCredential;
  /** `exe_…`; null outside a tool call. */
  executionId: string | null;
  /** Deadline of everything, in Unix milliseconds. */
  deadline: number;
  signal?: AbortSignal | undefined;
  times?: CallTimes | undefined;
  /** Called as soon as the server may have seen the request. */
  reached?: (() => void) | undefined;
  /** Called with the `Retry-After` of a 429, in milliseconds. */
  limited?: ((retryAfterMs: number) => Promise<void>) | undefined;
}

/** A call to a tool. */
export interface ToolCall extends ServerCall {
  /** The tool's name at its server. */
  tool: string;
  definition: Readonly<Record<string, unknown>>;
  /** The published schema; absent if the tool publishes none. */
  outputSchema?: OutputSchema | undefined;
  input: Readonly<Record<string, unknown>>;
  effect: Effect;
  isIdempotent: boolean;
  traceparent?: string | undefined;
  maxResultBytes: number;
  /** Receives progress reports; absent if the caller did not ask for them. */
  onProgress?: OnProgress | undefined;
}

/** A whole list, and the server that sent it. */
export interface FetchedList {
  tools: ListedTool[];
  server: ServerWords;
}

const HEADERS_MS = 20_000;
const CALL_BYTES = 10_485_760;
const LIST_BYTES = 4_194_304;
const LIST_MS = 55_000;
const EVENT_BYTES = 1_048_576;
const EVENTS = 1_000;
const MAX_MESSAGE = 500;

/** Members of error bodies that hold messages: those of JSON-RPC and OAuth. */
const ERROR_RULES = {
  message: ['error.message', 'error_description', 'message'],
  code: ['error.code', 'error'],
  conflicts: [],
};

interface UpstreamClientDeps {
  outbound: Opener;
  db: Database;
  clock: Clock;
  log: Log;
  /** Called each time the server of an account says that its tools have changed. */
  changed: (account: UsableCredential['account']) => void;
}

/** Figures of this process for metrics. */
export interface UpstreamUse {
  /** Open sessions of servers that keep them. */
  sessions: number;
  /** Servers that get no calls for a while, because they have failed several times in a row. */
  sparedServers: number;
}

/** Calls servers. Holds sessions, so it has to be closed. */
export class UpstreamClient {
  readonly #deps: UpstreamClientDeps;
  readonly #pool: SessionPool;
  readonly #health: ServerHealth;
  readonly #eras: KnownEras;

  constructor(deps: UpstreamClientDeps) {
    this.#deps = deps;
    this.#pool = new SessionPool(() => deps.clock.now());
    this.#health = new ServerHealth(deps);
    this.#eras = new KnownEras(deps);
  }

  /**
   * @throws ProviderFailure (TOOL_ERROR), also for a result that says that it is an error; RATE_LIMITED
   */
  async call(call: ToolCall): Promise<PassedResult> {
    const raw = await this.#guarded(call, 'tools/call', async () => this.#called(call));
    const { outputSchema, connector } = call;
    if (
      raw.isError !== true &&
      outputSchema !== undefined &&
      !fitsSchema(outputSchema, raw.structuredContent)
    )
      schemaViolations.tell({ connector: connector.name });
    const scrubber = new SecretScrubber(call.credential.secrets);
    const scrub = (text: string): string => scrubber.scrub(text);
    try {
      const isRead = call.effect === 'read';
      const passed = passedResult(raw, { maxBytes: call.maxResultBytes, isRead, scrub });
      if (raw.isError === true) throw new ToolReportedFailure(call, passed);
      return passed;
    } catch (error) {
      if (!(error instanceof TooLargeFailure)) throw error;
      throw new ProviderFailure(error.message, 502, toolError(call, { code: 'PROVIDER_ANSWER_TOO_LARGE' }));
    }
  }

  /** Reads the whole list of an account. @throws ProviderFailure (TOOL_ERROR) */
  async list(call: ServerCall): Promise<FetchedList> {
    const max = call.connector.mcp?.max_tools ?? 1_000;
    return this.#guarded(call, 'tools/list', async () => {
      let bytesLeft = LIST_BYTES;
      const session = await this.#open(call, {
        bytes: () => bytesLeft,
        onBytes: (size) => {
          bytesLeft -= size;
        },
      });
      try {
        const tools = await session.listTools(this.#time(call, LIST_MS));
        if (tools.length > max)
          throw new McpFailure(`The list has ${tools.length} tools, and at most ${max} are taken.`, {});
        if (new Set(tools.map(({ name }) => name)).size < tools.length)
          throw new McpFailure('The list has several tools of one name.', {});
        upstreamLists.tell({ connector: call.connector.name, bytes: LIST_BYTES - bytesLeft });
        return { tools: tools.map(listedTool), server: session.server };
      } finally {
        await session.close();
      }
    });
  }

  /**
   * Time until which an origin gets no calls, because it has failed several times in a row; `undefined` if it gets
   * them.
   */
  sparedUntil(origin: string): number | undefined {
    return this.#health.sparedUntil(origin);
  }

  /** Figures for metrics: sessions of this process, and servers that it spares now. */
  get use(): UpstreamUse {
    return { sessions: this.#pool.size, sparedServers: this.#health.sparedServers };
  }

  /** Ends every session. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #called(call: ToolCall) {
    const scrubber = new SecretScrubber(call.credential.secrets);
    const onProgress =
      call.onProgress &&
      passedProgress(call.onProgress, {
        scrub: (text) => scrubber.scrub(text),
        now: () => this.#deps.clock.now(),
      });
    const use = async (session: McpSession) => {
      session.renew(call.credential);
      call.reached?.();
      const { tool: name, input, definition, traceparent } = call;
      return session.callTool({ name, input, definition, traceparent, onProgress }, this.#time(call));
    };
    const era = await this.#eras.of(call);
    if (era?.kind === 'modern') {
      const session = await this.#open(call, {});
      try {
        return await use(session);
      } finally {
        void session.close();
      }
    }
    const { account } = call.credential;
    const key = { key: `${account.id} ${call.url.href}`, generation: account.generation };
    const open = async (): Promise<McpSession> => this.#open(call, { isShared: true });
    const useShared = async (session: McpSession) => {
      try {
        return await use(session);
      } catch (error) {
        // A call whose caller left says nothing about a session that others use.
        const isGivenUp = call.signal?.aborted === true;
        if (session.hasSession && !isGivenUp && isSessionBroken(error)) this.#pool.drop(key, session);
        throw error;
      } finally {
        // The first contact showed that the server has no sessions.
        if (session.era.kind === 'modern') this.#pool.drop(key, session);
      }
    };
    const { signal } = this.#time(call);
    try {
      return await this.#pool.use(key, open, useShared, signal);
    } catch (error) {
      if (!(error instanceof McpFailure && error.isLostSession)) throw error;
      // The server did not know the session, so it did nothing.
      return this.#pool.use(key, open, use, signal);
    }
  }

  /** Runs a call under the breaker, repeats it if that is allowed, and puts failures into words. */
  async #guarded<T>(
    call: ServerCall & Partial<ToolCall>,
    method: 'tools/call' | 'tools/list',
    run: () => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#deps;
    const { origin } = call.url;
    const { connector, effect = 'read', isIdempotent = false } = call;
    const context = { title: connector.title, effect };
    const server = { connection: call.credential.account.connection, origin };
    const reader = new AnswerReader(
      context,
      ERROR_RULES,
      call.executionId ?? '',
      call.credential.secrets,
      clock,
    );
    for (let attempt = 0; ; attempt++) {
      const startedAt = performance.now();
      const tell = (outcome: UpstreamOutcome): void =>
        upstreamRequests.tell({
          connector: connector.name,
          method,
          era: this.#eras.nameOf(call),
          host: call.url.host,
          outcome,
          startedAt,
          endedAt: performance.now(),
        });
      const waitMs = this.#health.waitMs(origin);
      if (waitMs > 0) {
        tell('spared');
        throw await this.#told(server, sparedFailure(call, waitMs));
      }
      const isEraKnown = connector.mcp?.era === 'auto' && (await this.#eras.of(call)) !== undefined;
      try {
        const result = await (call.times === undefined
          ? run()
          : call.times.attempt(async (onTurn) => {
              onTurn();
              return run();
            }));
        tell(memberOf(result, 'isError') === true ? 'tool_error' : 'ok');
        await this.#health.answered(server);
        return result;
      } catch (error) {
        // A request whose caller left says nothing about the server.
        const isGivenUp = call.signal?.aborted === true;
        tell(isGivenUp ? 'given_up' : failedOutcome(error));
        if (isOutage(error) && !isGivenUp) this.#health.failed(origin);
        else if (!isGivenUp && isAnswer(error)) await this.#health.answered(server);
        const mayRepeat = attempt === 0 && clock.now() < call.deadline && !isGivenUp;
        if (isEraKnown && error instanceof McpFailure && error.isOtherEra) {
          await this.#eras.forget(call);
          const isUndone = error.isUnknownWay || error.isLostSession || effect === 'read' || isIdempotent;
          if (mayRepeat && isUndone) continue;
        }
        if (mayRepeat && mayRetry(isIdempotent ? 'read' : effect, repeatable(error))) continue;
        throw await this.#told(server, await this.#worded(call, reader, error));
      }
    }
  }

  /** Returns the failure, after announcing it if the server gets no calls now. */
  async #told(server: CalledServer, failure: unknown): Promise<unknown> {
    if (failure instanceof ProviderFailure) await this.#health.tellIfSpared(server, failure.toolError);
    return failure;
  }

  /** The failure in our words. The server's own words are data. */
  async #worded(
    call: ServerCall & Partial<ToolCall>,
    reader: AnswerReader,
    error: unknown,
  ): Promise<unknown> {
    const { url } = call;
    if (error instanceof OutboundFailure) {
      const isTimeout = error.kind === 'aborted' && this.#deps.clock.now() >= call.deadline;
      const kind = isTimeout ? 'timeout' : error.kind;
      return reader.failure(kind, error.sent, { host: url.host, code: error.code });
    }
    if (error instanceof HttpFailure) {
      const { status, headers, text } = error;
      const retryAfterMs = parseRetryAfter(headers['retry-after'], this.#deps.clock.now());
      if (status === 429 && retryAfterMs !== undefined) await call.limited?.(retryAfterMs);
      const answer = { status, headers: { ...headers }, body: Buffer.from(text) };
      return reader.failureOf(answer, retryAfterMs) ?? error;
    }
    // The SDK reports a call whose caller left as one that took too long.
    if (isAbort(error) || error instanceof TimeFailure) {
      const isLate = error instanceof TimeFailure && call.signal?.aborted !== true;
      return reader.failure(isLate || this.#deps.clock.now() >= call.deadline ? 'timeout' : 'aborted', true);
    }
    return answeredFailure(call, error, (text) => this.#words(call, text)) ?? error;
  }

  /** A text of the server, without secrets and cut to a length. */
  #words({ credential }: ServerCall, text: string): string {
    return new SecretScrubber(credential.secrets).scrub(text).slice(0, MAX_MESSAGE);
  }

  async #open(
    call: ServerCall,
    how: { isShared?: boolean; bytes?: () => number; onBytes?: (size: number) => void },
  ): Promise<McpSession> {
    const { clock, outbound } = this.#deps;
    const { connector, credential, url } = call;
    if (connector.mcp?.transport === 'sse')
      throw new McpFailure('The transport of 2024-11-05 (sse) is not supported.', {});
    const isShared = how.isShared === true;
    // Others wait for a shared session, even if the caller that opens it leaves.
    const opening = isShared ? { ...call, signal: undefined } : call;
    const era = await this.#eras.of(call);
    const limits = (): FetchLimits => ({
      headersTimeoutMs: HEADERS_MS,
      idleTimeoutMs: connector.mcp?.idleTimeoutMs ?? 30_000,
      // A session outlives the call that made it; each of its requests has its own signal.
      totalTimeoutMs: isShared
        ? Math.max(connector.mcp?.timeoutMs ?? 0, LIST_MS)
        : Math.max(1, call.deadline - clock.now()),
      maxBytes: how.bytes?.() ?? CALL_BYTES,
      maxEventBytes: EVENT_BYTES,
      maxEvents: EVENTS,
    });
    const session = await McpSession.open(
      outbound,
      url,
      {
        era,
        onlyModern: connector.mcp?.era === 'modern',
        limits,
        tenant: credential.account.id,
        attached: credential,
        onListChanged: () => this.#deps.changed(credential.account),
        ...(how.onBytes !== undefined && { onBytes: how.onBytes }),
      },
      this.#time(opening),
    );
    if (era === undefined) await this.#eras.learned(call, session.era);
    return session;
  }

  #time({ deadline, signal }: ServerCall, atMostMs = Number.POSITIVE_INFINITY) {
    const timeoutMs = Math.min(Math.max(1, deadline - this.#deps.clock.now()), atMostMs);
    const late = AbortSignal.timeout(timeoutMs);
    return { timeoutMs, signal: signal === undefined ? late : AbortSignal.any([signal, late]) };
  }
}
