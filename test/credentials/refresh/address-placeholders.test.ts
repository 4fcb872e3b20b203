/** Token requests of accounts whose provider has an address for each: the one that filled the consent's address. */
import { rows } from '../../../src/store/engine/rows.ts';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_ID, machine, type Services } from '../../support/services.ts';
import { callLedger, ledgerServices } from './ledger.ts';

const RULES = {
  token_url: 'https://{domain}/token',
  authorization_url: 'https://{domain}/authorize',
  revocation_url: 'https://{domain}/revoke',
  placeholders: { domain: '[a-z]+\\.ledger\\.example' },
};

/** An account whose token has run out. */
async function expired(account: { domain?: string; config?: object }, params: object = {}) {
  const services: Services = await ledgerServices({ rules: RULES });
  await services.db.transaction(async (tx) => {
    await tx
      .updateTable('connections')
      .set({ params: JSON.stringify(params) })
      .execute();
  });
  const { id } = await services.accounts.create(machine, {
    connector: 'ledger',
    identifier: 'ada',
    connected_account: {
      authorization_details: {
        oauth_token: {
          access_token: 'at-0',
          refresh_token: 'rt-0',
          ...(account.domain !== undefined && { domain: account.domain }),
        },
      },
      token_expires_at: new Date(services.clock.now() - 1).toISOString(),
    },
  });
  // Written past the check, as by a version that had none.
  const api_config = JSON.stringify(account.config ?? {});
  await services.db.transaction(async (tx) =>
    rows(tx, 'accounts').update(ENVIRONMENT_ID, id, { api_config }),
  );
  return { services, id };
}

describe("token refresh: provider's address with placeholders", () => {
  it.each([
    ['of api_config', { config: { domain: 'a.ledger.example' }, domain: 'b.ledger.example' }, {}, 'a'],
    ['of the token', { domain: 'b.ledger.example' }, { domain: 'c.ledger.example' }, 'b'],
    ['of the connection', {}, { domain: 'c.ledger.example' }, 'c'],
  ])('sends the refresh token to the address %s', async (_case, account, params, name) => {
    const { services, id } = await expired(account, params);
    await callLedger(services, id);
    expect(services.tokens.requests.map(({ kind, client }) => [kind, client.tokenUrl])).toEqual([
      ['refresh', `https://${name}.ledger.example/token`],
    ]);
  });

  it.each([
    ['missing', {}],
    ['wrong', { config: { domain: 'evil.example' } }],
    ['wrong and hides another', { config: { domain: 'evil.example' }, domain: 'b.ledger.example' }],
  ])(
    'sends the refresh token nowhere where the address is %s: the account stays as it is',
    async (_case, account) => {
      const { services, id } = await expired(account);
      await expect(callLedger(services, id)).rejects.toMatchObject({ code: 'TOOL_ERROR' });
      expect(services.tokens.requests).toEqual([]);
      const row = await services.db.read.selectFrom('accounts').select('status').executeTakeFirstOrThrow();
      expect(row.status).toBe('ACTIVE');
    },
  );
});

it('sends a revocation to the address of the account', async () => {
  const { services, id } = await expired({ domain: 'b.ledger.example' });
  await services.disconnection.disconnect(machine, id);
  await services.revocation.settled();
  expect(services.tokens.requests.map(({ kind, client }) => [kind, client.revocationUrl])).toEqual([
    ['revoke', 'https://b.ledger.example/revoke'],
    ['revoke', 'https://b.ledger.example/revoke'],
  ]);
});
