/**
 * A provider with many callers that hangs or wants no more calls (docs/operations.md#the-faults-of-a-bad-day): real
 * processes, with an account that makes too many calls and another one that makes few.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { ROUNDS } from '../support/rounds.ts';
import { FaultDeployment, type TimedAnswer } from './faults/fault-deployment.ts';

const CALLERS = ROUNDS.full ? 2_000 : 80;
const DEADLINE_MS = ROUNDS.full ? 6_000 : 3_000;

let deployment: FaultDeployment;
let second: ServerProcess;

beforeAll(async () => {
  deployment = await FaultDeployment.start({
    timeout: `${DEADLINE_MS}ms`,
    headers_timeout: `${DEADLINE_MS}ms`,
  });
  await deployment.connect('healthy', 'quiet');
  second = await deployment.another();
});
beforeEach(() => deployment.healthy.reset());
afterAll(async () => {
  await second?.stop();
  await deployment?.close();
});

async function calls(count: number, servers = [deployment.server]): Promise<TimedAnswer[]> {
  const one = async (n: number) =>
    deployment.call('healthy', 'read', 'fine', { server: servers[n % servers.length] ?? deployment.server });
  return Promise.all(Array.from({ length: count }, async (_, n) => one(n)));
}

const quiet = async (server = deployment.server) =>
  deployment.call('healthy', 'read', 'fine', { user: 'quiet', server });

const codeOf = ({ status, body }: TimedAnswer) => [status, body.details?.[0]?.error_code];

describe('provider that hangs with many callers of one account', () => {
  it('answers another account, and the callers end at their deadline', async () => {
    const { healthy, server } = deployment;
    healthy.always({ hang: true });
    const waiting = calls(CALLERS);
    await expect.poll(() => healthy.requests.length, { interval: 20, timeout: 30_000 }).toBe(51);
    healthy.queue({ json: { ok: true } });
    expect((await quiet()).status).toBe(200);
    for (const answer of await waiting) {
      expect(codeOf(answer)).toEqual([504, 'TOOL_ERROR']);
      expect(answer.tookMs).toBeLessThan(DEADLINE_MS + server.slackMs + CALLERS * 10);
    }
    healthy.reset();
    expect((await calls(1)).map(({ status }) => status)).toEqual([200]);
  });
});

describe('provider that wants no more calls', () => {
  it('gets one request for each call in flight, and none for later ones of any process', async () => {
    const { healthy, server } = deployment;
    healthy.always({ status: 429, headers: { 'retry-after': '600' }, json: {} });
    for (const answer of await calls(CALLERS)) expect(answer.status).toBe(429);
    const sent = healthy.requests.length;
    expect(sent).toBeLessThanOrEqual(CALLERS);
    for (const answer of await calls(50, [server, second])) {
      expect(codeOf(answer)).toEqual([429, 'RATE_LIMITED']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    }
    expect(healthy.requests).toHaveLength(sent);
    healthy.reset();
    expect((await quiet(second)).status).toBe(200);
  });

  it('gets calls again when its time is over', async () => {
    const { healthy } = deployment;
    healthy.queue({ status: 429, headers: { 'retry-after': '3' }, json: {} });
    expect(codeOf(await quiet())).toEqual([429, 'TOOL_ERROR']);
    expect(codeOf(await quiet(second))).toEqual([429, 'RATE_LIMITED']);
    await expect.poll(async () => (await quiet(second)).status, { interval: 100, timeout: 60_000 }).toBe(200);
    expect(healthy.requests).toHaveLength(2);
  });
});
