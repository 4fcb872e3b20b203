/** A remote MCP server that does every wrong thing: what callers and operators get, and what is never done. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { measuring } from '../support/measured.ts';
import {
  ERAS,
  events,
  failureOf,
  GOOD,
  json,
  startHostileServer,
  type Answer,
  type HostileServer,
} from './hostile-server.ts';

describe.each(ERAS)('MCP server of the %s era', (era) => {
  let hostile: HostileServer;
  beforeAll(async () => {
    hostile = await startHostileServer(era);
  });
  beforeEach(async () => hostile.reset());
  afterAll(async () => hostile.close());

  /** A call that works, from now on like all others. */
  const good = async (): Promise<void> => {
    hostile.answer = hostile.afterHandshake((message, response) =>
      json(response, hostile.reply(message, GOOD)),
    );
    expect((await hostile.client.call(hostile.call())).content).toEqual([{ type: 'text', text: 'good' }]);
  };

  describe('calls of a hostile MCP server', () => {
    it.each<[string, Answer, string, string]>([
      [
        'answers with a page',
        (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
        'PROVIDER_ANSWER_UNREADABLE',
        'unreadable',
      ],
      [
        'answers nothing',
        (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
        'PROVIDER_ANSWER_UNREADABLE',
        'unreadable',
      ],
      [
        'sends to another origin',
        (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
        'REDIRECT',
        'unreadable',
      ],
      ['wants another credential', (_, response) => json(response, {}, 401), 'HTTP_401', 'refused'],
      [
        'lacks a scope',
        (_, response) => json(response, { error: 'insufficient_scope' }, 403),
        'insufficient_scope',
        'refused',
      ],
      ['fails', (_, response) => json(response, {}, 503), 'HTTP_503', 'failed'],
      [
        'refuses the call',
        (message, response) =>
          json(response, {
            jsonrpc: '2.0',
            id: message.id,
            error: { code: -32602, message: 'no secret-token-of-ca_1' },
          }),
        'RPC_-32602',
        'rpc_error',
      ],
      [
        'sends an event of 50 MB',
        (_, response) => {
          events(response);
          response.end(`data: ${'x'.repeat(50_000_000)}\n\n`);
        },
        'PROVIDER_ANSWER_TOO_LARGE',
        'unreadable',
      ],
      [
        'sends progress for ever',
        (_, response) => {
          events(response);
          const timer = setInterval(() => response.write(': ping\n\n'.repeat(50)), 1);
          response.on('close', () => clearInterval(timer));
        },
        'PROVIDER_ANSWER_TOO_LARGE',
        'unreadable',
      ],
      [
        'never ends its stream',
        (_, response) => {
          events(response);
          response.write(': here\n\n');
        },
        'PROVIDER_TIMEOUT',
        'timeout',
      ],
      [
        'answers another question and goes on',
        (_, response) => {
          events(response);
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 4_711, result: GOOD })}\n\n`);
        },
        'PROVIDER_TIMEOUT',
        'timeout',
      ],
    ])('end with a failure in our words where it %s', async (_, behaves, code, outcome) => {
      // Its session is open before, so that a short deadline is that of the call alone.
      await good();
      const series = measuring();
      hostile.answer = hostile.afterHandshake(behaves);
      const deadline = Date.now() + (code === 'PROVIDER_TIMEOUT' ? 1_500 : 60_000);
      const failure = await failureOf(hostile.client.call(hostile.call({ deadline })));
      expect(failure.toolError).toMatchObject({ code, execution_id: 'exe_1' });
      expect(failure.message).toContain('Notes');
      expect(JSON.stringify(failure.details)).not.toContain('secret-token-of-ca_1');
      expect(await series('gatehouse_upstream_requests_total')).toEqual([
        `gatehouse_upstream_requests_total{connector="notes",method="tools/call",era="${era}",outcome="${outcome}"} 1`,
      ]);
      // What was sent may have been done.
      expect(hostile.seen.filter((method) => method === 'tools/call')).toHaveLength(2);
    });

    it('take the first valid answer, and refuse questions that arrive before it', async () => {
      hostile.answer = hostile.afterHandshake((message, response) => {
        if (message.method !== 'tools/call') return void response.writeHead(202).end();
        events(response);
        for (const sent of [
          {
            jsonrpc: '2.0',
            id: 99,
            method: 'elicitation/create',
            params: { message: 'Password?', requestedSchema: {} },
          },
          hostile.reply(message, GOOD),
          hostile.reply(message, { content: [{ type: 'text', text: 'bad' }] }),
        ])
          response.write(`data: ${JSON.stringify(sent)}\n\n`);
        return response.end();
      });
      expect((await hostile.client.call(hostile.call())).content).toEqual([{ type: 'text', text: 'good' }]);
    });

    it('note that its tools have changed, and end if it says so endlessly', async () => {
      const note = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';
      hostile.answer = hostile.afterHandshake((message, response) => {
        events(response);
        const result = JSON.stringify(hostile.reply(message, GOOD));
        response.end(`${note}data: ${result}\n\n`);
      });
      expect((await hostile.client.call(hostile.call())).content).toEqual([{ type: 'text', text: 'good' }]);
      expect(hostile.changed).toEqual(['ca_1']);
      hostile.answer = hostile.afterHandshake((_, response) => {
        events(response);
        response.write(note.repeat(1_001));
      });
      const failure = await failureOf(hostile.client.call(hostile.call()));
      expect(failure.toolError.code).toBe('PROVIDER_ANSWER_TOO_LARGE');
    });

    it.runIf(era === 'legacy')('open no session whose id is longer than a header', async () => {
      hostile.answer = (message, response) => {
        const result = {
          protocolVersion: '2025-11-25',
          capabilities: {},
          serverInfo: { name: 'h', version: '1' },
        };
        const headers = { 'mcp-session-id': 'x'.repeat(1_000_000) };
        json(response, hostile.reply(message, result), 200, headers);
      };
      const failure = await failureOf(hostile.client.call(hostile.call()));
      expect([failure.toolError.code, hostile.seen]).toEqual(['PROVIDER_ANSWER_UNREADABLE', ['initialize']]);
    });

    it('refuse the transport of 2024-11-05 before anything is sent', async () => {
      const failure = await failureOf(hostile.client.call(hostile.call({}, { transport: 'sse' })));
      expect([failure.toolError.message, hostile.seen]).toEqual([
        'The transport of 2024-11-05 (sse) is not supported.',
        [],
      ]);
    });

    it('repeat a read once, and never a change', async () => {
      let failures = 0;
      hostile.answer = hostile.afterHandshake((message, response) => {
        failures += 1;
        if (failures === 1) return json(response, {}, 503);
        return json(response, hostile.reply(message, GOOD));
      });
      expect((await hostile.client.call(hostile.call({ effect: 'read' }))).content).toHaveLength(1);
    });

    it('spare a server that fails five times in a row', async () => {
      hostile.answer = (_, response) => json(response, {}, 500);
      for (let i = 0; i < 5; i++) await failureOf(hostile.client.call(hostile.call()));
      const before = hostile.seen.length;
      const failure = await failureOf(hostile.client.call(hostile.call()));
      expect([failure.toolError.code, failure.toolError.retry_after, hostile.seen.length]).toEqual([
        'PROVIDER_UNREACHABLE',
        1,
        before,
      ]);
    });

    it('arrive 69 times in an hour of failure, independent of the number of accounts, and work again after that', async () => {
      hostile.answer = (_, response) => json(response, {}, 503);
      const codes = new Set<string>();
      for (let second = 0; second < 3_600; second++) {
        hostile.now = second * 1_000;
        const call = hostile.call({ deadline: hostile.now + 30_000 }, {}, `ca_${second % 2_000}`);
        codes.add((await failureOf(hostile.client.call(call))).toolError.code);
      }
      expect([[...codes], hostile.seen.length]).toEqual([['HTTP_503', 'PROVIDER_UNREACHABLE'], 69]);
      hostile.now = 3_607_000;
      hostile.answer = hostile.afterHandshake((message, response) =>
        json(response, hostile.reply(message, GOOD)),
      );
      for (let i = 0; i < 2; i++) {
        const call = hostile.call({ deadline: hostile.now + 30_000 });
        expect((await hostile.client.call(call)).content).toEqual([{ type: 'text', text: 'good' }]);
      }
    });

    it('report that a caller gave up, which is no failure of the server', async () => {
      const series = measuring();
      for (let i = 0; i < 6; i++) {
        const stop = new AbortController();
        hostile.answer = hostile.afterHandshake(() => stop.abort());
        const failure = await failureOf(hostile.client.call(hostile.call({ signal: stop.signal })));
        expect(failure.toolError.code).toBe('CANCELLED');
      }
      expect(await series('gatehouse_upstream_requests_total')).toEqual([
        `gatehouse_upstream_requests_total{connector="notes",method="tools/call",era="${era}",outcome="given_up"} 6`,
      ]);
      await good();
    });

    it.runIf(era === 'legacy')(
      'wait for a session that another caller began to open and then left',
      async () => {
        const stop = new AbortController();
        const opens = Promise.withResolvers<void>();
        const mayAnswer = Promise.withResolvers<void>();
        const good = hostile.afterHandshake((message, response) =>
          json(response, hostile.reply(message, GOOD)),
        );
        hostile.answer = (message, response, request) => {
          if (message.method !== 'initialize') return good(message, response, request);
          opens.resolve();
          return void mayAnswer.promise.then(() => good(message, response, request));
        };
        const left = failureOf(hostile.client.call(hostile.call({ signal: stop.signal })));
        await opens.promise;
        const waiting = hostile.client.call(hostile.call());
        stop.abort();
        mayAnswer.resolve();
        expect((await waiting).content).toEqual([{ type: 'text', text: 'good' }]);
        expect((await left).toolError.code).toBe('CANCELLED');
        expect(hostile.seen.filter((method) => method === 'initialize')).toHaveLength(1);
      },
    );

    it.runIf(era === 'legacy')(
      'keep the session if another caller of the account gives up its call',
      async () => {
        const arrived = Promise.withResolvers<void>();
        const mayAnswer = Promise.withResolvers<void>();
        let calls = 0;
        const onlyFirstIsLost: Answer = (message, response) => {
          if (message.method === 'tools/call') calls += 1;
          else response.writeHead(202).end();
          if (message.method !== 'tools/call' || calls === 1) return;
          arrived.resolve();
          void mayAnswer.promise.then(() => json(response, hostile.reply(message, GOOD)));
        };
        hostile.answer = hostile.afterHandshake(onlyFirstIsLost);
        const stop = new AbortController();
        const left = failureOf(hostile.client.call(hostile.call({ signal: stop.signal })));
        const goesOn = hostile.client.call(hostile.call());
        await arrived.promise;
        stop.abort();
        expect((await left).toolError.code).toBe('CANCELLED');
        mayAnswer.resolve();
        expect((await goesOn).content).toEqual([{ type: 'text', text: 'good' }]);
        expect((await hostile.client.call(hostile.call())).content).toEqual([{ type: 'text', text: 'good' }]);
        expect(hostile.seen.filter((method) => method === 'initialize')).toHaveLength(1);
      },
    );

    it('keep the path of a redirect out of our sentence', async () => {
      hostile.answer = (_, response) => response.writeHead(307, { location: '/obey-me' }).end();
      const failure = await failureOf(hostile.client.call(hostile.call()));
      expect([failure.message, failure.toolError.message]).toEqual([
        'Notes sends to another address. Redirects are not followed; its operator has to look at it.',
        `${hostile.origin}/obey-me`,
      ]);
    });
  });
});
