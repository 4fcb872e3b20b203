/**
 * Endpoints of the operator that answer nothing: a webhook's and an interceptor's
 * (docs/operations.md#the-faults-of-a-bad-day). The real program, while others call tools and connect accounts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BASE_URL, Deployment, tally, VERIFY_URL } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { ROUNDS } from '../support/rounds.ts';

const CALLERS = ROUNDS.full ? 200 : 20;
const ACCOUNTS = 40;
const INTERCEPTOR_TIMEOUT_MS = ROUNDS.full ? 5_000 : 500;

let webhook: FaultServer;
let interceptor: FaultServer;
let deployment: Deployment;
let server: ServerProcess;

beforeAll(async () => {
  webhook = await startFaultServer();
  interceptor = await startFaultServer();
  deployment = await Deployment.open({
    site: [
      `base_url: ${BASE_URL}`,
      `user_verify_url: ${VERIFY_URL}`,
      `webhooks: [{name: ops, url: "${webhook.origin}/hook", events: [connected_account.created]}]`,
      'interceptors:',
      `  - {name: Machines, trigger_point: PRE_M2M_TOKEN_CREATION, endpoint: "${interceptor.origin}/ask",`,
      `     timeout_ms: ${INTERCEPTOR_TIMEOUT_MS}, fallback: block}`,
    ],
  });
  server = await deployment.serve();
});
beforeEach(() => interceptor.always({ json: { decision: 'ALLOW' } }));
afterAll(async () => {
  await deployment?.close();
  await Promise.all([webhook.close(), interceptor.close()]);
});

describe('interceptor that hangs with many callers', () => {
  /** Asks for an access token as a machine does. */
  async function askForToken(): Promise<unknown[]> {
    const { GATEHOUSE_CLIENT_ID: client_id = '', GATEHOUSE_CLIENT_SECRET: client_secret = '' } =
      deployment.env;
    const response = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
    });
    const { error } = (await response.json()) as { error?: string };
    return error === undefined ? [response.status] : [response.status, error];
  }

  it('decides by its fallback after its timeout, and delays nothing else', async () => {
    await deployment.connect(server, 'ada');
    interceptor.always({ hang: true });
    const order: string[] = [];
    const startedAt = performance.now();
    const calls = Array.from({ length: CALLERS }, async () => {
      const { status } = await server.call('ada');
      order.push('call');
      return status;
    });
    const asking = Array.from({ length: CALLERS }, async () => {
      const answer = await askForToken();
      order.push('token');
      return answer.join(' ');
    });
    expect(tally(await Promise.all(calls))).toEqual({ 200: CALLERS });
    if (ROUNDS.full) expect(order).not.toContain('token');
    expect(tally(await Promise.all(asking))).toEqual({ '400 access_denied': CALLERS });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(INTERCEPTOR_TIMEOUT_MS);
    expect(tookMs).toBeLessThan(INTERCEPTOR_TIMEOUT_MS + server.slackMs);
    interceptor.always({ json: { decision: 'ALLOW' } });
    expect(await askForToken()).toEqual([200]);
  });
});

describe.runIf(ROUNDS.full)('webhook endpoint that hangs', () => {
  const told = (): string[] =>
    webhook.requests.map(
      ({ body }) =>
        (JSON.parse(body) as { data: { connected_account: { identifier: string } } }).data.connected_account
          .identifier,
    );

  it('delays no change of an account, and gets every event later, also after kill -9', async () => {
    webhook.reset();
    webhook.always({ hang: true });
    const users = Array.from({ length: ACCOUNTS }, (_, n) => `told-${n}`);
    const startedAt = performance.now();
    for (const user of users) await deployment.connect(server, user);
    const calls = await Promise.all(users.map(async (user) => server.call(user)));
    expect(tally(calls.map(({ status }) => status))).toEqual({ 200: ACCOUNTS });
    // An attempt lasts for 10 s: nobody has waited for one.
    expect(performance.now() - startedAt).toBeLessThan(10_000 + server.slackMs);
    await expect.poll(() => server.output).toContain('webhook_endpoint_paused');
    await server.kill();
    server = await deployment.serve();
    webhook.reset();
    const missing = () => users.filter((user) => !told().includes(user));
    await expect.poll(missing, { timeout: 120_000 }).toEqual([]);
  });
});
