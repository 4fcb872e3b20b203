import { beforeEach, describe, expect, it } from 'vitest';
import { linkProgress } from '../../src/links/link-progress.ts';
import {
  BROWSER,
  ENVIRONMENT_ID,
  machine,
  mcpCaller,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';

let services: Services;
beforeEach(async () => {
  services = await testServices();
});

const HOUR_MS = 3_600_000;
const call = { toolName: 'notes_search', input: { query: 'x' } };

const made = async (): Promise<string> => {
  const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
  return link.split('/connect/')[1] ?? '';
};
const csrfOf = async (token: string): Promise<string> =>
  (await services.links.open(ENVIRONMENT_ID, token, BROWSER)).page.csrf;
const decline = async (token: string): Promise<void> =>
  services.linkEnds.decline(ENVIRONMENT_ID, token, BROWSER, await csrfOf(token));

describe('link that its person declines', () => {
  it('ends, keeps the status of its account, and leaves an event', async () => {
    const token = await made();
    await decline(token);
    await expect(services.links.open(ENVIRONMENT_ID, token, BROWSER)).rejects.toMatchObject({
      kind: 'declined',
    });
    const { connected_accounts } = await services.accounts.list(machine, {});
    expect(connected_accounts[0]?.status).toBe('PENDING_AUTH');
    const events = await services.accounts.events(machine, connected_accounts[0]?.id ?? '');
    expect(events.at(-1)).toMatchObject({ from: 'PENDING_AUTH', to: 'PENDING_AUTH', cause: 'declined' });
    expect(await linkProgress(services.db, services.clock, ENVIRONMENT_ID, token)).toEqual({
      state: 'ended',
      why: 'declined',
    });
  });

  it.each([
    ['without the cookie of the page', undefined, undefined],
    ['with another CSRF token', BROWSER, 'x'.repeat(43)],
  ])('continues for a form %s', async (_what, browser, csrf) => {
    const token = await made();
    const given = csrf ?? (await csrfOf(token));
    await expect(services.linkEnds.decline(ENVIRONMENT_ID, token, browser, given)).rejects.toMatchObject({
      kind: 'csrf',
    });
    expect((await services.links.open(ENVIRONMENT_ID, token, BROWSER)).page.status).toBe('PENDING_AUTH');
  });

  it('cannot be declined after it was used', async () => {
    const token = await made();
    const csrf = await csrfOf(token);
    await submitForm(services, `/connect/${token}`, { api_key: 'key-1' });
    await expect(services.linkEnds.decline(ENVIRONMENT_ID, token, BROWSER, csrf)).rejects.toMatchObject({
      kind: 'used',
    });
  });
});

describe('answer of a call whose account its owner declined to connect', () => {
  const refusal = async (link?: { force: boolean }): Promise<Record<string, unknown>> => {
    const caller = mcpCaller('u1');
    const error: unknown = await services.executor
      .execute({ ...call, caller, account: {}, ...(link && { link }) })
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
    const { message, details } = error as { message: string; details: Record<string, unknown> };
    return { message, ...details };
  };

  it('says so for 24 hours and gives no link', async () => {
    await decline(await made());
    services.clock.advance(24 * HOUR_MS - 1);
    const answer = await refusal();
    expect(answer).toMatchObject({ status: 'PENDING_AUTH', declined_at: '2026-11-20T12:00:00.000Z' });
    expect(answer).not.toHaveProperty('authorization_link');
    expect(answer['message']).toBe(
      'Notes for u1 has not been connected yet. Its owner declined to connect it at 2026-11-20T12:00:00.000Z. ' +
        'Do not ask again unless they want it: no link is given until 2026-11-21T12:00:00.000Z.',
    );
  });

  it('gives a link again after 24 hours', async () => {
    await decline(await made());
    services.clock.advance(24 * HOUR_MS);
    const answer = await refusal();
    expect(answer).toHaveProperty('authorization_link');
    expect(answer).not.toHaveProperty('declined_at');
  });

  it('gives a link at once to a call that forces it', async () => {
    await decline(await made());
    expect(await refusal({ force: true })).toHaveProperty('authorization_link');
    expect(await refusal({ force: false })).toHaveProperty('declined_at');
  });

  it('forgets the refusal once the account is connected', async () => {
    await decline(await made());
    const token = await made();
    await submitForm(services, `/connect/${token}`, { api_key: 'key-1' });
    const { connected_accounts } = await services.accounts.list(machine, {});
    await services.disconnection.disconnect(machine, connected_accounts[0]?.id ?? '');
    expect(await refusal()).toHaveProperty('authorization_link');
  });
});

describe('requested_by of a link', () => {
  const shown = async (requested_by?: string) => {
    const { link } = await services.links.create(machine, {
      connector: 'notes',
      user_id: 'u1',
      ...(requested_by !== undefined && { requested_by }),
    });
    const { page } = await services.links.open(ENVIRONMENT_ID, link.split('/connect/')[1] ?? '', BROWSER);
    return { requester: page.requester, requestedBy: page.requestedBy };
  };

  it('stays a claim next to the name of the API credential', async () => {
    await services.db.transaction(async (tx) =>
      tx
        .insertInto('credentials')
        .values({
          id: machine.actor,
          environment_id: ENVIRONMENT_ID,
          name: 'Sales desk',
          client_id: 'sales',
          organization_id: '',
          scopes: 'admin',
          created_at: 1,
        })
        .execute(),
    );
    expect(await shown()).toEqual({ requester: 'Sales desk', requestedBy: null });
    expect(await shown('Assistant')).toEqual({ requester: 'Sales desk', requestedBy: 'Assistant' });
    expect(await shown('Sales desk')).toEqual({ requester: 'Sales desk', requestedBy: null });
  });

  it('may be missing, as the name of the caller', async () => {
    expect(await shown()).toEqual({ requester: null, requestedBy: null });
    expect(await shown('Assistant')).toEqual({ requester: null, requestedBy: 'Assistant' });
  });

  it.each([
    ['', 'min_length'],
    ['x'.repeat(81), 'max_length'],
    ['a\nb', 'characters'],
  ])('refuses %j by its %s', async (requested_by, constraint) => {
    await expect(shown(requested_by)).rejects.toMatchObject({
      details: { field_violations: [expect.objectContaining({ field: 'requested_by', constraint })] },
    });
  });
});
