/**
 * One client of a remote MCP server, of either era. Only this file uses the SDK's client.
 *
 * Declares no capability, so a server may not count on a person being present. If a server asks a question anyway,
 * an answer that is a question fails the call, and a question on a stream is refused by the SDK.
 */
import { memberOf } from '../../core/json.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Client,
  isInputRequiredResult,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UrlElicitationRequiredError,
  type DiscoverResult,
  type PriorDiscovery,
} from '@modelcontextprotocol/client';
import { programVersion } from '../../core/program-version.ts';
import { fetchFace, type FetchOptions, type Opener } from '../../outbound/fetch-face.ts';
import type { ListedTool } from '../../store/tables/upstream-tool-tables.ts';
import { LISTED_PAGE } from './listed-page.ts';
import type { OnProgress } from './passed-progress.ts';
import { QuestionFailure } from './questions.ts';

/** How to speak to a server, once that is known. */
export type Era = PriorDiscovery;

/** The revision of servers without sessions. */
const MODERN = '2026-07-28';

/** Codes of JSON-RPC errors. */
const UNSUPPORTED_VERSION = -32_022;
const METHOD_NOT_FOUND = -32_601;

/** A definition, as its approval fixed it, for the SDK: the headers that parameters are copied into. */
export type Definition = Readonly<Record<string, unknown>>;

/** The server's description of itself: data for the operator. */
export interface ServerWords {
  name: string | null;
  version: string | null;
  instructions: string | null;
  protocol: string | null;
}

/** Limits of one request. */
export interface RequestTime {
  signal: AbortSignal;
  timeoutMs: number;
}

/** A failure of the protocol. The text comes from the server. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
  /** Code of JSON-RPC; absent if there was no readable answer. */
  readonly code: number | undefined;
  /** HTTP status of a refused request; absent if the failure came in a usual answer, or if there was none. */
  readonly status: number | undefined;

  constructor(message: string, known: { code?: number; status?: number; cause?: unknown }) {
    super(message, { cause: known.cause });
    this.code = known.code;
    this.status = known.status;
  }

  /** Whether the server no longer knows the session of the request, so nothing was done. */
  get isLostSession(): boolean {
    return this.status === 404 || (this.status === 400 && /session/i.test(this.message));
  }

  /** Whether the server may speak another era now: it does not understand the request. */
  get isOtherEra(): boolean {
    return this.isUnknownWay || this.isLostSession || this.status === 400 || this.status === 405;
  }

  /** Whether the server does not know the protocol revision or the method of the request, so nothing was done. */
  get isUnknownWay(): boolean {
    return this.code === UNSUPPORTED_VERSION || this.code === METHOD_NOT_FOUND;
  }
}

/** An answer of the server that is not an MCP message. Its status says what is wrong. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;

  constructor({
    status,
    headers,
    text,
  }: {
    status: number;
    headers: Readonly<Record<string, string>>;
    text: string;
  }) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}

/**
 * Ends the running request when its response ends without an answer. Only the first request of the context takes
 * it, not those that the client sends by itself meanwhile.
 */
const running = new AsyncLocalStorage<{ end: ((failure: Error | undefined) => void) | undefined }>();

function takeEnd(): ((failure: Error | undefined) => void) | undefined {
  const store = running.getStore();
  const end = store?.end;
  if (store !== undefined) store.end = undefined;
  return end;
}

/** Time that the SDK gets to read a message that has arrived, in milliseconds. */
const READING_MS = 200;

/** Headers that the requests of a session carry: the newest credential of its account. */
export type Attached = ReturnType<NonNullable<FetchOptions['credential']>>;

/** Longest instructions of a server that are kept, in characters. */
const MAX_INSTRUCTIONS = 4_000;

/** Most pages of a list that are read. */
const MAX_PAGES = 64;

/** A client with an open session, if its server keeps sessions. */
export class McpSession {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #holder: { attached: Attached };

