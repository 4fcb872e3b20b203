import { afterEach, describe, expect, it } from 'vitest';
import type { McpServices } from '../../src/mcp/session.ts';
import { ConnectorsInUse } from '../../src/mcp/connectors-in-use.ts';
import {
  CALLER,
  envelope,
  FakeExecutor,
  legacy,
  listen,
  LINK,
  MACHINE,
  makeParts,
  modern,
  notActive,
  post,
  type RpcAnswer,
} from './fixtures.ts';
import { resultOf, textOf, toolsOf } from './messages.ts';

const URL_ELICITATION = { elicitation: { url: {} } };
const CALL = { name: 'web_search', arguments: { query: 'a' } };

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function start(
  options: Parameters<typeof listen>[1] & { executor?: FakeExecutor; parts?: Partial<McpServices> } = {},
): Promise<{ url: string; executor: FakeExecutor }> {
  const executor = options.executor ?? new FakeExecutor();
  const { url, close } = await listen(makeParts(executor, options.parts), options);
  open.push(close);
  return { url, executor };
}

const toolNames = (answer: RpcAnswer): string[] => toolsOf(answer.body).map((tool) => tool.name);
const text = (answer: RpcAnswer, block = 0): string => textOf(answer.body, block);

describe('tools/list over HTTP', () => {
  it('gives every tool in one page, without a title and hints that say nothing new', async () => {
    const { url } = await start();
    const { body } = await modern(url, 'tools/list');
    expect(resultOf(body).nextCursor).toBeUndefined();
    expect(toolsOf(body)).toHaveLength(6);
    expect(toolsOf(body)[0]).toEqual({
      name: 'crm_create_task',
      description: 'Create a task of the app.',
      inputSchema: {
        type: 'object',
        properties: { content: { type: 'string', description: 'Words to look for.' } },
        required: ['content'],
      },
      annotations: { destructiveHint: false },
    });
    expect(toolsOf(body).map(({ name, title, annotations }) => [name, title, annotations])).toEqual([
      ['crm_create_task', undefined, { destructiveHint: false }],
      ['crm_delete_task', undefined, { idempotentHint: true }],
      ['crm_list_people', undefined, { readOnlyHint: true }],
      ['crm_list_tasks', 'List open tasks', { readOnlyHint: true }],
      ['mail_list_messages', undefined, { readOnlyHint: true }],
      ['web_search', undefined, { readOnlyHint: true }],
    ]);
  });

  it('gives the same tools to both eras, and cache hints to the newer one', async () => {
    const { url } = await start({ callerOf: () => MACHINE });
    const newer = await modern(url, 'tools/list');
    const older = await legacy(url, 'tools/list');
    expect(JSON.stringify(toolsOf(older.body))).toBe(JSON.stringify(toolsOf(newer.body)));
    expect(newer.body.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' });
    expect(Object.keys(resultOf(older.body))).toEqual(['tools']);
  });

  it('refuses a cursor in tools/list', async () => {
    const { url } = await start();
    expect((await modern(url, 'tools/list', { cursor: 'x' })).body.error?.code).toBe(-32602);
    expect((await legacy(url, 'tools/list', { cursor: 'x' })).body.error?.code).toBe(-32602);
  });

  it('marks the list as private and not cacheable when a header names the owner', async () => {
    const { url } = await start({ callerOf: () => MACHINE });
    const { body } = await modern(url, 'tools/list', {}, { headers: { 'gatehouse-user-id': 'ada' } });
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('lists the parameter account on tools of a connector where the owner has several', async () => {
    const executor = new FakeExecutor();
    executor.choices.set('crm', ['ada@one', 'ada@two']);
    const { url } = await start({ executor });
    const { body } = await modern(url, 'tools/list');
    const schemas = new Map(toolsOf(body).map((tool) => [tool.name, tool.inputSchema]));
    expect(schemas.get('crm_list_tasks')!.properties.account).toEqual({
      type: 'string',
      enum: ['ada@one', 'ada@two'],
      description:
        'Which of the connected accounts to use. Needed because there are several; without it the call answers with their names.',
    });
    expect(schemas.get('crm_list_tasks')!.required).toBeUndefined();
    expect(schemas.get('web_search')!.properties.account).toBeUndefined();
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('follows the query of the URL, and answers 400 to a bad one', async () => {
    const { url } = await start();
    expect(toolNames(await modern(`${url}?toolsets=crm.tasks,mail&read_only=1`, 'tools/list'))).toEqual([
      'crm_list_tasks',
      'mail_list_messages',
    ]);
    const refused = await modern(`${url}?toolsets=crm.taks`, 'tools/list');
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('There is no toolset "crm.taks".');
    expect((await modern(`${url}?readonly=1`, 'tools/list')).status).toBe(400);
  });

  it('lists the tools of connectors in use only', async () => {
    const { url } = await start({
      parts: { connectorsInUse: new ConnectorsInUse(async () => new Set(['mail'])) },
    });
    expect(toolNames(await modern(url, 'tools/list'))).toEqual(['mail_list_messages']);
  });

  it('tells the client nothing of an unexpected failure', async () => {
    const connectorsInUse = new ConnectorsInUse(() => Promise.reject(new Error('SQLITE_IOERR /secret/path')));
    const { url } = await start({ parts: { connectorsInUse } });
    expect((await modern(url, 'tools/list')).body.error).toEqual({
      code: -32603,
      message: 'This request failed inside Gatehouse; see its log.',
    });
  });
});

describe('tools/call over HTTP', () => {
  it('names the next call with a page that is not the last', async () => {
    const executor = new FakeExecutor();
    executor.answer = () => ({ items: [1], next: 'n2' });
    const { url } = await start({ executor });
    const call = { name: 'mail_list_messages', arguments: { page_token: 'n1', account: 'ada' } };
    const answer = await modern(url, 'tools/call', call);
    expect(text(answer)).toBe('{"items":[1],"next":"n2"}');
    expect(text(answer, 1)).toBe(
      'There is more. For the next page call mail_list_messages again with the same arguments and {"page_token": "n2"}.',
    );
  });

  it('passes input, caller and account to the executor and names the account in _meta', async () => {
    const { url, executor } = await start();
    const answer = await modern(url, 'tools/call', {
      name: 'web_search',
      arguments: { query: 'a', account: 'ada' },
    });
    expect(text(answer)).toBe('{"input":{"query":"a"},"user":"ada"}');
    expect(resultOf(answer.body)._meta?.['gatehouse/account']).toEqual({
      id: 'ca_1',
      identifier: 'ada',
      connector: 'web',
    });
    expect(resultOf(answer.body).structuredContent).toBeUndefined();
    const [call] = executor.calls;
    expect(call).toMatchObject({
      toolName: 'web_search',
      input: { query: 'a' },
      account: { account: 'ada' },
      caller: CALLER,
    });
    expect(call!.signal).toBeInstanceOf(AbortSignal);
  });

  it('answers an unknown tool, and one outside the selection, with -32602', async () => {
    const { url } = await start();
    expect((await modern(url, 'tools/call', { name: 'nope' })).body.error).toMatchObject({
      code: -32602,
      message: 'Unknown tool: nope',
    });
    expect((await modern(`${url}?connectors=crm`, 'tools/call', CALL)).body.error?.code).toBe(-32602);
  });

  it.each([
    [
      { name: 'web_search', arguments: 'x' },
      'The `arguments` of a call must be a JSON object with the parameters of the tool. Call it again with one.',
    ],
    [{ arguments: { query: 'a' } }, 'A call needs `name`: the name of a tool, as text.'],
  ])('says in a sentence why %j is no call, in both eras', async (params, message) => {
    const { url } = await start();
    for (const ask of [legacy, modern]) {
      const answer = await ask(url, 'tools/call', params);
      expect(answer.body.error).toEqual({ code: -32602, message });
    }
  });

  it('suggests the name of a tool of the selection for an unknown one like it', async () => {
    const { url } = await start();
    const called = async (address: string) =>
      (await modern(address, 'tools/call', { name: 'web_serch' })).body.error?.message;
    expect(await called(url)).toBe('Unknown tool: web_serch. Did you mean web_search?');
    expect(await called(`${url}?connectors=crm`)).toBe('Unknown tool: web_serch');
  });

  it('runs no writing tool when read-only, though it was named', async () => {
    const { url, executor } = await start({
      selection: { tools: ['crm_create_task'], readOnly: true, discovery: 'off' },
    });
    const refused = await modern(url, 'tools/call', { name: 'crm_create_task', arguments: { content: 'x' } });
    expect(refused.body.error?.code).toBe(-32602);
    expect(executor.calls).toEqual([]);
  });

  it('refuses an account that is not a name, as an error the model can correct', async () => {
    const { url, executor } = await start();
    const answer = await modern(url, 'tools/call', {
      name: 'web_search',
      arguments: { query: 'a', account: 7 },
    });
    expect(resultOf(answer.body).isError).toBe(true);
    expect(text(answer)).toContain('- account: Name one of your connected accounts, or leave it out.');
    expect(executor.calls).toEqual([]);
  });

  it('answers unexpected failures in general words', async () => {
    const { url, executor } = await start();
    executor.answer = () => {
      throw new TypeError('secret');
    };
    const answer = await modern(url, 'tools/call', CALL);
    expect(resultOf(answer.body).isError).toBe(true);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });
});

describe('owner headers of a machine over MCP', () => {
  it('works for the owner that the header names', async () => {
    const { url, executor } = await start({ callerOf: () => MACHINE });
    await modern(url, 'tools/call', CALL, { headers: { 'gatehouse-user-id': 'grace' } });
    await modern(url, 'tools/call', CALL, { headers: { 'gatehouse-organization-id': 'acme' } });
    expect(executor.calls.map((call) => call.caller.owner)).toEqual([
      { userId: 'grace', organizationId: '' },
      { userId: '', organizationId: 'acme' },
    ]);
  });

  it('asks for a missing owner by a tool error, while the list still works', async () => {
    const { url, executor } = await start({ callerOf: () => MACHINE });
    expect(toolNames(await modern(url, 'tools/list'))).toHaveLength(6);
    const answer = await modern(url, 'tools/call', CALL);
    expect(resultOf(answer.body).isError).toBe(true);
    expect(text(answer)).toContain('send the header gatehouse-user-id or gatehouse-organization-id');
    expect(executor.calls).toEqual([]);
  });

  it('accepts an owner in UTF-8', async () => {
    const { url, executor } = await start({ callerOf: () => MACHINE });
    const header = Buffer.from('zoë', 'utf8').toString('latin1');
    await modern(url, 'tools/call', CALL, { headers: { 'gatehouse-user-id': header } });
    expect(executor.calls[0]!.caller.owner).toEqual({ userId: 'zoë', organizationId: '' });
  });

  it.each([
    ['both headers', { 'gatehouse-user-id': 'a', 'gatehouse-organization-id': 'b' }, 'not both'],
    ['an empty value', { 'gatehouse-user-id': '' }, 'gatehouse-user-id must not be empty'],
    ['more than 64 characters', { 'gatehouse-user-id': 'x'.repeat(65) }, 'at most 64 characters'],
    ['bytes that are not UTF-8', { 'gatehouse-user-id': 'zo\u00eb' }, 'has to be UTF-8'],
    ['a control character', { 'gatehouse-organization-id': 'a\tb' }, 'control characters'],
  ])('answers 400 for %s', async (_, headers, message) => {
    const { url } = await start({ callerOf: () => MACHINE });
    const answer = await modern(url, 'tools/list', {}, { headers });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });

  it('refuses a header that names another owner than the token', async () => {
    const { url } = await start({ callerOf: () => CALLER });
    expect((await modern(url, 'tools/list', {}, { headers: { 'gatehouse-user-id': 'grace' } })).status).toBe(
      403,
    );
    expect((await modern(url, 'tools/list', {}, { headers: { 'gatehouse-user-id': 'ada' } })).status).toBe(
      200,
    );
  });
});

describe('account that is not connected, called over HTTP', () => {
  async function unconnected(): Promise<{ url: string; executor: FakeExecutor }> {
    const executor = new FakeExecutor();
    executor.answer = () => {
      throw notActive();
    };
    return start({ executor });
  }

  it('asks by URL elicitation where a 2026-07-28 client declares it', async () => {
    const { url } = await unconnected();
    const { body, status } = await modern(url, 'tools/call', CALL, { capabilities: URL_ELICITATION });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        connect: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            url: LINK,
            message: 'Web search (account ada) is not connected yet. Open this page to connect it.',
          },
        },
      },
    });
    expect(resultOf(body).requestState).toMatch(/^v1\./);
  });

  it.each([
    ['declares form elicitation only', { elicitation: { form: {} } }],
    ['declares an empty elicitation', { elicitation: {} }],
    ['declares nothing', {}],
  ])('gives text to a 2026-07-28 client that %s', async (_, capabilities) => {
    const { url } = await unconnected();
    const answer = await modern(url, 'tools/call', CALL, { capabilities });
    expect(answer.body.result).toMatchObject({ isError: true, resultType: 'complete' });
    expect(JSON.parse(text(answer, 1))).toMatchObject({ code: 'AUTHORIZATION_REQUIRED', link: LINK });
  });

  it('gives text to a 2025-era client, whose capabilities are not known over HTTP', async () => {
    const { url } = await unconnected();
    const answer = await legacy(url, 'tools/call', CALL);
    expect(resultOf(answer.body).isError).toBe(true);
    expect(text(answer)).toContain(LINK);
  });

  it('gives text where no link can be made, whatever the client declares', async () => {
    const { url, executor } = await unconnected();
    executor.answer = () => {
      throw notActive({}, { unavailable: 'No link can be made here.' });
    };
    const answer = await modern(url, 'tools/call', CALL, { capabilities: URL_ELICITATION });
    expect(text(answer)).toBe('Web search (account ada) is not connected yet. No link can be made here.');
  });

  describe('repeated call with the request state', () => {
    const retry = async (
      url: string,
      params: Record<string, unknown>,
      action = 'accept',
    ): Promise<RpcAnswer> => {
      const asked = await modern(url, 'tools/call', CALL, { capabilities: URL_ELICITATION });
      const { requestState } = resultOf(asked.body);
      return modern(
        url,
        'tools/call',
        { ...CALL, requestState, inputResponses: { connect: { action } }, ...params },
        { capabilities: URL_ELICITATION },
      );
    };

    it('makes the call when the account has been connected, even if the client says the user declined', async () => {
      const { url, executor } = await unconnected();
      let asked = false;
      executor.answer = () => {
        if (asked) return { ok: true };
        asked = true;
        throw notActive();
      };
      expect(text(await retry(url, {}, 'decline'))).toBe('{"ok":true}');
    });

    it('gives the text when the account is still not connected, even if the client says the user accepted', async () => {
      const { url } = await unconnected();
      const answer = await retry(url, {});
      expect(answer.body.result).toMatchObject({ isError: true, resultType: 'complete' });
      expect(text(answer)).toContain(LINK);
    });

    it('asks again when the call is about another account', async () => {
      const { url, executor } = await unconnected();
      let count = 0;
      executor.answer = () => {
        throw notActive({ id: `ca_${++count}` });
      };
      expect(resultOf((await retry(url, {})).body).resultType).toBe('input_required');
    });

    it('accepts the same arguments in another order', async () => {
      const { url } = await unconnected();
      const first = await modern(
        url,
        'tools/call',
        { name: 'web_search', arguments: { query: 'a', num_results: 2 } },
        { capabilities: URL_ELICITATION },
      );
      const again = await modern(
        url,
        'tools/call',
        {
          name: 'web_search',
          arguments: { num_results: 2, query: 'a' },
          requestState: resultOf(first.body).requestState,
        },
        { capabilities: URL_ELICITATION },
      );
      expect(resultOf(again.body).resultType).toBe('complete');
    });

    it.each([
      ['other arguments', { arguments: { query: 'b' } }],
      ['another tool', { name: 'mail_list_messages' }],
      ['a changed state', { requestState: 'v1.eyJwIjp7fX0.AAAA' }],
    ])('refuses the state with %s', async (_, params) => {
      const { url } = await unconnected();
      const answer = await retry(url, params);
      expect(answer.body.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
    });

    it('refuses the state of another user', async () => {
      const executor = new FakeExecutor();
      executor.answer = () => {
        throw notActive();
      };
      const { url } = await start({ executor, callerOf: () => MACHINE });
      const as = (user: string, params: Record<string, unknown>): Promise<RpcAnswer> =>
        modern(
          url,
          'tools/call',
          { ...CALL, ...params },
          {
            capabilities: URL_ELICITATION,
            headers: { 'gatehouse-user-id': user },
          },
        );
      const { requestState } = resultOf((await as('ada', {})).body);
      expect((await as('mallory', { requestState })).body.error?.code).toBe(-32602);
      expect(resultOf((await as('ada', { requestState })).body).isError).toBe(true);
    });

    it('gives the request state the life of the link', async () => {
      const { url, executor } = await unconnected();
      const expiry = new Date(Date.now() + 3_600_000).toISOString();
      executor.answer = () => {
        throw notActive({}, { link: LINK, expiry });
      };
      const { body } = await modern(url, 'tools/call', CALL, { capabilities: URL_ELICITATION });
      const claims = resultOf(body).requestState!.split('.')[1]!;
      const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number };
      expect(Math.abs(exp * 1_000 - Date.parse(expiry))).toBeLessThan(5_000);
    });
  });
});

