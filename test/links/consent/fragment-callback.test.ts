/** A callback whose answer stands in the fragment, in mode `app`: first looked at, then handed in by its page. */
import { describe, expect, it } from 'vitest';
import type { Connector } from '../../../src/catalog/model/types.ts';
import { BROWSER, consentServices, ENVIRONMENT, type ConsentServices } from './consent-support.ts';

const BOARD: Partial<Connector> = {
  auth: [
    {
      type: 'BOARD_OAUTH1',
      fields: [],
      board_oauth1: {
        flow: 'token',
        authorization_url: 'https://login.ledger.example/authorize',
        scopes: [],
        scope_separator: ',',
        authorize_parameters: {},
        attach: 'query',
      },
    },
  ],
};

const open = async () =>
  consentServices({ connector: BOARD, connection: { authorization_type: 'BOARD_OAUTH1' } });

/** Sends a browser out. @returns the query that it comes back with */
async function outAndBack({ link, go }: ConsentServices): Promise<URLSearchParams> {
  return new URL((await go(await link())).searchParams.get('return_url') ?? '').searchParams;
}

const awaited = async (
  { consents }: ConsentServices,
  query: URLSearchParams,
  at = 'conn_1',
  browser = BROWSER,
) => consents.awaitedFragment(ENVIRONMENT, at, query, browser);
const handIn = async (
  { consents }: ConsentServices,
  query: URLSearchParams,
  posted: Record<string, string>,
) => consents.finishFragment(ENVIRONMENT, 'conn_1', { query, posted: new URLSearchParams(posted) }, BROWSER);

describe('OAuth callback with its answer in the fragment', () => {
  it('hands in the answer, and makes the token wait for the customer’s app', async () => {
    const services = await open();
    const query = await outAndBack(services);
    expect(await awaited(services, query)).toEqual({
      connectorTitle: 'Ledger',
      submitOrigin: 'https://app.example',
    });
    const { redirectTo } = await handIn(services, query, { token: 'token-1', error: '' });
    expect(redirectTo).toMatch(/^https:\/\/app\.example\/verify\?auth_request_id=[\w-]{43}$/);
    const account = await services.account();
    expect([account.status, account.credentialsSealed]).toEqual(['PENDING_VERIFICATION', null]);
    expect(services.sent).toEqual([]);
  });

  it('does not spend the state when the page is only shown', async () => {
    const services = await open();
    const query = await outAndBack(services);
    await awaited(services, query);
    await awaited(services, query);
    await handIn(services, query, { token: 'token-1' });
    await expect(awaited(services, query)).rejects.toMatchObject({ kind: 'state' });
  });

  it('accepts one of ten answers at the same time', async () => {
    const services = await open();
    const query = await outAndBack(services);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, async (_, i) => handIn(services, query, { token: `token-${i}` })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('refuses the answer when the state has expired', async () => {
    const services = await open();
    const query = await outAndBack(services);
    services.clock.advance(600_000);
    await expect(awaited(services, query)).rejects.toMatchObject({ kind: 'expired' });
    await expect(handIn(services, query, { token: 't' })).rejects.toMatchObject({ kind: 'expired' });
  });

  it.each([
    ['another connection', 'conn_2', BROWSER, 'connection'],
    ['another browser', 'conn_1', 'X'.repeat(43), 'browser'],
  ])('refuses the page of the callback for %s', async (_case, connection, browser, kind) => {
    const services = await open();
    const query = await outAndBack(services);
    await expect(awaited(services, query, connection, browser)).rejects.toMatchObject({ kind });
  });

  it.each([
    ['token and error', { token: 't', error: 'denied' }],
    ['neither', { token: '', error: '' }],
  ])('refuses an answer with %s', async (_case, posted) => {
    const services = await open();
    const query = await outAndBack(services);
    await expect(handIn(services, query, posted)).rejects.toMatchObject({ kind: 'malformed' });
  });

  it.each(['two words', 'line\nbreak', 'ü', 'x'.repeat(4_097)])(
    'refuses a token such as %j',
    async (token) => {
      const services = await open();
      const query = await outAndBack(services);
      await expect(handIn(services, query, { token })).rejects.toMatchObject({ kind: 'bad_answer' });
    },
  );

  it('gives no token to a connection whose key was changed meanwhile', async () => {
    const services = await open();
    const query = await outAndBack(services);
    await services.change({ client_id: 'client-2' });
    await expect(handIn(services, query, { token: 't' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect((await services.account()).status).toBe('PENDING_AUTH');
  });
});

it('refuses to finish a flow with a code by a post', async () => {
  const services = await consentServices();
  const at = await services.go(await services.link());
  const query = new URLSearchParams({ state: at.searchParams.get('state') ?? '' });
  expect(await awaited(services, query)).toBeUndefined();
  await expect(handIn(services, query, { code: 'code-1' })).rejects.toMatchObject({ kind: 'malformed' });
  expect(services.sent).toEqual([]);
});
