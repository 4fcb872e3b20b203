/** Refusals inside a 200, with the example connector and a stand-in that never answers with another status. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  fillIn,
  promptedLink,
  refusal,
  startExampleServer,
  type ExampleServer,
} from '../../support/example-server.ts';
import { startStandIn, type StandIn } from '../../support/stand-in.ts';

let provider: StandIn;
let server: ExampleServer;
let live: string;

beforeAll(async () => {
  provider = await startStandIn(({ path, headers, body }) => {
    if (headers['authorization'] !== `Bearer ${live}`)
      return { json: { ok: false, error: 'invalid_auth', error_description: 'No such token.' } };
    if (path === '/api/auth.test') return { json: { ok: true } };
    const { channel, text } = JSON.parse(body) as Record<string, string>;
    if (channel === 'C-admin') return { json: { ok: false, error: 'missing_scope' } };
    if (channel === 'C-open')
      return { json: { ok: false, error: 'missing_scope', needed: 'channels:join,admin' } };
    if (channel !== 'C1') return { json: { ok: false, error: 'channel_not_found' } };
    if (text === 'long')
      return { json: { ok: false, error: 'msg_too_long', error_description: 'Too long.' } };
    return { json: { ok: true, message: { text } } };
  });
  const overrides = { base_url: provider.origin };
  server = await startExampleServer({ connections: [{ connector: 'chat', overrides }] });
});
beforeEach(() => {
  live = 'token-1';
});
afterAll(async () => {
  await server.close();
  await provider.close();
});

const post = async (channel: string, text = 'hi', user = 'ada') =>
  server.call('chat_post', { channel, text }, user);
const connect = async (token: string, user: string) =>
  fillIn(server.browser(), await server.link('chat', user), { token });

describe('provider that refuses inside a 200', () => {
  it('has its answer to the check of a credential read, so that a wrong one is not stored', async () => {
    expect((await connect('wrong', 'ada')).text).toContain('Chat does not accept this');
    expect((await server.details('chat', 'ada')).status).toBe('PENDING_AUTH');
    expect(await connect('token-1', 'ada')).toMatchObject({ location: '/connect/done' });
  });

  it.each([
    ['C9', 'hi', 502, 'channel_not_found', 'Chat answered 200: there is no such channel'],
    ['C1', 'long', 502, 'msg_too_long', 'Chat rejected the request (200)'],
    ['C-admin', 'hi', 403, 'missing_scope', 'credential of this account lacks the scope messages:write'],
    // The answer names it, together with one that the connector does not describe.
    ['C-open', 'hi', 403, 'missing_scope', 'credential of this account lacks the scope channels:join.'],
  ])(
    'fails a call about %s with the text %s as a status would',
    async (channel, text, status, code, says) => {
      const error = await refusal(post(channel, text));
      expect(error).toMatchObject({ status, details: { tool_error: { code, provider_status: 200 } } });
      expect(error.message).toContain(says);
      expect((await server.details('chat', 'ada')).status).toBe('ACTIVE');
    },
  );

  it('has its successful answers given to the caller', async () => {
    expect(await post('C1')).toEqual({ text: 'hi' });
  });

  it('passes the answer to a proxied request on unchanged', async () => {
    const body = Buffer.from('{"channel":"C9","text":"hi"}');
    const request = { method: 'POST', path: '/chat.post', query: '', headers: {}, body } as const;
    const { status, body: answer } = await server.proxy('chat', 'ada', request);
    expect([status, JSON.parse(answer.toString())]).toEqual([200, { ok: false, error: 'channel_not_found' }]);
  });

  it('ends an account whose token it refuses twice', async () => {
    await connect('token-1', 'bob');
    live = 'token-2';
    expect((await refusal(post('C1', 'hi', 'bob'))).message).toContain('refused the credential');
    expect(await promptedLink(post('C1', 'hi', 'bob'))).toContain('/connect/');
    expect((await server.details('chat', 'bob')).status).toBe('EXPIRED');
  });
});
