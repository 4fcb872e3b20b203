/**
 * Asks the user of an SDK client to open a page, in either protocol era. Says nothing about whether an account may be used:
 * the repeated call asks the executor again.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { INVALID_PARAMS, ProtocolError } from '../protocol-error.ts';
import { digestOf, type ConnectState, type RequestStates } from '../request-state.ts';
import type { Arguments, CallClient, ConnectQuestion } from '../session.ts';

/** Key of the question in `inputRequests`. */
const CONNECT_REQUEST_KEY = 'connect';

/** Maximum time that a call of a 2025-era client stays open for its user. */
const MAX_QUESTION_MS = 600_000;

/** The client of one request. */
export class AskedClient implements CallClient {
  readonly ctx: ServerContext;
  readonly states: RequestStates;
  readonly #server: Server;
  readonly #era: McpRequestContext['era'];

  constructor(known: {
    server: Server;
    era: McpRequestContext['era'];
    ctx: ServerContext;
    states: RequestStates;
  }) {
    this.ctx = known.ctx;
    this.states = known.states;
    this.#server = known.server;
    this.#era = known.era;
  }

  /**
   * Whether the client can open a page. Over HTTP, older clients declare that in a request that is not remembered.
   */
  canOpenUrls(): boolean {
    const envelope: Record<string, unknown> = this.ctx.mcpReq.envelope ?? {};
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
    return (declared ?? this.#server.getClientCapabilities())?.elicitation?.url !== undefined;
  }

  async askToConnect(
    question: ConnectQuestion,
    { accountId, tool, args }: { accountId: string; tool: string; args: Arguments },
    msLeft: number,
  ): Promise<InputRequiredResult | 'answered' | 'asked-before'> {
    if (this.#era === 'legacy') {
      await this.#askWhileOpen(question, Math.min(msLeft, MAX_QUESTION_MS));
      return 'answered';
    }
    const state: ConnectState = { connected_account_id: accountId, tool, arguments: digestOf(args) };
    if (this.#hasAsked(state)) return 'asked-before';
    return inputRequired({
      inputRequests: { [CONNECT_REQUEST_KEY]: inputRequired.elicitUrl(question) },
      requestState: await this.states.mint(state, msLeft / 1_000, this.ctx),
    });
  }

  /** Asks the user of a 2025-era stdio client. Returns when the user has answered or the client could not ask. */
  async #askWhileOpen(question: ConnectQuestion, timeoutMs: number): Promise<void> {
    const { mcpReq } = this.ctx;
    try {
      await mcpReq.elicitInput(
        { ...question, mode: 'url', elicitationId: crypto.randomUUID() },
        { timeout: timeoutMs, signal: mcpReq.signal },
      );
    } catch {
      // The client promised to show a link and did not do so: the text prompt follows.
    }
  }

  /**
   * Whether this is the call repeated after the question; then the text follows instead of the same question.
   *
   * @throws ProtocolError -32602 if the state was signed for another call
   */
  #hasAsked(expected: ConnectState): boolean {
    const state = this.ctx.mcpReq.requestState<ConnectState>();
    if (state === undefined) return false;
    if (state.tool !== expected.tool || state.arguments !== expected.arguments) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid or expired requestState');
    }
    return state.connected_account_id === expected.connected_account_id;
  }
}
