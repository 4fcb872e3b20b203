/** Bodies of proxied requests together, over a real socket: within the limit they pass, beyond it they come back. */
import { once } from 'node:events';
import { createServer, request, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/core/errors.ts';
import type { ProxyCall } from '../../../src/executor/proxy/proxy.ts';
import { HeldBytes } from '../../../src/http/proxy/held-bytes.ts';
import { proxyRoute } from '../../../src/http/proxy/proxy-route.ts';
import { turns, until } from '../../support/manual-timers.ts';
import { machine } from '../../support/services.ts';
import { requestContext } from '../rest-api.ts';

let server: Server;
let sockets: Socket[];
let calls: { call: ProxyCall; answer: () => void }[];

beforeEach(async () => {
  calls = [];
  const route = proxyRoute({
    executor: {
      proxy: (call) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        calls.push({ call, answer: resolve });
        return promise.then(() => ({
          status: 200,
          headers: {},
          body: Buffer.from('ok'),
          executionId: 'exe_1',
        }));
      },
    },
    authenticate: () => Promise.resolve(machine),
    maxBodyBytes: 1_000,
    maxHeldBytes: 1_500,
  });
  server = createServer((incoming, response) => {
    Promise.resolve(route.handle(incoming, response, requestContext())).catch((error: unknown) => {
      const { status, retryAfterSeconds } = error as ServiceError;
      response.writeHead(status, { 'retry-after': String(retryAfterSeconds) }).end();
    });
  });
  sockets = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function post(body: string, isWhole = true): { sent: ClientRequest; status: Promise<number | undefined> } {
  const { port } = server.address() as AddressInfo;
  const sent = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/proxy/items',
    agent: false,
    headers: { authorization: 'Bearer t', 'user-id': 'ada' },
  });
  sent.on('error', () => {});
  const status = once(sent, 'response').then(([response]) => {
    (response as IncomingMessage).resume();
    return (response as IncomingMessage).statusCode;
  });
  if (isWhole) sent.end(body);
  else sent.write(body);
  return { sent, status };
}

it('accepts proxied bodies up to the limit together, and the next one when one is done', async () => {
  const first = post('a'.repeat(1_000));
  await until(() => calls.length === 1);
  expect(await post('b'.repeat(600)).status).toBe(503);
  const small = post('c'.repeat(500));
  await until(() => calls.length === 2);
  calls[0]?.answer();
  expect(await first.status).toBe(200);
  const next = post('d'.repeat(1_000));
  await until(() => calls.length === 3);
  for (const { answer } of calls) answer();
  expect([await small.status, await next.status]).toEqual([200, 200]);
});

it('frees the bytes of a proxied request that was refused or broke off', async () => {
  const refused = await post('a'.repeat(1_001)).status;
  expect(refused).toBe(413);
  sockets = [];
  const broken = post('a'.repeat(900), false);
  await until(() => sockets.some(({ bytesRead }) => bytesRead > 900));
  await turns();
  expect(await post('b'.repeat(700)).status).toBe(503);
  broken.sent.destroy();
  await expect(broken.status).rejects.toThrow('socket hang up');
  let status: number | undefined = 503;
  while (status === 503) {
    const whole = post('c'.repeat(1_000));
    await Promise.race([whole.status, until(() => calls.length > 0)]);
    for (const { answer } of calls) answer();
    status = await whole.status;
  }
  expect(status).toBe(200);
});

it('says that nothing was sent and when to try again', () => {
  const held = new HeldBytes(10);
  const share = held.share();
  share.add(10);
  const refused = (): void => held.share().add(1);
  expect(refused).toThrow('Too many large requests are being proxied at once. Nothing was sent. Try again.');
  expect(refused).toThrow(expect.objectContaining({ code: 'UNAVAILABLE', retryAfterSeconds: 2 }));
  share.release();
  share.release();
  expect(() => held.share().add(11)).toThrow('Nothing was sent');
  held.share().add(10);
});
