/** MCP over stdin and stdout for one client. Nothing but protocol messages may be written to stdout. */
import type { Readable, Writable } from 'node:stream';
import {
  serializeMessage,
  type JSONRPCMessage,
  type McpRequestContext,
  type RequestId,
  type Server,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { OpenCalls } from './open-calls.ts';
import { plainAnswer, plainCall, type PlainCall } from './plain-message.ts';
import { answerCall } from '../answers.ts';
import type { McpServices, McpSession, ToolAnswer } from '../session.ts';
import { makeServer } from './server.ts';

type Era = McpRequestContext['era'];

/** Maximum time for running calls after the process is asked to stop. */
const DRAIN_MS = 10_000;

/** The streams of the client, by default the process's own, and the signal that stops the server. */
export interface StdioOptions {
  stdin?: Readable;
  stdout?: Writable;
  /** Stops reading; running calls are answered, for at most 10 s, and then the transport is closed. */
  signal?: AbortSignal;
}

/**
 * Serves one client in either protocol era. Resolves when the client is gone (end of input, or a broken pipe)
 * or the server has stopped.
 *
 * The caller then closes what it has opened; nothing here keeps the process alive. Calls still running at
 * that moment are aborted.
 */
export function serveStdioMcp(
  parts: McpServices,
  session: McpSession,
  { stdin = process.stdin, stdout = process.stdout, signal }: StdioOptions = {},
): Promise<void> {
  return new Promise((resolve) => {
    const transport = new StdioServerTransport(stdin, stdout);
    let legacy: Server | undefined;
    const makeNext = (era: Era): Server => {
      const server = makeServer(parts, session, era);
      legacy = era === 'legacy' ? server : undefined;
      return server;
    };
    serveStdio(({ era }) => makeNext(era), {
      transport,
      onerror: (error) => parts.log.debug('mcp_stdio_error', { err: error }),
    });
    const endWrites = joinWrites(transport, stdout);
    const endPlainCalls = takePlainCalls(transport, {
      run: ({ params }, signal) => answerCall({ parts, session, signal }, params),
      // The conformance tests' tools need the SDK's context of a call, and so does a question to the client's user.
      mayTake: () => parts.extraTools === undefined && legacy !== undefined && takesNoQuestions(legacy),
    });
    const calls = new OpenCalls(transport);
    const stop = (): void => {
      stdin.pause();
      void calls.answered(DRAIN_MS).then(async () => transport.close());
    };
    const { onclose } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have one callback and no events
    transport.onclose = () => {
      endWrites();
      endPlainCalls();
      signal?.removeEventListener('abort', stop);
      onclose?.();
      resolve();
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Writes all messages of one turn of the event loop at once, because a system call costs as much as the rest of an
 * answer's way through the protocol. Replaces `send`, which would write each message by itself. A failed write is
 * an event of the stream, and the transport closes on it.
 *
 * @returns a function that writes what waits and accepts no more
 */
function joinWrites(transport: StdioServerTransport, stdout: Writable): () => void {
  let lines = '';
  let turn: NodeJS.Immediate | undefined;
  let isOver = false;
  const write = (): void => {
    const text = lines;
    lines = '';
    turn = undefined;
    stdout.write(text);
  };
  transport.send = async (message) => {
    if (isOver) throw new Error('The client is gone.');
    lines += serializeMessage(message);
    turn ??= setImmediate(write);
  };
  return () => {
    isOver = true;
    if (turn === undefined) return;
    clearImmediate(turn);
    write();
  };
}

/** Whether the client has declared its capabilities and cannot open a page. */
function takesNoQuestions(server: Server): boolean {
  const capabilities = server.getClientCapabilities();
  return capabilities !== undefined && capabilities.elicitation?.url === undefined;
}

/**
 * Answers plain calls itself, as the SDK's `Server` would. All other messages go to that server.
 *
 * @param calls.mayTake called for each plain call, and decides whether it is answered here
 * @returns a function that aborts the running calls, whose answers are no longer sent
 */
function takePlainCalls(
  transport: StdioServerTransport,
  calls: { run: (call: PlainCall, signal: AbortSignal) => Promise<ToolAnswer>; mayTake: () => boolean },
): () => void {
  // A client that breaks the protocol may use one id twice.
  const running = new Map<RequestId, Set<AbortController>>();
  const answer = async (call: PlainCall): Promise<void> => {
    const abort = new AbortController();
    const ofId = running.get(call.id) ?? new Set();
    running.set(call.id, ofId.add(abort));
    const message = await plainAnswer(call.id, calls.run(call, abort.signal));
    ofId.delete(abort);
    if (ofId.size === 0) running.delete(call.id);
    if (!abort.signal.aborted) await transport.send(message);
  };
  const { onmessage } = transport;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have one callback and no events
  transport.onmessage = (message: JSONRPCMessage) => {
    const call = plainCall(message);
    if (call !== undefined && calls.mayTake()) {
      void answer(call);
      return;
    }
    if ('method' in message && message.method === 'notifications/cancelled')
      abortAll(running.get(message.params?.requestId as RequestId) ?? []);
    onmessage?.(message);
  };
  return () => {
    for (const ofId of running.values()) abortAll(ofId);
  };
}

function abortAll(calls: Iterable<AbortController>): void {
  for (const call of calls) call.abort();
}
