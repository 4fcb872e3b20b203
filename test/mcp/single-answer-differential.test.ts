/**
 * Whether or not the SDK's HTTP transport is left out, a client cannot tell: the same requests, usual and strange,
 * are answered by our endpoint and by two that are the SDK's alone (docs/decisions/0022-single-answers.md).
 */
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import type { ExecuteCall } from '../../src/executor/executor.ts';
import { ROUNDS } from '../support/rounds.ts';
import { FakeExecutor, listen, makeParts, notActive } from './fixtures.ts';
import type { RpcMessage } from './messages.ts';
import { listenInJsonMode, listenWithHandler, type SdkEndpoint } from './sdk-endpoints.ts';
import { strangeRequests, type StrangeRequest } from './strange-requests.ts';

const SEED = 20_261_122;

/** What a client gets and what was done for it. */
interface Outcome {
  status: number;
  type: string;
  /** The messages of an event stream, or the one JSON body; none when the answer is empty. */
  messages: RpcMessage[];
  calls: object[];
}

let ours: Subject;
let jsonMode: Subject;
let handler: Subject;
beforeAll(async () => {
  ours = await Subject.start((executor) => listen(makeParts(executor)));
  jsonMode = await Subject.start((executor) => listenInJsonMode(makeParts(executor)));
  handler = await Subject.start((executor) => listenWithHandler(makeParts(executor)));
});
afterAll(() => Promise.all([ours, jsonMode, handler].map((subject) => subject.stop())));

/** An endpoint, its executor and a client of both. */
class Subject {
  readonly #executor: FakeExecutor;
  readonly #endpoint: SdkEndpoint;
  readonly #client: Client;

  private constructor(executor: FakeExecutor, endpoint: SdkEndpoint) {
    this.#executor = executor;
    this.#endpoint = endpoint;
    this.#client = new Client(new URL(endpoint.url).origin);
  }

  static async start(run: (executor: FakeExecutor) => Promise<SdkEndpoint>): Promise<Subject> {
    const executor = new FakeExecutor();
    executor.answer = answerByQuery;
    return new Subject(executor, await run(executor));
  }

  async ask({ headers, body }: StrangeRequest): Promise<Outcome> {
    this.#executor.calls.length = 0;
    const answer = await this.#client.request({
      method: 'POST',
      path: '/mcp',
      headers: headers.flat(),
      body,
    });
    const text = await answer.body.text();
    const type = String(answer.headers['content-type']);
    const isStream = type === 'text/event-stream';
    const texts = isStream
      ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data!)
      : text
        ? [text]
        : [];
    return {
      status: answer.statusCode,
      type,
      messages: texts.map((message) => JSON.parse(message) as RpcMessage),
      calls: this.#executor.calls.map(effectOf),
    };
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.#endpoint.close();
  }
}

function answerByQuery({ input, caller }: ExecuteCall): unknown {
  switch ((input as { query?: unknown }).query) {
    case 'refuse':
      throw new ServiceError('INVALID_ARGUMENT', 'No.');
    case 'connect':
      throw notActive();
    case 'crash':
      throw new Error('secret');
    case 'large':
      return { text: 'Größe '.repeat(5_000) };
    default:
      return { input, user: caller.owner?.userId };
  }
}

function effectOf({ toolName, input, account, caller, traceparent }: ExecuteCall): object {
  return { toolName, input, account, caller, traceparent };
}

/** Not JSON-RPC: refused by `readJsonBody` before the protocol has a say. */
function isOwnRefusal({ messages: [message] }: Outcome): boolean {
  return message !== undefined && !Array.isArray(message) && message.jsonrpc === undefined;
}

/** Answered with one JSON body where the SDK's handler opens an event stream. */
function isSingle(own: Outcome, sdk: Outcome): boolean {
  return own.type === 'application/json' && sdk.type === 'text/event-stream';
}

/** What has to be sent in pieces: several answers, or reports before the answer. */
function needsStream(body: string): boolean {
  const message = JSON.parse(body) as unknown;
  if (Array.isArray(message)) return true;
  const { _meta: meta } = (message as RpcMessage).params ?? {};
  return typeof meta === 'object' && meta !== null && Object.hasOwn(meta, 'progressToken');
}

describe(`MCP over HTTP against the SDK: ${ROUNDS.strangeMcpRequests} requests from a seed`, () => {
  it('gives the answers and effects that the SDK’s HTTP layer gives', async () => {
    const seen = { single: 0, calls: 0, statuses: new Set<number>(), codes: new Set<number>() };
    for (const request of strangeRequests(SEED, ROUNDS.strangeMcpRequests)) {
      const [own, sdk] = await Promise.all([ours.ask(request), handler.ask(request)]);
      if (isOwnRefusal(own)) {
        expect({ ...own, body: request.body }).toMatchObject({
          status: 400,
          calls: [],
          body: expect.stringContaining('"__proto__":'),
        });
        continue;
      }
      const single = isSingle(own, sdk);
      const expected = single ? { ...sdk, type: 'application/json' } : sdk;
      if (!isDeepStrictEqual(own, expected))
        expect({ request, ...own }).toStrictEqual({ request, ...expected });
      if (single) {
        const json = await jsonMode.ask(request);
        if (!isDeepStrictEqual(own, json)) expect({ request, ...own }).toStrictEqual({ request, ...json });
        if (needsStream(request.body)) throw new Error(`This needs a stream: ${request.body}`);
        seen.single += 1;
        seen.calls += own.calls.length;
      }
      const [message] = own.messages;
      seen.statuses.add(own.status);
      if (message?.error !== undefined) seen.codes.add(message.error.code);
    }
    expect(seen.single).toBeGreaterThan(ROUNDS.strangeMcpRequests * 0.3);
    expect(seen.calls).toBeGreaterThan(ROUNDS.strangeMcpRequests * 0.1);
    expect([...seen.statuses].toSorted((a, b) => a - b)).toEqual([200, 202, 400, 406, 415]);
    expect([...seen.codes]).toEqual(
      expect.arrayContaining([-32_700, -32_600, -32_601, -32_602, -32_603, -32_000, -32_020]),
    );
  });
});
