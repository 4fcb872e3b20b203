/** What one of several callers may do once: use a code, accept an invitation, extend a session. */
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import { EmailCodeStore } from '../../../src/store/people/email-code-store.ts';
import { InvitationStore } from '../../../src/store/people/invitation-store.ts';
import { SessionStore } from '../../../src/store/people/session-store.ts';
import { forEachDatabase } from '../../support/databases.ts';

const NOW = 10_000;

forEachDatabase((_name, open) => {
  let db: Database;

  beforeEach(async () => {
    db = await open();
    await db.transaction(async (tx) => {
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
      await rows(tx, 'organizations').insert({
        id: 'org_1',
        environment_id: 'env_1',
        name: 'Acme',
        created_at: 1,
        updated_at: 1,
      });
    });
  });

  it('lets a code be used once, in its environment only', async () => {
    await db.transaction(async (tx) =>
      rows(tx, 'email_codes').insert({
        id: 'code_1',
        environment_id: 'env_1',
        email: 'ada@example.test',
        code_hash: 'h',
        browser_hash: 'b',
        ip: '',
        wrong_codes: 0,
        created_at: 1,
        expires_at: NOW + 1,
        used_at: null,
        network: null,
        known_browser: null,
      }),
    );
    const use = async (environmentId: string) =>
      db.transaction(async (tx) => new EmailCodeStore(tx).use(environmentId, 'code_1', NOW));
    expect([await use('env_2'), await use('env_1'), await use('env_1')]).toEqual([false, true, false]);
  });

  const invite = async (change: { revoked_at?: number; expires_at?: number }) =>
    db.transaction(async (tx) =>
      rows(tx, 'invitations').insert({
        id: 'inv_1',
        environment_id: 'env_1',
        organization_id: 'org_1',
        email: 'ada@example.test',
        role: 'member',
        token_hash: 'h',
        invited_by: 'cred_1',
        created_at: 1,
        expires_at: NOW + 1,
        accepted_at: null,
        revoked_at: null,
        ...change,
      }),
    );

  it.each([
    ['once while it is open', {}, [true, false]],
    ['never after it was revoked', { revoked_at: NOW - 1 }, [false, false]],
    ['never from the moment it expires', { expires_at: NOW }, [false, false]],
  ])('accepts an invitation %s', async (_case, change, expected) => {
    await invite(change);
    const claim = async () =>
      db.transaction(async (tx) => new InvitationStore(tx).claim('env_1', 'inv_1', NOW));
    expect([await claim(), await claim()]).toEqual(expected);
  });

  it.each([
    ['as long as it is live', { expires_at: NOW + 1, ended_at: null }, true],
    ['not from the moment it expires', { expires_at: NOW, ended_at: null }, false],
    ['not after it was ended', { expires_at: NOW + 1, ended_at: NOW - 1 }, false],
  ])('moves the end of a session %s', async (_case, times, expected) => {
    await db.transaction(async (tx) =>
      rows(tx, 'sessions').insert({
        id: 'ses_1',
        environment_id: 'env_1',
        kind: 'browser',
        user_id: 'usr_1',
        organization_id: '',
        client_id: '',
        resource: '',
        token_hash: 'h',
        connection_details: '[]',
        custom_claims: '{}',
        device: '{}',
        created_at: 1,
        ...times,
      }),
    );
    const extended = await db.transaction(async (tx) =>
      new SessionStore(tx).extend('env_1', 'ses_1', NOW + 99, NOW),
    );
    expect(extended).toBe(expected);
    const session = await rows(db.read, 'sessions').find('env_1', 'ses_1');
    expect(session?.expires_at).toBe(expected ? NOW + 99 : times.expires_at);
  });
});
