/** Ways of browsers to a provider and back: found by state, claimed once, removed when they are over. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Retention } from '../../../src/operations/retention.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { OAuthFlowStore } from '../../../src/store/accounts/oauth-flow-store.ts';
import { RateLimiter } from '../../../src/store/records/rate-limiter.ts';
import { consentServices } from '../../links/consent/consent-support.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import type { StoredForm } from '../../../src/store/tables/column-types.ts';
import type { OAuthFlowTable } from '../../../src/store/tables/tables.ts';
import type { OAuthFlow } from '../../../src/store/accounts/oauth-flow.ts';

const DAY_MS = 86_400_000;

forEachDatabase((_name, open) => {
  let db: Database;
  let flow: StoredForm<OAuthFlowTable>;
  /** The flow as the program sees it. */
  let found: OAuthFlow;

  beforeEach(async () => {
    db = await open();
    const services = await consentServices({ db });
    await services.link();
    const link = await db.read.selectFrom('links').selectAll().executeTakeFirstOrThrow();
    flow = {
      id: 'flw_1',
      environment_id: 'env_test',
      account_id: link.account_id,
      link_id: link.id,
      connection_id: 'conn_1',
      state_hash: 'state-hash',
      browser_hash: 'browser-hash',
      verifier_sealed: null,
      token_url: 'https://login.ledger.example/token',
      issuer: 'https://login.ledger.example',
      issuer_required: 0,
      redirect_uri: 'https://gate.example/cb',
      scopes: '["a"]',
      api_config: '{}',
      created_at: 1,
      expires_at: 2,
      consumed_at: null,
    };
    found = {
      id: 'flw_1',
      environmentId: 'env_test',
      accountId: link.account_id,
      linkId: link.id,
      connectionId: 'conn_1',
      browserHash: 'browser-hash',
      verifierSealed: null,
      tokenUrl: 'https://login.ledger.example/token',
      issuer: 'https://login.ledger.example',
      isIssuerRequired: false,
      redirectUri: 'https://gate.example/cb',
      scopes: ['a'],
      apiConfig: {},
      expiresAt: 2,
      consumedAt: null,
    };
    await insert(flow);
  });

  const insert = async (row: StoredForm<OAuthFlowTable>): Promise<void> =>
    db.transaction(async (tx) => rows(tx, 'oauth_flows').insert(row));
  const claim = async (environmentId = 'env_test', id = 'flw_1', now = 7) =>
    db.transaction(async (tx) => new OAuthFlowStore(tx).claim(environmentId, id, now));

  describe('stored OAuth flow of a link', () => {
    it('belongs to its state, in its environment only', async () => {
      const store = new OAuthFlowStore(db.read);
      expect(await store.findByState('env_test', 'state-hash')).toEqual(found);
      expect(await store.findByState('env_other', 'state-hash')).toBeUndefined();
      expect(await store.findByState('env_test', 'another')).toBeUndefined();
    });

    it('accepts one claim, and can still be found afterwards', async () => {
      expect(await claim()).toEqual({ ...found, consumedAt: 7 });
      expect(await claim()).toBeUndefined();
      expect(await new OAuthFlowStore(db.read).findByState('env_test', 'state-hash')).toMatchObject({
        consumedAt: 7,
      });
    });

    it('accepts one of many concurrent claims', async () => {
      const claims = await Promise.all(Array.from({ length: 20 }, async () => claim()));
      expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(1);
    });

    it('accepts a claim in its environment only', async () => {
      expect(await claim('env_other')).toBeUndefined();
      expect(await claim()).toBeDefined();
    });

    it('refuses a second flow with the same state', async () => {
      await expect(insert({ ...flow, id: 'flw_2' })).rejects.toThrow();
    });

    it('disappears with its link and its account', async () => {
      await db.transaction(async (tx) => tx.deleteFrom('links').execute());
      expect(await db.read.selectFrom('oauth_flows').selectAll().execute()).toEqual([]);
    });
  });

  it('removes OAuth flows a day after they expire, claimed or not, and no others', async () => {
    const clock = fixedClock();
    const over = clock.now() - DAY_MS;
    await insert({ ...flow, id: 'flw_old', state_hash: 'a', expires_at: over - 1, consumed_at: 1 });
    await insert({ ...flow, id: 'flw_recent', state_hash: 'b', expires_at: over });
    await insert({ ...flow, id: 'flw_open', state_hash: 'c', expires_at: clock.now() + 1 });
    const retention = new Retention(db, new RateLimiter(db, clock), clock, {
      executionsMs: DAY_MS,
      summariesMs: 400 * DAY_MS,
      interceptorLogsMs: DAY_MS,
      webhookDeliveriesMs: DAY_MS,
    });
    expect(await retention.run()).toMatchObject({ oauthFlows: 2 });
    const left = await db.read.selectFrom('oauth_flows').select('id').orderBy('id').execute();
    expect(left).toEqual([{ id: 'flw_open' }, { id: 'flw_recent' }]);
  });
});
