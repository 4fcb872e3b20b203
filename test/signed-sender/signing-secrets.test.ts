import { beforeEach, describe, expect, it } from 'vitest';
import { SigningSecrets } from '../../src/signed-sender/signing-secrets.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { Vault } from '../../src/vault/vault.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { admin, auditLines, testVault, withEnvironments } from '../interceptors/support.ts';

const HOUR = 3_600_000;

forEachDatabase((_name, open) => {
  let db: Database;
  let clock: FixedClock;
  let secrets: SigningSecrets;

  beforeEach(async () => {
    db = await withEnvironments(await open());
    clock = fixedClock();
    secrets = new SigningSecrets({ db, vault: testVault(), clock });
  });

  describe('signing secret of webhooks and interceptors', () => {
    it('makes the secret on first need, once for all processes, one per environment', async () => {
      const processes = [secrets, new SigningSecrets({ db, vault: testVault(), clock })];
      const asked = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => processes[n % 2]?.signing('env_1')),
      );
      expect(new Set(asked.map((live) => JSON.stringify(live))).size).toBe(1);
      expect(await secrets.signing('env_1')).toEqual([expect.stringMatching(/^whsec_/)]);
      expect(await secrets.signing('env_2')).not.toEqual(await secrets.signing('env_1'));
      expect(await db.read.selectFrom('signing_secrets').selectAll().execute()).toHaveLength(2);
    });

    it('stores the secret sealed in the database', async () => {
      const [secret = ''] = await secrets.signing('env_1');
      const [row] = await db.read.selectFrom('signing_secrets').selectAll().execute();
      expect(JSON.stringify(row)).not.toContain(secret.slice('whsec_'.length));
      const place = { table: 'signing_secrets', row: row?.id ?? '', column: 'secret_sealed' };
      expect(await testVault().open(place, row?.secret_sealed ?? '')).toBe(secret);
    });

    it('shows the secret to an administrator, and audits each look', async () => {
      const shown = await secrets.show(admin);
      expect(shown).toEqual({ secret: (await secrets.signing('env_1'))[0], previous_until: null });
      expect(await auditLines(db)).toEqual([
        expect.stringMatching(/^cred_admin signing_secret\.read sec_\w+ 192\.0\.2\.7$/),
      ]);
    });
  });

  describe('signing secret: rotation', () => {
    it('gives a new secret that signs first, and keeps the old one for 24 h', async () => {
      const [old] = await secrets.signing('env_1');
      const rotated = await secrets.rotate(admin);
      expect(rotated).toEqual({
        secret: expect.stringMatching(/^whsec_/),
        previous_until: '2026-11-21T12:00:00.000Z',
      });
      expect(await secrets.signing('env_1')).toEqual([rotated.secret, old]);
      clock.advance(24 * HOUR - 1);
      expect(await secrets.signing('env_1')).toEqual([rotated.secret, old]);
      expect(await secrets.show(admin)).toEqual(rotated);
      clock.advance(1);
      expect(await secrets.signing('env_1')).toEqual([rotated.secret]);
      expect(await secrets.show(admin)).toEqual({ secret: rotated.secret, previous_until: null });
    });

    it('writes the rotation into the audit log', async () => {
      await secrets.rotate(admin);
      expect(await auditLines(db)).toEqual([
        expect.stringMatching(/^cred_admin signing_secret\.rotate sec_\w+ 192\.0\.2\.7$/),
      ]);
    });

    it('reaches other processes at once', async () => {
      const other = new SigningSecrets({ db, vault: testVault(), clock });
      await other.signing('env_1');
      const { secret } = await secrets.rotate(admin);
      expect((await other.signing('env_1'))[0]).toBe(secret);
    });

    it('keeps no old secret when nothing was signed before the rotation', async () => {
      const { secret, previous_until } = await secrets.rotate(admin);
      expect([await secrets.signing('env_1'), previous_until]).toEqual([[secret], null]);
    });

    it('does not lengthen the life of a secret that ends sooner', async () => {
      const [first] = await secrets.signing('env_1');
      await secrets.rotate(admin);
      clock.advance(20 * HOUR);
      await secrets.rotate(admin);
      clock.advance(4 * HOUR);
      expect(await secrets.signing('env_1')).toHaveLength(2);
      expect(await secrets.signing('env_1')).not.toContain(first);
    });

    it('limits the number of signatures when the secret is rotated many times in a day', async () => {
      for (let n = 0; n < 12; n++) {
        clock.advance(1);
        await secrets.rotate(admin);
      }
      expect(await secrets.signing('env_1')).toHaveLength(10);
    });
  });

  describe('signing secret: unreadable in the database', () => {
    const withOtherKey = () =>
      new SigningSecrets({ db, clock, vault: new Vault([{ id: 'k2', bytes: Buffer.alloc(32, 9) }]) });

    it('fails with an error until a rotation replaces the secret', async () => {
      await secrets.signing('env_1');
      const other = withOtherKey();
      await expect(other.signing('env_1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(other.show(admin)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      const { secret } = await other.rotate(admin);
      expect(await other.signing('env_1')).toEqual([secret]);
    });
  });
});
