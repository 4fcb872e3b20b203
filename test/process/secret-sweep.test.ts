/**
 * Secrets stay where they belong (docs/security.md#credentials-in-two-places): after whole journeys, with errors on the
 * way, none of them is in a log, an answer that is not for it, a page, a metric or a file.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern } from '../mcp/fixtures.ts';
import { forEachDatabase } from '../support/databases.ts';
import { authRequestIn } from '../support/deployment/browser.ts';
import { Deployment } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { CLIENT_SECRET } from '../support/oauth-provider/settings.ts';

/** Readable wherever the journey is stored. */
const ADA = 'every-step-of-ada';

forEachDatabase((name, _open, newUrl) => {
  let deployment: Deployment;
  let server: ServerProcess;
  /** What nobody may see, by name. */
  const secrets = new Map<string, string>();
  /** Answers of `/auth` and of what makes a secret: the places where it may be. */
  const allowed: string[] = [];

  beforeAll(async () => {
    const databaseUrl = name === 'postgres' ? await newUrl() : undefined;
    deployment = await Deployment.open({
      ...(databaseUrl !== undefined && { databaseUrl }),
      env: { GATEHOUSE_LOG_LEVEL: 'debug' },
    });
    server = await deployment.serve();
    await journey();
  });
  afterAll(() => deployment?.close());

  /** Takes the last answer out of the sweep: it is allowed to hold a secret. */
  const allow = (): void => void allowed.push(deployment.answers.pop() ?? '');

  /** Every step of an account's life, and everything that can go wrong on the way. */
  async function journey(): Promise<void> {
    const { provider } = deployment;
    const browser = deployment.browser(server);
    secrets.set('client secret', CLIENT_SECRET);

    const link = await server.magicLink(ADA);
    allow();
    secrets.set('link', link.split('/').at(-1) ?? '');
    const toProvider = new URL(await browser.toProvider(link));
    // The page names itself in its own way on; nothing else may.
    deployment.answers.splice(0, deployment.answers.length);
    secrets.set('state', toProvider.searchParams.get('state') ?? '');

    for (const authorize of [
      { mode: 'deny' },
      { iss: 'https://evil.example' },
      { state: 'alter' },
    ] as const) {
      provider.set({ authorize });
      await browser.get((await browser.get(await withoutKeeping(() => browser.toProvider(link)))).location);
      provider.reset();
    }
    for (const answer of [
      { status: 400, json: { error: CLIENT_SECRET, error_description: `no: ${CLIENT_SECRET}` } },
      { status: 500, body: `<h1>${CLIENT_SECRET}</h1>` },
      { echo: true },
      { reset: true },
    ]) {
      provider.queue({ target: 'token', answer });
      await browser.get((await browser.get(await withoutKeeping(() => browser.toProvider(link)))).location);
    }

    const callback = (await browser.get(await withoutKeeping(() => browser.toProvider(link)))).location;
    secrets.set('code', new URL(callback).searchParams.get('code') ?? '');
    secrets.set('state of the callback', new URL(callback).searchParams.get('state') ?? '');
    const authRequest = authRequestIn(await browser.get(callback));
    secrets.set('auth_request_id', authRequest);
    secrets.set('cookie', [...browser.cookies.values()][0] ?? '');
    await browser.get(callback);
    await server.verify(authRequest, 'eve');
    await server.verify(authRequest, ADA);
    await server.verify(authRequest, ADA);
    const verifier = provider.requests.findLast(({ form }) => form.has('code_verifier'));
    secrets.set('verifier', verifier?.form.get('code_verifier') ?? '');

    await server.call(ADA);
    await server.credentialsOf(ADA);
    allow();
    const { id } = await server.account(ADA);
    await server.api('POST', '/webhooks', {
      name: 'sink',
      url: `${provider.url}/hook`,
      events: ['connected_account.status_updated', 'connected_account.token_refresh_failed'],
    });
    const { text } = await server.api('GET', '/signing_secret');
    allow();
    secrets.set('signing secret', /whsec_[A-Za-z0-9+/=_-]+/.exec(text)?.[0] ?? '');

    const { refreshToken = '' } = await deployment.connect(server, 'user-0', -1_000);
    const repeated = { error: refreshToken, error_description: `${refreshToken} ${CLIENT_SECRET}` };
    provider.queue({ target: 'token', answer: { status: 400, json: repeated } });
    await server.call('user-0');
    for (const [i, answer] of [
      { echo: true, status: 500 },
      { echo: true, status: 401 },
      { reset: true },
    ].entries()) {
      await deployment.connect(server, `user-${i + 1}`, -1_000);
      provider.queue({ target: 'token', answer });
      await server.call(`user-${i + 1}`);
    }
    provider.grants.expireAccess();
    provider.queue({ target: 'api', answer: { echo: true, status: 400 } });
    await server.api('POST', `/connected_accounts/${id}:refresh`);
    await server.call(ADA);
    await server.call(ADA);
    for (const path of ['', `/${id}/events`]) await server.api('GET', `/connected_accounts${path}`);
    for (const path of ['/connections', '/executions', '/webhooks', '/audit', '/tools'])
      await server.api('GET', path);
    const headers = { authorization: `Bearer ${await deployment.token(server)}`, 'gatehouse-user-id': ADA };
    const call = { name: 'ledger_list', arguments: {} };
    const { body } = await modern(`${server.url}/mcp`, 'tools/call', call, { headers });
    deployment.answers.push(JSON.stringify(body));

    provider.grants.revokeAll();
    await server.call(ADA);
    allow();
    await server.api('POST', `/connected_accounts/${id}:disconnect`);
    const metrics = await fetch(`${server.url}/metrics`, { headers });
    deployment.answers.push(await metrics.text());
    // The journey went everywhere, or a sweep of it would prove nothing.
    const counts = provider.counts();
    expect(counts.exchanges).toBe(5);
    expect(counts.refreshes).toBeGreaterThanOrEqual(5);
    expect(counts.api).toBeGreaterThanOrEqual(5);
    for (const [i, token] of provider.grants.secrets().entries()) secrets.set(`code or token ${i}`, token);
  }

  async function withoutKeeping<T>(work: () => Promise<T>): Promise<T> {
    const kept = deployment.answers.length;
    const result = await work();
    deployment.answers.splice(kept);
    return result;
  }

  /** Which secrets a text holds, written out or in base64, hex or percent-encoding. */
  function found(text: string): string[] {
    const forms = (secret: string) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replaceAll('=', ''),
      Buffer.from(secret).toString('hex'),
    ];
    return [...secrets]
      .filter(([, secret]) => forms(secret).some((form) => text.includes(form)))
      .map(([what]) => what);
  }

  describe('secrets of accounts and credentials after a whole journey', () => {
    it('appear in the sweep, which finds them where they are allowed', () => {
      for (const [what, secret] of secrets) expect(secret.length, what).toBeGreaterThan(15);
      expect(secrets.size).toBeGreaterThan(15);
      expect(found(allowed.join('\n')).length).toBeGreaterThanOrEqual(3);
    });

    it('do not appear in stdout and stderr of the server at level debug', () => {
      expect(server.output.length).toBeGreaterThan(1_000);
      expect(found(server.output)).toEqual([]);
    });

    it('do not appear in an answer or a page', () => {
      expect(deployment.answers.length).toBeGreaterThan(20);
      expect(deployment.answers.flatMap(found)).toEqual([]);
    });

    it('do not appear in a request to a webhook', () => {
      const sent = deployment.provider.requests.filter(({ target }) => target === 'other');
      expect(sent.length).toBeGreaterThan(0);
      expect(sent.flatMap(({ headers, body }) => found(JSON.stringify(headers) + body))).toEqual([]);
    });

    it('do not appear readable in storage: in no row, no page of the database, no log of it, no file', async () => {
      await server.kill();
      const stored = await deployment.stored();
      expect(stored.some(({ text }) => text.includes('every-step-of-ada'))).toBe(true);
      expect(stored.flatMap(({ place, text }) => found(text).map((what) => `${place}: ${what}`))).toEqual([]);
    });
  });
});