  private constructor(
    client: Client,
    transport: StreamableHTTPClientTransport,
    holder: { attached: Attached },
  ) {
    this.#client = client;
    this.#transport = transport;
    this.#holder = holder;
  }

  /** Uses another credential of the same account from now on. */
  renew(attached: Attached): void {
    this.#holder.attached = attached;
  }

  /**
   * Opens a session. For a server that is known to be modern nothing is sent.
   *
   * @param era `undefined` if it has to be found out
   * @param onlyModern sends nothing to a server that begins with `initialize`
   * @throws McpFailure, or the error that a request failed with
   */
  static async open(
    outbound: Opener,
    url: URL,
    {
      era,
      onlyModern = false,
      attached,
      onListChanged,
      ...options
    }: Pick<FetchOptions, 'limits' | 'tenant' | 'onBytes'> & {
      era: Era | undefined;
      onlyModern?: boolean;
      attached: Attached;
      /** Called when the server says within an answer that its tools have changed. */
      onListChanged: () => void;
    },
    time: RequestTime,
  ): Promise<McpSession> {
    const holder = { attached };
    const client = new Client(
      { name: 'gatehouse', version: programVersion() },
      {
        capabilities: {},
        versionNegotiation: { mode: onlyModern ? { pin: MODERN } : 'auto' },
        inputRequired: { autoFulfill: false },
      },
    );
    client.setNotificationHandler('notifications/tools/list_changed', onListChanged);
    const transport = new StreamableHTTPClientTransport(url, {
      fetch: fetchFace(outbound, {
        ...options,
        credential: () => holder.attached,
        onRequest: takeEnd,
        onAnswer: (answer) => {
          if ([401, 403, 429].includes(answer.status) || answer.status >= 500) throw new HttpFailure(answer);
        },
      }),
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 0,
      },
    });
    try {
      await client.connect(transport, { ...timeOf(time), ...(era !== undefined && { prior: era }) });
    } catch (error) {
      await client.close();
      throw failureOf(error);
    }
    return new McpSession(client, transport, holder);
  }

  /** The era that this server speaks. */
  get era(): Era {
    const discover: DiscoverResult | undefined = this.#client.getDiscoverResult();
    return discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover };
  }

  /** Whether the server keeps state for this client. */
  get hasSession(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  get server(): ServerWords {
    const version = this.#client.getServerVersion();
    return {
      name: version?.name ?? null,
      version: version?.version ?? null,
      instructions: this.#client.getInstructions()?.slice(0, MAX_INSTRUCTIONS) ?? null,
      protocol: this.#client.getNegotiatedProtocolVersion() ?? null,
    };
  }

  /** The whole list, all pages. @throws McpFailure, or the error that a request failed with */
  async listTools(time: RequestTime): Promise<ListedTool[]> {
    // The SDK's own reading of all pages prints text of the server to the output of this process.
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const tools: ListedTool[] = [];
    const cursors = new Set<string | undefined>();
    let last = '';
    let cursor: string | undefined;
    while (!cursors.has(cursor)) {
      if (cursors.size >= MAX_PAGES) throw new McpFailure(`The list has more than ${MAX_PAGES} pages.`, {});
      cursors.add(cursor);
      const page = await this.#page(cursor, time);
      // Some servers repeat their last page, with the cursor that led to it.
      const names = page.tools.map(({ name }) => name).join('\n');
      if (cursor !== undefined && page.nextCursor === cursor && names === last) return tools;
      tools.push(...page.tools);
      if (page.nextCursor === undefined) return tools;
      last = names;
      cursor = page.nextCursor;
    }
    throw new McpFailure('The list goes on with a page that it had already.', {});
  }

  async #page(cursor: string | undefined, time: RequestTime) {
    try {
      const request = { method: 'tools/list', ...(cursor !== undefined && { params: { cursor } }) };
      return await untilAnswerEnds(time, async (ending) =>
        this.#client.request(request, LISTED_PAGE, timeOf(ending)),
      );
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** @throws McpFailure, QuestionFailure, or the error that a request failed with */
  async callTool(
    call: {
      name: string;
      input: Readonly<Record<string, unknown>>;
      definition: Definition;
      traceparent?: string | undefined;
      /** Receives the server's progress reports, which are requested only if this is given. */
      onProgress?: OnProgress | undefined;
    },
    time: RequestTime,
  ): Promise<{ content?: unknown; structuredContent?: unknown; isError?: unknown }> {
    const { outputSchema: _, ...definition } = call.definition;
    try {
      const answer = await untilAnswerEnds(time, async (ending) =>
        this.#client.callTool(
          {
            name: call.name,
            arguments: call.input,
            ...(call.traceparent !== undefined && { _meta: { traceparent: call.traceparent } }),
          },
          // The SDK gets no output schema, because a result that does not fit is passed on too.
          {
            ...timeOf(ending),
            toolDefinition: definition as { name: string; inputSchema: { type: 'object' } },
            allowInputRequired: true,
            ...(call.onProgress !== undefined && { onprogress: call.onProgress }),
          },
        ),
      );
      if (isInputRequiredResult(answer)) throw new QuestionFailure(answer.inputRequests);
      return answer;
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Ends the session at the server, if there is one. Never fails. */
  async close(): Promise<void> {
    try {
      if (this.hasSession) await this.#transport.terminateSession();
    } catch {
      // The server forgets the session by itself.
    }
    await this.#client.close();
  }
}

/**
 * Makes a request, and fails it as soon as the response ends without an answer. The SDK would wait for a resumed
 * stream, which is never opened.
 */
async function untilAnswerEnds<T>(time: RequestTime, request: (time: RequestTime) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  let failure: unknown;
  const end = (broken: Error | undefined): void => {
    failure = broken ?? new McpFailure('The answer to the call is missing.', {});
    setTimeout(() => ended.abort(), broken === undefined ? READING_MS : 0).unref();
  };
  try {
    const signal = AbortSignal.any([time.signal, ended.signal]);
    return await running.run({ end }, async () => request({ ...time, signal }));
  } catch (error) {
    throw ended.signal.aborted ? failure : error;
  }
}

function timeOf({ signal, timeoutMs }: RequestTime) {
  return { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
}

/** The error of the request itself if there is one. Errors of the SDK are put into our words. */
function failureOf(error: unknown): unknown {
  if (error instanceof UrlElicitationRequiredError) return new QuestionFailure(error.elicitations);
  if (error instanceof ProtocolError)
    return new McpFailure(error.message, { code: error.code, cause: error });
  if (error instanceof SdkHttpError) {
    const said = rpcErrorIn(error.data.text);
    return new McpFailure(said?.message ?? error.message, {
      status: error.status,
      cause: error,
      ...(said !== undefined && { code: said.code }),
    });
  }
  if (error instanceof SdkError) {
    const cause = error.cause ?? memberOf(error.data, 'cause');
    if (cause instanceof Error && !(cause instanceof SdkError)) return cause;
    if (error.code === SdkErrorCode.RequestTimeout) return new TimeFailure();
  }
  if (error instanceof Error && error.name === 'ZodError')
    return new McpFailure('The answer has another form.', {});
  return error instanceof SdkError || error instanceof SyntaxError
    ? new McpFailure(error.message, { cause: error })
    : error;
}

/** The JSON-RPC error in the body of a refused request, if there is one. */
function rpcErrorIn(body: unknown): { code: number; message: string } | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(body));
  } catch {
    return undefined;
  }
  const error = memberOf(parsed, 'error');
  const code = memberOf(error, 'code');
  const message = memberOf(error, 'message');
  return typeof code === 'number' && typeof message === 'string' ? { code, message } : undefined;
}

/** No complete answer arrived in time. */
export class TimeFailure extends Error {
  override readonly name = 'TimeFailure';
}
