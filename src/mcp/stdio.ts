/** MCP over stdin and stdout for one client. Nothing but protocol messages may be written to stdout. */
import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { OpenCalls } from './open-calls.ts';
import { makeServer } from './server.ts';
import type { McpServices, McpSession } from './session.ts';

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
  { stdin = process.stdin, stdout, signal }: StdioOptions = {},
): Promise<void> {
  return new Promise((resolve) => {
    const transport = new StdioServerTransport(stdin, stdout);
    serveStdio(({ era }) => makeServer(parts, session, era), {
      transport,
      onerror: (error) => parts.log.debug('mcp_stdio_error', { err: error }),
    });
    const calls = new OpenCalls(transport);
    const stop = (): void => {
      stdin.pause();
      void calls.answered(DRAIN_MS).then(async () => transport.close());
    };
    const { onclose } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have one callback and no events
    transport.onclose = () => {
      signal?.removeEventListener('abort', stop);
      onclose?.();
      resolve();
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
