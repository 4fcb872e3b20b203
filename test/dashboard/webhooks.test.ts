import { beforeAll, describe, expect, it } from 'vitest';
import { newDelivery } from '../interceptors/support.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { openSite, submitTo, type Site } from './dashboard-site.ts';

const PAGES = '/dashboard/webhooks';

describe('dashboard: webhooks', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
  });

  async function made(name: string): Promise<string> {
    const events = ['connected_account.created'];
    const input = { name, url: 'https://hooks.example.com/a', events };
    return (await site.services.webhooks.create(site.local, input)).id;
  }

  /** Deliveries of a webhook, one for each change. */
  async function delivered(webhook: string, ...changes: object[]): Promise<void> {
    await site.services.db.transaction(async (tx) =>
      rows(tx, 'webhook_deliveries').insert(
        ...changes.map((change, n) => ({
          ...newDelivery({ webhook_id: webhook }),
          id: `whd_${webhook}_${n}`,
          event_id: `evt_${webhook}_${n}`,
          environment_id: site.environment.id,
          created_at: site.clock.now(),
          ...change,
        })),
      ),
    );
  }

  const statusesOf = async (id: string) =>
    (await site.services.deliveryLog.list(site.environment.id, id, {})).deliveries.map(
      ({ status }) => status,
    );

  const GIVEN_UP = { status: 'failed', attempts: 12, last_status: 503, next_attempt_at: null };

  it('creates one, and answers a refused form at its fields', async () => {
    const operator = await site.signedIn('operator');
    const form = await operator.get(`${PAGES}/new`);
    expect(form.html).toContain('The status of an account changed');
    const again = await submitTo(operator, `${PAGES}/new`, { name: '', url: 'http://10.0.0.1/"><i>' });
    expect(again.status).toBe(400);
    for (const name of ['Name', 'Address', 'Events']) expect(again.html).toContain(`">${name}: `);
    expect(again.html).toContain('value="http://10.0.0.1/&quot;&gt;&lt;i&gt;"');
    const created = await submitTo(operator, `${PAGES}/new`, {
      name: 'CRM sync',
      url: 'https://hooks.example.com/crm',
      events: 'connected_account.status_updated',
      enabled: 'true',
    });
    const page = await operator.get(created.location);
    expect(page.html).toContain('The webhook CRM sync was created.');
    expect(page.html).toContain('<code>connected_account.status_updated</code>');
    expect(page.html).not.toContain('<code>connected_account.created</code>');
    await operator.get(`${PAGES}/new`);
    const taken = await submitTo(operator, `${PAGES}/new`, {
      name: 'CRM sync',
      url: 'https://hooks.example.com/crm',
      events: 'connected_account.created',
    });
    expect(taken.html).toMatch(/id="f-name-wrong">\s*There is a webhook with this name already\./);
  });

  it('changes, disables and enables one', async () => {
    const id = await made('Switch');
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}/edit`);
    await submitTo(operator, `${PAGES}/${id}/edit`, {
      name: 'Switched',
      url: 'https://hooks.example.com/b',
      events: 'connected_account.deleted',
    });
    await operator.get(`${PAGES}/${id}`);
    await submitTo(operator, `${PAGES}/${id}/disable`);
    expect((await operator.get(`${PAGES}/${id}`)).html).toContain(
      'Events for Switched wait until it is enabled again.',
    );
    expect(await site.services.webhooks.get(site.environment.id, id)).toMatchObject({
      name: 'Switched',
      url: 'https://hooks.example.com/b',
      events: ['connected_account.deleted'],
      enabled: false,
    });
    await submitTo(operator, `${PAGES}/${id}/enable`);
    expect((await site.services.webhooks.get(site.environment.id, id)).enabled).toBe(true);
  });

  it('shows deliveries with their outcome, and only those with a status when asked', async () => {
    const id = await made('Told');
    const failure = 'It answered <script>alert(1)</script>.';
    await delivered(
      id,
      { ...GIVEN_UP, last_failure: failure, body: '{"note":"<script>alert(2)</script>"}' },
      { status: 'delivered', attempts: 1, last_status: 204, next_attempt_at: null },
    );
    const operator = await site.signedIn('operator');
    const page = await operator.get(`${PAGES}/${id}`);
    expect(page.html).toContain('12 attempts');
    expect(page.html).toContain('Status 204');
    expect(page.html).toMatch(
      /class="note bad">\s*<svg[^]*?<\/svg><span>It answered &lt;script&gt;alert\(1\)/,
    );
    expect(page.html).toContain('&lt;script&gt;alert(2)');
    expect(page.html).not.toContain('<script>alert');
    const failed = await operator.get(`${PAGES}/${id}?status=failed`);
    expect(failed.html).toContain('1 in all');
    expect(failed.html).not.toContain('Status 204');
    expect((await operator.get(`${PAGES}/${id}?status=pending`)).html).toContain(
      'No delivery has this status.',
    );
  });

  it('sends one delivery again, once for a double click', async () => {
    const id = await made('Again');
    await delivered(id, { status: 'delivered', attempts: 1, last_status: 200, next_attempt_at: null });
    const operator = await site.signedIn('operator');
    const page = await operator.get(`${PAGES}/${id}`);
    const path = `${PAGES}/${id}/deliveries/whd_${id}_0/redeliver`;
    expect((await submitTo(operator, path)).status).toBe(303);
    operator.shown = page;
    expect((await submitTo(operator, path)).status).toBe(409);
    expect((await statusesOf(id)).toSorted()).toEqual(['delivered', 'pending']);
    expect((await operator.get(`${PAGES}/${id}`)).html).toContain('The event is on its way.');
  });

  it('sends everything that was given up again', async () => {
    const id = await made('All');
    await delivered(id, GIVEN_UP, GIVEN_UP, { status: 'delivered', next_attempt_at: null });
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}`);
    await submitTo(operator, `${PAGES}/${id}/redeliver`);
    expect((await operator.get(`${PAGES}/${id}`)).html).toContain('2 events are on their way.');
    expect((await statusesOf(id)).filter((status) => status === 'pending')).toHaveLength(2);
  });

  it('deletes one after its name was typed in a fresh session', async () => {
    const id = await made('Gone');
    const operator = await site.signedIn('operator');
    const path = `${PAGES}/${id}/delete`;
    await operator.get(path);
    expect((await submitTo(operator, path, { typed_name: 'gone' })).status).toBe(400);
    site.clock.advance(11 * 60_000);
    expect((await submitTo(operator, path, { typed_name: 'Gone' })).location).toContain('/sign-in?again=1');
    const fresh = await site.signedIn('operator');
    await fresh.get(path);
    expect(await submitTo(fresh, path, { typed_name: 'Gone' })).toMatchObject({
      status: 303,
      location: PAGES,
    });
    expect((await fresh.get(`${PAGES}/${id}`)).status).toBe(404);
  });

  it('offers no change of a webhook that gatehouse.yaml declares', async () => {
    const input = {
      name: 'Filed',
      url: 'https://hooks.example.com/f',
      events: ['connected_account.created'],
    };
    await site.services.webhooks.synchronize(site.environment.id, [input]);
    const [filed] = (await site.services.webhooks.list(site.environment.id)).filter(
      ({ name }) => name === 'Filed',
    );
    const page = await (await site.signedIn('operator')).get(`${PAGES}/${filed?.id}`);
    expect(page.html).toContain('This webhook is declared in gatehouse.yaml.');
    expect(page.html).not.toContain(`${filed?.id}/disable`);
    expect(page.html).not.toContain(`${filed?.id}/edit`);
  });

  it.each(['owner', 'admin'] as const)('shows a person with the role %s no webhooks', async (who) => {
    const id = await made(`Hidden from ${who}`);
    const person = await site.signedIn(who);
    for (const path of [
      PAGES,
      `${PAGES}/new`,
      `${PAGES}/${id}`,
      `${PAGES}/${id}/edit`,
      `${PAGES}/${id}/delete`,
    ]) {
      const page = await person.get(path);
      expect(page.status).toBe(403);
      expect(page.html).not.toContain('hooks.example.com');
    }
    for (const verb of ['enable', 'disable', 'redeliver', 'delete', 'edit'])
      expect((await person.post(`${PAGES}/${id}/${verb}`, {})).status).toBe(403);
  });
});