describe('MCP endpoint over HTTP', () => {
  it('has no sessions: answers 405 to GET and DELETE', async () => {
    const { url } = await start();
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(url, { method, headers: { accept: 'text/event-stream' } });
      expect(response.status).toBe(405);
    }
  });

  it.each([
    ['broken JSON', '{"jsonrpc":', 400],
    ['an empty body', '', 400],
    ['a body that is no message', '{"a":1}', 400],
    ['a body that is null', 'null', 400],
    ['an empty batch', '[]', 400],
    ['a body nested too deeply', '['.repeat(65) + ']'.repeat(65), 400],
    ['a body that is too large', JSON.stringify({ x: 'y'.repeat(10_000) }), 413],
  ])('refuses a post of %s', async (_, body, status) => {
    const { url } = await start({ maxBodyBytes: 5_000 });
    expect((await post(url, body)).status).toBe(status);
  });

  it.each([
    ['as an argument', '{"query":"a","__proto__":{"b":1}}', 'params.arguments.__proto__'],
    ['with an escaped letter', '{"query":"a","__\\u0070roto__":{"b":1}}', 'params.arguments.__proto__'],
    ['in a long name', `{"${'k'.repeat(3_000)}":{"__proto__":1}}`, `${'k'.repeat(64)}….__proto__`],
    ['deep in one', '{"query":{"a":[{"\\u005f_proto__":1}]}}', 'params.arguments.query.a.0.__proto__'],
  ])('refuses __proto__ %s, and calls nothing', async (_, args, field) => {
    const executor = new FakeExecutor();
    const { url } = await start({ executor });
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"web_search","arguments":${args}}}`;
    const answer = await post(url, body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
    expect(executor.calls).toEqual([]);
  });

  it('accepts a text that speaks of __proto__', async () => {
    const { url } = await start();
    const answer = await legacy(url, 'tools/call', {
      name: 'web_search',
      arguments: { query: '__proto__ in JavaScript' },
    });
    expect(answer.status).toBe(200);
  });

  it('answers 415 to another content type', async () => {
    const { url } = await start();
    expect((await post(url, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('lets a call in flight finish when it closes, and takes no new one', async () => {
    const executor = new FakeExecutor();
    const { url, endpoint, close } = await listen(makeParts(executor));
    open.push(close);
    const finish = Promise.withResolvers<unknown>();
    const started = new Promise<void>((resolve) => {
      executor.answer = () => {
        resolve();
        return finish.promise;
      };
    });
    const running = modern(url, 'tools/call', CALL);
    await started;
    const closing = endpoint.close();
    expect((await modern(url, 'tools/list')).status).toBe(503);
    finish.resolve({ ok: true });
    expect(text(await running)).toBe('{"ok":true}');
    await closing;
  });

  it('ends open streams when it closes', async () => {
    const { url, close } = await listen(makeParts(new FakeExecutor()));
    const stream = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: envelope() },
      }),
    });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const [received] = await Promise.all([stream.text(), close()]);
    expect(received).toContain('notifications/subscriptions/acknowledged');
  });

  it('tells who it is and what it can do, the same to both eras', async () => {
    const { url } = await start();
    const discovered = await modern(url, 'server/discover');
    const initialized = await legacy(url, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    });
    const newer = resultOf(discovered.body);
    const older = resultOf(initialized.body);
    expect(older.serverInfo).toEqual({ name: 'gatehouse', version: '0.1.0' });
    expect(newer._meta?.['io.modelcontextprotocol/serverInfo']).toEqual({
      name: 'gatehouse',
      version: '0.1.0',
    });
    expect(newer).toMatchObject({ capabilities: { tools: {} }, ttlMs: 300_000, cacheScope: 'public' });
    expect(older.capabilities).toEqual({ tools: {} });
    expect(newer.instructions).toBe(older.instructions);
    expect(newer.instructions!.length).toBeLessThanOrEqual(2_000);
  });
});
