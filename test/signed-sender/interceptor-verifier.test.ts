/** Our callbacks as a published SDK sees them: its own code checks what arrived. */
import { Scalekit } from '@scalekit-sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { signup } from '../interceptors/interceptor-questions.ts';
import { admin, interceptorServices } from '../interceptors/support.ts';

const sdk = new Scalekit('https://gate.example.test', 'client', 'not-used');

let endpoint: FaultServer;
let services: Awaited<ReturnType<typeof interceptorServices>>;
let secret: string;
let headers: Record<string, string>;
let body: string;

/** Has a sign-up asked, and keeps what arrived. */
async function ask(): Promise<void> {
  await services.policy.beforeSignup(signup);
  const request = endpoint.requests.at(-1)!;
  headers = request.headers as Record<string, string>;
  body = request.body;
}

const accepts = (given: { secret?: string; headers?: Record<string, string>; body?: string } = {}) =>
  sdk.verifyInterceptorPayload(given.secret ?? secret, { ...headers, ...given.headers }, given.body ?? body);

beforeAll(async () => {
  endpoint = await startFaultServer();
  endpoint.always({ json: { decision: 'ALLOW' } });
  services = await interceptorServices({ now: Date.now() });
  const input = {
    name: 'José 😀',
    trigger_point: 'PRE_SIGNUP',
    endpoint: endpoint.origin,
    fallback: 'block',
  };
  await services.interceptors.create(admin, input);
  ({ secret } = await services.signingSecrets.show(admin));
  await ask();
});
afterAll(async () => {
  await services.close();
  await endpoint.close();
});

describe('interceptor signature: verifyInterceptorPayload of @scalekit-sdk/node', () => {
  it('accepts the request that an interceptor gets', () => {
    expect(accepts()).toBe(true);
  });

  it('accepts the same request under the headers of webhooks', () => {
    expect(sdk.verifyWebhookPayload(secret, headers, body)).toBe(true);
  });

  it.each([
    ['a changed body', () => accepts({ body: body.replace('PRE_SIGNUP', 'PRE_SIGNUP ') })],
    ['another id', () => accepts({ headers: { 'interceptor-id': 'evt_2' } })],
    [
      'another time',
      () =>
        accepts({
          headers: { 'interceptor-timestamp': String(Number(headers['interceptor-timestamp']) + 1) },
        }),
    ],
    ['another secret', () => accepts({ secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` })],
    ['no signature', () => accepts({ headers: { 'interceptor-signature': '' } })],
    [
      'a signature of zeros',
      () => accepts({ headers: { 'interceptor-signature': `v1,${Buffer.alloc(32).toString('base64')}` } }),
    ],
  ])('refuses a request with %s', (_what, verify) => {
    expect(verify).toThrow(/Invalid Signature|Missing required headers/);
  });

  it.each([[-310_000], [310_000]])('refuses a request %d ms away from its timestamp', async (ms) => {
    services.clock.advance(ms);
    await ask();
    services.clock.advance(-ms);
    expect(() => accepts()).toThrow('timestamp');
    await ask();
  });

  it('accepts the old and the new secret during a rotation, and only the new one after it', async () => {
    const before = secret;
    const { secret: after } = await services.signingSecrets.rotate(admin);
    await ask();
    expect(headers['interceptor-signature']?.split(' ')).toHaveLength(2);
    expect([accepts({ secret: before }), accepts({ secret: after })]).toEqual([true, true]);
    expect(() => accepts({ secret: before, body: `${body} ` })).toThrow('Invalid Signature');

    await services.db.transaction(async (tx) => {
      await tx
        .updateTable('signing_secrets')
        .set({ expires_at: services.clock.now() - 1 })
        .where('expires_at', 'is not', null)
        .execute();
    });
    await ask();
    expect(accepts({ secret: after })).toBe(true);
    expect(() => accepts({ secret: before })).toThrow('Invalid Signature');
  });
});
