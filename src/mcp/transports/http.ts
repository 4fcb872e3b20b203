/**
 * MCP over streamable HTTP: handles requests to `/mcp` and to the addresses of virtual servers after their
 * caller is known.
 *
 * The listener has already checked host, Origin, token, audience and scope. The plain messages of 2025-era clients are
 * answered here. All others go to the SDK, which is loaded with the first of them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerSelection } from '../../catalog/model/server-selection.ts';
import type { Caller } from '../../core/caller.ts';
import { ServiceError } from '../../core/errors.ts';
import { InFlight } from '../../core/in-flight.ts';
import { loadOnce } from '../../core/load-once.ts';
import { answerCall, answerList, introduction } from '../answers.ts';
import type { ToolPublisher } from '../published-tools.ts';
import type { McpServices, McpSession } from '../session.ts';
import { readMessageBody } from './message-body.ts';
import { MISSING_OWNER, withOwner } from './owner-headers.ts';
import { acceptNotification, answerPlain, havePlainForm } from './plain-exchange.ts';
import { initializeResult, isPlainNotification, plainRequest, type PlainRequest } from './plain-message.ts';
import type { SdkEndpoint } from './sdk-endpoint.ts';

/** Facts about a request from the listener. */
export interface McpRequest {
  /** A caller with the scope `tools:execute`. Without an owner, the headers name one. */
  caller: Caller;
  /** The virtual server addressed; absent for `/mcp` itself. */
  server?: ServerSelection;
  /** W3C trace context, passed on to providers. */
  traceparent?: string;
  /** Called before the executor gets a call, which it logs. */
  onCall?: () => void;
}

/** The `/mcp` endpoint. */
export class McpHttp {
  readonly #parts: McpServices;
  readonly #publisher: ToolPublisher;
  readonly #maxBodyBytes: number;
  #sdk: SdkEndpoint | undefined;
  readonly #loadSdk = loadOnce(async () => {
    const { SdkEndpoint } = await import('./sdk-endpoint.ts');
    return (this.#sdk = new SdkEndpoint(this.#parts));
  });
  readonly #running = new InFlight();
  #isClosing = false;

  constructor(parts: McpServices, options: { publisher: ToolPublisher; maxBodyBytes: number }) {
    this.#parts = parts;
    this.#publisher = options.publisher;
    this.#maxBodyBytes = options.maxBodyBytes;
  }

  /**
   * Answers one request.
   *
   * @throws ServiceError before anything is written, so that the listener answers: INVALID_ARGUMENT for the
   * query, the owner headers or a body nested too deeply, PERMISSION_DENIED for a foreign owner, TOO_LARGE,
   * UNAVAILABLE while closing
   */
  async handle(request: IncomingMessage, response: ServerResponse, known: McpRequest): Promise<void> {
    const session = this.#sessionOf(request, known);
    // The body of such a request might never end.
    if (request.destroyed) return;
    const body = request.method === 'POST' ? await readMessageBody(request, this.#maxBodyBytes) : undefined;
    if (response.destroyed) return;
    if (this.#isClosing) {
      throw new ServiceError('UNAVAILABLE', 'The server is stopping. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    }
    const sendRest = await this.#running.track(this.#answer(request, response, body, session));
    await sendRest?.();
  }

  /**
   * Notifies subscribed clients that the list of tools has changed. A client subscribes through the SDK, which
   * loads it.
   */
  toolsChanged(): void {
    this.#sdk?.toolsChanged();
  }

  /** Lets running calls finish while the listener keeps their connections; then ends open streams. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#running.settled();
    await this.#sdk?.close();
  }

  /** @returns a function that sends the rest of the answer, if there is a rest */
  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: McpSession,
  ): Promise<(() => Promise<void>) | undefined> {
    // The conformance tests' tools need the SDK's context of a call.
    if (this.#parts.extraTools === undefined && havePlainForm(request.headers)) {
      if (isPlainNotification(body)) {
        acceptNotification(response);
        return undefined;
      }
      const plain = plainRequest(body);
      if (plain !== undefined) {
        await answerPlain(plain, async (signal) => this.#run(plain, session, signal), response);
        return undefined;
      }
    }
    const sdk = this.#sdk ?? (await this.#loadSdk());
    return sdk.answer(request, response, body, session);
  }

  async #run(plain: PlainRequest, session: McpSession, signal: AbortSignal) {
    const parts = this.#parts;
    switch (plain.method) {
      case 'tools/call':
        return answerCall({ parts, session, signal }, plain.params);
      case 'tools/list':
        return answerList(parts, session, { era: 'legacy' });
      default:
        return initializeResult(plain.version, introduction(parts, session, 'legacy'));
    }
  }

  #sessionOf(request: IncomingMessage, known: McpRequest): McpSession {
    const target = request.url ?? '';
    const queryStart = target.indexOf('?');
    const caller = withOwner(known.caller, request.headers);
    const publisher = this.#publisher.in(caller.environmentId);
    const { server, traceparent, onCall } = known;
    const query = queryStart < 0 ? '' : target.slice(queryStart + 1);
    return {
      caller,
      ...(server === undefined
        ? { publishedTools: publisher.forQuery(query) }
        : { publishedTools: publisher.forServer(server, query), connections: server.connections }),
      listDependsOnCaller: caller.owner !== undefined,
      ...(caller.owner === undefined && { missingOwner: MISSING_OWNER }),
      ...(traceparent !== undefined && { traceparent }),
      ...(onCall !== undefined && { onCall }),
    };
  }
}
