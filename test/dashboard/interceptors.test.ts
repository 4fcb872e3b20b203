import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rows } from '../../src/store/engine/rows.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { openSite, submitTo, type Site } from './dashboard-site.ts';

const PAGES = '/dashboard/interceptors';

let site: Site;
let endpoint: FaultServer;

beforeAll(async () => {
  endpoint = await startFaultServer();
  site = await openSite({
    env: { GATEHOUSE_ALLOW_PRIVATE_HOSTS: new URL(endpoint.origin).host },
  });
});

afterAll(async () => endpoint.close());

beforeEach(() => endpoint.reset());

/** An interceptor that asks the endpoint. */
async function made(name: string): Promise<string> {
  const { id } = await site.services.interceptors.create(site.local, {
    name,
    trigger_point: 'PRE_SIGNUP',
    endpoint: `${endpoint.origin}/hook`,
    fallback: 'block',
  });
  return id;
}

describe('dashboard: interceptors', () => {
  it('creates one, and shows a refused form again with everything that was typed', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/new`);
    const typed = { trigger_point: 'PRE_USER_INVITATION', fallback: 'allow' };
    const again = await submitTo(operator, `${PAGES}/new`, {
      ...typed,
      name: '',
      endpoint: 'ftp://"><b>x',
      timeout_ms: 'soon',
    });
    expect(again.status).toBe(400);
    expect(again.html).toContain('value="ftp://&quot;&gt;&lt;b&gt;x"');
    expect(again.html).toContain('value="soon"');
    expect(again.html).toMatch(/value="PRE_USER_INVITATION"\s+selected/);
    for (const id of ['f-name', 'f-endpoint', 'f-timeout_ms'])
      expect(again.html).toContain(`id="${id}-wrong"`);
    const good = {
      ...typed,
      name: 'Office hours',
      endpoint: 'https://hooks.example.com/a',
      timeout_ms: '800',
    };
    const created = await submitTo(operator, `${PAGES}/new`, { ...good, enabled: 'true' });
    const page = await operator.get(created.location);
    expect(page.html).toContain('The interceptor Office hours was created.');
    expect(page.html).toContain('Before somebody is invited');
    expect(page.html).toContain('800 ms');
    await operator.get(`${PAGES}/new`);
    const taken = await submitTo(operator, `${PAGES}/new`, good);
    expect(taken.html).toMatch(/id="f-name-wrong">\s*There is an interceptor with this name already\./);
  });

  it('changes, disables and enables one', async () => {
    const id = await made('Switch');
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}/edit`);
    const changed = await submitTo(operator, `${PAGES}/${id}/edit`, {
      name: 'Switched',
      trigger_point: 'PRE_SIGNUP',
      endpoint: `${endpoint.origin}/other`,
      timeout_ms: '900',
      fallback: 'allow',
    });
    await operator.get(changed.location);
    expect((await submitTo(operator, `${PAGES}/${id}/disable`)).status).toBe(303);
    const page = await operator.get(`${PAGES}/${id}`);
    expect(page.html).toContain('Switched is no longer asked.');
    expect(await site.services.interceptors.get(site.environment.id, id)).toMatchObject({
      name: 'Switched',
      endpoint: `${endpoint.origin}/other`,
      timeout_ms: 900,
      fallback: 'allow',
      enabled: false,
    });
    await submitTo(operator, `${PAGES}/${id}/enable`);
    expect((await site.services.interceptors.get(site.environment.id, id)).enabled).toBe(true);
  });

  it('tests one and shows the request that was sent next to the answer', async () => {
    const id = await made('Probe');
    endpoint.queue({ json: { decision: 'DENY', error: { message: '<img src=x onerror=alert(1)>' } } });
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}`);
    const page = await submitTo(operator, `${PAGES}/${id}/test`);
    expect(page.status).toBe(200);
    expect(page.html).toContain('A flow would be stopped');
    expect(page.html).toContain('interceptor-signature: v1,');
    expect(page.html).toContain('&quot;email&quot;: &quot;ada@example.com&quot;');
    expect(page.html).toContain('Status 200');
    expect(page.html).toContain('&lt;img src=x');
    expect(page.html).not.toContain('<img');
    expect(endpoint.requests).toHaveLength(1);
    expect((await operator.get(`${PAGES}/${id}`)).html).toContain('It was not asked yet.');
  });

  it('answers htmx with the part of the page that changed, ready to be sent again', async () => {
    const id = await made('Partial');
    endpoint.always({ json: { decision: 'ALLOW' } });
    const operator = await site.signedIn('operator');
    const fields = (html: string) =>
      Object.fromEntries(
        [...html.slice(html.indexOf('test-part')).matchAll(/name="(csrf|once)"\s+value="([^"]+)"/g)]
          .slice(0, 2)
          .map(([, name = '', value = '']) => [name, value]),
      );
    const page = await operator.get(`${PAGES}/${id}`);
    const first = await operator.post(`${PAGES}/${id}/test`, fields(page.html), { 'hx-request': 'true' });
    expect(first.html.trim()).toMatch(/^<div class="part" id="test-part">/);
    expect(first.html).not.toContain('<html');
    expect(first.html).toContain('A flow would go on');
    const second = await operator.post(`${PAGES}/${id}/test`, fields(first.html), { 'hx-request': 'true' });
    expect(second.html).toContain('Test again');
    const repeated = await operator.post(`${PAGES}/${id}/test`, fields(first.html), { 'hx-request': 'true' });
    expect(repeated.status).toBe(409);
    expect(repeated.headers.get('hx-retarget')).toBe('main');
    expect(endpoint.requests).toHaveLength(2);
  });

  it('says what the fallback would do when nobody answers', async () => {
    const id = await made('Silent');
    endpoint.queue({ status: 500, body: 'no' });
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}`);
    const page = await submitTo(operator, `${PAGES}/${id}/test`);
    expect(page.html).toContain('The fallback decided:');
    expect(page.html).toContain('Status 500');
  });

  it('counts the decisions of the last 24 hours and shows the log with request and answer', async () => {
    const id = await made('Busy');
    const now = site.clock.now();
    const entry = (n: number, change: object) => ({
      id: `evt_${id}_${n}`,
      environment_id: site.environment.id,
      interceptor_id: id,
      at: now - n * 60_000,
      trigger_point: 'PRE_SIGNUP' as const,
      request: JSON.stringify({ user: { name: '<script>alert(1)</script>' } }),
      response_status: 200,
      response_body: '{"decision":"ALLOW","note":"<script>alert(2)</script>"}',
      failure: null,
      decision: 'ALLOW' as const,
      duration_ms: 41,
      ...change,
    });
    const failed = { failure: 'It answered 500.', response_status: 500, decision: 'DENY' as const };
    await site.services.db.transaction(async (tx) =>
      rows(tx, 'interceptor_logs').insert(
        entry(1, {}),
        entry(2, {}),
        entry(3, { decision: 'DENY' as const }),
        entry(4, failed),
        entry(60 * 25, {}),
      ),
    );
    const operator = await site.signedIn('operator');
    const list = await operator.get(PAGES);
    expect(list.html).toContain('2 allowed, 1 denied, 1 failed');
    const page = await operator.get(`${PAGES}/${id}`);
    expect(page.html).toContain('5 in all');
    expect(page.html).toContain('The fallback decided: It answered 500.');
    expect(page.html).toContain('&lt;script&gt;alert(1)');
    expect(page.html).toContain('&lt;script&gt;alert(2)');
    expect(page.html).not.toContain('<script>alert');
  });

  it('deletes one after its name was typed', async () => {
    const id = await made('Gone');
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}/delete`);
    expect((await submitTo(operator, `${PAGES}/${id}/delete`, { typed_name: 'gone' })).status).toBe(400);
    expect(await submitTo(operator, `${PAGES}/${id}/delete`, { typed_name: 'Gone' })).toMatchObject({
      status: 303,
      location: PAGES,
    });
    expect((await operator.get(`${PAGES}/${id}`)).status).toBe(404);
  });

  it('offers no change of an interceptor that gatehouse.yaml declares', async () => {
    const input = {
      name: 'Filed',
      trigger_point: 'PRE_SIGNUP',
      endpoint: 'https://h.example.com',
      fallback: 'block',
    };
    await site.services.interceptors.synchronize(site.environment.id, [input]);
    const [filed] = (await site.services.interceptors.list(site.environment.id, {})).interceptors.filter(
      ({ name }) => name === 'Filed',
    );
    const operator = await site.signedIn('operator');
    const page = await operator.get(`${PAGES}/${filed?.id}`);
    expect(page.html).toContain('This interceptor is declared in gatehouse.yaml.');
    expect(page.html).not.toContain(`${filed?.id}/disable`);
    const other = await made('Free');
    await operator.get(`${PAGES}/${other}`);
    const form = Object.fromEntries(
      [...(operator.shown?.html ?? '').matchAll(/name="(csrf|once)"\s+value="([^"]+)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
    const refused = await operator.post(`${PAGES}/${filed?.id}/disable`, form);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('is declared in gatehouse.yaml. Change it there.');
  });

  it.each(['owner', 'admin'] as const)('shows a person with the role %s no interceptors', async (who) => {
    const id = await made(`Hidden from ${who}`);
    const person = await site.signedIn(who);
    for (const path of [
      PAGES,
      `${PAGES}/new`,
      `${PAGES}/${id}`,
      `${PAGES}/signing-secret`,
      `${PAGES}/${id}/delete`,
    ]) {
      const page = await person.get(path);
      expect(page.status).toBe(403);
      expect(page.html).not.toContain('Hidden from');
    }
    for (const verb of ['test', 'enable', 'disable', 'delete'])
      expect((await person.post(`${PAGES}/${id}/${verb}`, {})).status).toBe(403);
    expect((await person.post(`${PAGES}/signing-secret/show`, {})).status).toBe(403);
    expect(endpoint.requests).toEqual([]);
  });
});

describe('dashboard: signing secret', () => {
  const PAGE = `${PAGES}/signing-secret`;

  it('appears only as the answer to the button, and its rotation says how long both sign', async () => {
    const operator = await site.signedIn('operator');
    const { secret } = await site.services.signingSecrets.show(site.local);
    expect((await operator.get(PAGE)).html).not.toContain(secret);
    const shown = (await submitTo(operator, `${PAGE}/show`)).html;
    expect(shown).toContain(`>SIGNING_SECRET=${secret}<`);
    expect(shown).toContain('Operators can show it here again.');
    expect(shown).not.toContain('cannot be shown again');
    await operator.get(PAGE);
    const rotated = await submitTo(operator, `${PAGE}/rotate`);
    expect(rotated.html).not.toContain(secret);
    expect(rotated.html).toContain(
      'Requests are also signed with each secret that was replaced in the last 24 hours, until 2026-11-21 12:00 UTC at the latest.',
    );
    const { secret: after } = await site.services.signingSecrets.show(site.local);
    expect(rotated.html).toContain(after);
    const audit = await rows(site.services.db.read, 'audit').list(site.environment.id, { orderBy: ['id'] });
    const own = await site.userOf('operator');
    expect(
      audit
        .filter((line) => line.actor === own && line.action.startsWith('signing'))
        .map(({ action }) => action),
    ).toEqual(['signing_secret.read', 'signing_secret.rotate']);
  });

  it('asks for a new sign-in when the session is older than ten minutes', async () => {
    const operator = await site.signedIn('operator');
    const form = await operator.get(PAGE);
    site.clock.advance(11 * 60_000);
    const expected = `/sign-in?${new URLSearchParams({ again: '1', next: PAGE }).toString()}`;
    expect((await operator.get(PAGE)).location).toBe(expected);
    operator.shown = form;
    expect((await submitTo(operator, `${PAGE}/show`)).location).toBe(expected);
  });
});
