/** Credentials that are minted go the way of refresh tokens, except that nothing is spent by asking again. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/catalog/model/types.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { tokenFailure } from '../../support/fake-token-endpoint.ts';
import { machine, testServices, type Services } from '../../support/services.ts';
import { callLedger, ledgerCatalog, rowOf, storedAccount, sentTokens, setColumns } from './ledger.ts';

const HOUR_MS = 3_600_000;
const LONG_AGO = 1_000;

/** The ledger, called with client credentials. */
function mintingCatalog(): Catalog {
  const ledger = ledgerCatalog().connectors.get('ledger')!;
  const auth = {
    type: 'OAUTH_M2M' as const,
    fields: [],
    oauth_m2m: {
      token_url: 'https://login.ledger.example/token',
      scopes: [],
      scope_separator: ' ' as const,
      token_parameters: {},
      client_authentication: 'post' as const,
    },
  };
  return {
    connectors: new Map([['ledger', { ...ledger, auth: [auth], needsNoOperator: true }]]),
    tools: ledgerCatalog().tools,
  };
}

forEachDatabase((_, open) => {
  let services: Services;
  let id: string;
  beforeEach(async () => {
    services = await testServices({ db: await open(), catalog: mintingCatalog() });
    await services.connections.update(machine, 'ledger', { client_id: 'c', client_secret: 's' });
    id = (await services.accounts.create(machine, { connector: 'ledger', identifier: 'ada' })).id;
  });
  const call = async (by = services) => callLedger(by, id);
  const row = async () => rowOf(services, id);

  describe('minted access tokens', () => {
    it('mints once for 200 calls in two processes, and again when the token has run out', async () => {
      const { db, vault, clock, tokens } = services;
      const other = await testServices({ db, vault, clock, tokens, catalog: mintingCatalog() });
      await Promise.all([
        ...Array.from({ length: 100 }, async () => call()),
        ...Array.from({ length: 100 }, async () => call(other)),
      ]);
      expect(services.tokens.presented('mint')).toEqual(['client_credentials']);
      expect(new Set([...sentTokens(services), ...sentTokens(other)])).toEqual(new Set(['at-1']));
      services.clock.advance(HOUR_MS);
      await call();
      expect(services.tokens.presented('mint')).toHaveLength(2);
      expect(sentTokens(services).at(-1)).toBe('at-2');
    });

    it('leaves no mark of an unknown outcome: each attempt may ask twice', async () => {
      for (const round of [1, 2, 3]) {
        services.tokens.answers.push(tokenFailure('unknown'), tokenFailure('unknown'));
        await expect(call()).rejects.toMatchObject({ toolError: { code: 'TOKEN_REFRESH_FAILED' } });
        expect(services.tokens.presented('mint')).toHaveLength(2 * round);
        expect(await row()).toMatchObject({
          status: 'ACTIVE',
          refresh_state: 'idle',
          failed_attempts: round,
          failed_reason: 'unknown',
        });
        await setColumns(services, id, { failed_until: LONG_AGO });
      }
      await call();
      expect(await row()).toMatchObject({ failed_attempts: 0, failed_reason: null, generation: 2 });
    });

    it('cools down after a failure as any renewal does', async () => {
      services.tokens.answers.push(tokenFailure('client_refused', { status: 401 }));
      await expect(call()).rejects.toMatchObject({ toolError: { retry_after: 1 } });
      await expect(call()).rejects.toMatchObject({ toolError: { retry_after: 1 } });
      expect(services.tokens.presented('mint')).toHaveLength(1);
    });

    it('stores nothing for an account that was disconnected meanwhile', async () => {
      services.tokens.answers.push(async () => {
        await services.disconnection.disconnect(machine, id);
        return {};
      });
      await expect(call()).rejects.toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
      expect(await row()).toMatchObject({ status: 'DISCONNECTED', credentials_sealed: null });
    });

    it('keeps the token out of every answer', async () => {
      await call();
      const selector = { connection: 'ledger', identifier: 'ada' };
      expect((await services.accounts.describe(machine, selector)).authorization_details).toEqual({});
      expect((await services.credentialAccess.describe(machine, selector)).authorization_details).toEqual({});
      expect((await services.sealed.open(await storedAccount(services, id))).internal).toMatchObject({
        access_token: 'at-1',
      });
    });

    it('refuses internal details that a caller gives', async () => {
      const input = {
        connector: 'ledger',
        identifier: 'ada',
        connected_account: { authorization_details: { internal: { access_token: 'mine' } } },
      };
      await expect(services.accounts.update(machine, input)).rejects.toMatchObject({
        details: {
          field_violations: [
            { field: 'connected_account.authorization_details.internal', constraint: 'unknown' },
          ],
        },
      });
    });
  });
});
