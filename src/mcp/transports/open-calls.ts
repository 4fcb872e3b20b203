/**
 * The unanswered tool calls of a stdio client, tracked by watching messages. Changes no message.
 *
 * The SDK has checked every message that arrives here, so its members are enough to tell its kind. Checking it
 * again would cost as much as reading it.
 */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Watches one transport, starting before its first message. */
export class OpenCalls {
  readonly #calls = new Set<RequestId>();
  /** Questions to the client's user that wait for an answer, with the call that asked. */
  readonly #questions = new Map<RequestId, RequestId>();
  #notify: (() => void) | undefined;

  constructor(transport: StdioServerTransport) {
    const { onmessage } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have one callback and no events
    transport.onmessage = (message: JSONRPCMessage) => {
      this.#received(message);
      onmessage?.(message);
    };
    const send: Sender = transport.send.bind(transport);
    const watched: Sender = async (message, options) => {
      try {
        await send(message, options);
      } finally {
        this.#sent(message, options?.relatedRequestId);
      }
    };
    transport.send = watched;
  }

  /**
   * Resolves when every call is answered, at the latest after `withinMs`.
   *
   * Does not wait for a call that waits for its user: input is no longer read, so the user's answer would
   * never arrive.
   */
  async answered(withinMs: number): Promise<void> {
    if (this.#areAnswered()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #received(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#questions.delete(message.id);
    } else if ('id' in message) {
      if (message.method === 'tools/call') this.#calls.add(message.id);
    } else if (message.method === 'notifications/cancelled') {
      this.#end(message.params?.requestId as RequestId | undefined);
    }
  }

  #sent(message: JSONRPCMessage, call: RequestId | undefined): void {
    if (!('method' in message)) {
      this.#end(message.id);
    } else if ('id' in message) {
      if (call !== undefined) this.#questions.set(message.id, call);
      if (this.#notify !== undefined && this.#areAnswered()) this.#notify();
    }
  }

  #end(call: RequestId | undefined): void {
    if (call !== undefined) this.#calls.delete(call);
    if (this.#notify !== undefined && this.#areAnswered()) this.#notify();
  }

  #areAnswered(): boolean {
    const asking = new Set(this.#questions.values());
    return [...this.#calls].every((call) => asking.has(call));
  }
}

type Sender = (message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }) => Promise<void>;
