/** What a handler gets: text where it asks for text, and the size above which its result is cut. */
import { describe, expect, it } from 'vitest';
import type { UsableCredential } from '../../../src/credentials/usable-credential.ts';
import type { ProviderRequest, ToolHandler } from '../../../src/catalog/model/types.ts';
import { CallCredential } from '../../../src/executor/call/call-credential.ts';
import { performCall } from '../../../src/executor/call/perform-call.ts';
import type { OutboundRequest } from '../../../src/outbound/outbound.ts';
import { ProviderClient } from '../../../src/outbound/provider-client.ts';
import { testAccount } from '../../support/accounts.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { shippedCatalog, shippedTool } from '../../tools/tool-request.ts';

/** Runs a handler instead of a shipped one; the provider answers `body` to everything. */
async function run(handler: ToolHandler, body: string, maxResultBytes?: number) {
  const sent: OutboundRequest[] = [];
  const send = async (request: OutboundRequest) => {
    sent.push(request);
    return { status: 200, headers: {}, body: Buffer.from(body) };
  };
  const credential = {
    headers: { authorization: 'Bearer secret-token' },
    query: [],
    secrets: ['secret-token'],
    details: {},
    account: testAccount(),
  } as unknown as UsableCredential;
  const result = await performCall(
    new ProviderClient({ send, totalTimeoutMs: 30_000 }, { clock: fixedClock() }),
    async () => new Map([['video/list-reports', handler]]),
    {
      tool: shippedTool('video_reporting_list_reports'),
      connector: shippedCatalog.connectors.get('video')!,
      input: {},
      credential: new CallCredential(credential, async () => undefined),
      executionId: 'exe_1',
      signal: undefined,
      settings: {},
      traceparent: undefined,
      maxResultBytes,
    },
  );
  return { result, sent };
}

const request: ProviderRequest = {
  method: 'GET',
  host: 2,
  path: '/v1/media/r',
  query: [['alt', 'media']],
  headers: {},
};

describe('answers that a tool handler receives', () => {
  it('contain text where the handler asks for text, from the host of its request', async () => {
    const handler: ToolHandler = { call: async ({ http }) => http.send({ ...request, answer: 'text' }) };
    const { result, sent } = await run(handler, 'day,views\n');
    expect(result).toBe('day,views\n');
    expect(sent[0]!.url.href).toBe('https://youtubereporting.googleapis.com/v1/media/r?alt=media');
    expect(sent[0]!.headers).toEqual({ accept: '*/*', authorization: 'Bearer secret-token' });
  });

  it('contain JSON by default, and no text that is not JSON', async () => {
    const handler: ToolHandler = { call: async ({ http }) => http.send(request) };
    const { result, sent } = await run(handler, '{"a":1}');
    expect(result).toEqual({ a: 1 });
    expect(sent[0]!.headers).toMatchObject({ accept: 'application/json' });
    await expect(run(handler, 'day,views\n')).rejects.toMatchObject({
      toolError: { code: 'PROVIDER_ANSWER_UNREADABLE' },
    });
  });

  it.each([
    [2_000, 2_000],
    [undefined, 32_000],
  ])('respect the configured size of results: %s gives %i', async (set, expected) => {
    const handler: ToolHandler = { call: async ({ maxResultBytes }) => maxResultBytes };
    expect((await run(handler, '{}', set)).result).toBe(expected);
  });
});
