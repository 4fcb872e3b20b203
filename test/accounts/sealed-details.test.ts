import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SealedDetails } from '../../src/accounts/sealed-details.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { Vault } from '../../src/vault/vault.ts';
import { connectedAccount, machine, testServices } from '../support/services.ts';
import { storedForm } from '../support/stored-rows.ts';

/** Opening is what the cache saves. */
class CountingVault extends Vault {
  opened: string[] = [];

  override async open(place: Parameters<Vault['open']>[0], sealed: string): Promise<string> {
    this.opened.push(place.row);
    return super.open(place, sealed);
  }
}

describe('cache of opened credentials', () => {
  let vault: CountingVault;
  let sealed: SealedDetails;
  beforeEach(() => {
    vault = new CountingVault([{ id: 'k1', bytes: randomBytes(32) }]);
    sealed = new SealedDetails(vault);
  });
  const account = async (id: string) => ({
    id,
    credentialsSealed: await sealed.seal(id, { static_auth: { details: { api_key: id } } }),
  });

  it('opens the credentials of an account once', async () => {
    const row = await account('ca_1');
    for (let i = 0; i < 3; i++)
      expect(await sealed.open(row)).toEqual({ static_auth: { details: { api_key: 'ca_1' } } });
    expect(vault.opened).toEqual(['ca_1']);
  });

  it('opens the credentials again after they have been replaced', async () => {
    const row = await account('ca_1');
    await sealed.open(row);
    const replaced = { id: 'ca_1', credentialsSealed: await sealed.seal('ca_1', { trusted_idp: {} }) };
    expect(await sealed.open(replaced)).toEqual({ trusted_idp: {} });
  });

  it('opens the credentials again after they were forgotten', async () => {
    const row = await account('ca_1');
    await sealed.open(row);
    sealed.forget('ca_1');
    await sealed.open(row);
    expect(vault.opened).toEqual(['ca_1', 'ca_1']);
  });

  it('keeps the credentials of 1000 accounts and drops those opened longest ago', async () => {
    const rows = await Promise.all(Array.from({ length: 1_001 }, async (_, i) => account(`ca_${i}`)));
    for (const row of rows) await sealed.open(row);
    vault.opened = [];
    for (const row of rows.slice(1)) await sealed.open(row);
    expect(vault.opened).toEqual([]);
    for (const row of rows.slice(0, 1)) await sealed.open(row);
    expect(vault.opened).toEqual(['ca_0']);
  });
});

it.each(['deleted', 'disconnected'])(
  'forgets the opened credentials of an account that is %s',
  async (how) => {
    const services = await testServices();
    const { id } = await connectedAccount(services);
    const row = await services.db.read.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
    if (how === 'deleted') await services.disconnection.remove(machine, { id });
    else await services.disconnection.disconnect(machine, id);

    await services.db.transaction(async (tx) => {
      await rows(tx, 'accounts').delete(row.environment_id, id);
      await new AccountStore(tx).insert(storedForm('accounts', row));
    });
    const open = vi.spyOn(services.vault, 'open');
    await services.accounts.describe(machine, { id });
    expect(open).toHaveBeenCalledOnce();
  },
);
