/** What is asked of links as a whole: when a listener that serves only them may close, and how one gets on. */
import { beforeEach, expect, it } from 'vitest';
import { rows } from '../../../src/store/engine/rows.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { AuthRequestStore } from '../../../src/store/accounts/auth-request-store.ts';
import { LinkStore } from '../../../src/store/accounts/link-store.ts';
import { OAuthFlowStore } from '../../../src/store/accounts/oauth-flow-store.ts';
import { forEachDatabase } from '../../support/databases.ts';
import type { VerificationMode } from '../../../src/core/environment.ts';

const NOW = 10_000;
const OVER = { expires_at: NOW, completed_at: null };
const USED = { expires_at: NOW + 1, completed_at: 5 };

forEachDatabase((_name, open) => {
  let db: Database;
  let made = 0;

  beforeEach(async () => {
    db = await open();
    await db.transaction(async (tx) => {
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
      await tx
        .insertInto('connections')
        .values({
          id: 'conn_1',
          environment_id: 'env_1',
          name: 'crm',
          connector: 'crm',
          authorization_type: 'OAUTH',
          client_id: null,
          client_secret_sealed: null,
          scopes: '[]',
          params: '{}',
          overrides: '{}',
          post_user_verify_redirect_url: null,
          managed_by: 'operator',
          created_at: 1,
          updated_at: 1,
        })
        .execute();
      await tx
        .insertInto('accounts')
        .values({
          id: 'ca_1',
          environment_id: 'env_1',
          connection_id: 'conn_1',
          organization_id: '',
          user_id: 'ada',
          identifier: 'ada',
          status: 'PENDING_AUTH',
          credentials_sealed: null,
          token_expires_at: null,
          api_config: '{}',
          generation: 1,
          lease_owner: null,
          lease_until: null,
          refresh_state: 'idle',
          failed_until: null,
          failed_attempts: 0,
          refusals: 0,
          last_used_at: null,
          created_at: 1,
          updated_at: 1,
        })
        .execute();
    });
  });

  const addLink = async (link: { expires_at: number; completed_at: number | null }): Promise<string> => {
    const id = `lnk_${(made += 1)}`;
    await db.transaction(async (tx) =>
      rows(tx, 'links').insert({
        id,
        environment_id: 'env_1',
        account_id: 'ca_1',
        token_hash: id,
        verification: 'none',
        user_verify_url: null,
        caller_state: null,
        scopes: '[]',
        created_by: 'local',
        trials: 0,
        created_at: 1,
        token_sealed: null,
        requester: null,
        requested_by: null,
        declined_at: null,
        ...link,
      }),
    );
    return id;
  };

  const addRequest = async (
    linkId: string,
    request: { expires_at: number; ended_at: number | null },
  ): Promise<void> =>
    db.transaction(async (tx) =>
      rows(tx, 'auth_requests').insert({
        id: 'arq_1',
        environment_id: 'env_1',
        account_id: 'ca_1',
        link_id: linkId,
        token_hash: 't',
        identifier: 'ada',
        waiting_sealed: null,
        waiting_expires_at: null,
        waiting_api_config: '{}',
        status_before: 'PENDING_AUTH',
        wrong_identifiers: 0,
        created_at: 1,
        ended_by: null,
        browser_hash: null,
        display_name_sealed: null,
        ...request,
      }),
    );

  const addFlow = async (
    linkId: string,
    flow: { expires_at: number; consumed_at: number | null; created_at?: number },
  ): Promise<string> => {
    const id = `flw_${(made += 1)}`;
    await db.transaction(async (tx) =>
      tx
        .insertInto('oauth_flows')
        .values({
          id,
          environment_id: 'env_1',
          account_id: 'ca_1',
          link_id: linkId,
          connection_id: 'conn_1',
          state_hash: id,
          browser_hash: 'browser',
          verifier_sealed: null,
          token_url: 'https://provider.example.test/token',
          issuer: 'https://provider.example.test',
          issuer_required: 0,
          redirect_uri: 'http://127.0.0.1:3000/sso/v1/oauth/conn_1/callback',
          scopes: '[]',
          api_config: '{}',
          created_at: 1,
          ...flow,
        })
        .execute(),
    );
    return id;
  };

  it('finds the latest OAuth flow of a link', async () => {
    const flow = { expires_at: NOW + 1, consumed_at: null };
    const [one, other] = [await addLink(USED), await addLink(USED)];
    expect(await new OAuthFlowStore(db.read).latestOfLink('env_1', one)).toBeUndefined();
    const late = await addFlow(one, { ...flow, created_at: 7 });
    await addFlow(one, { ...flow, created_at: 6 });
    await addFlow(other, { ...flow, created_at: 8 });
    expect((await new OAuthFlowStore(db.read).latestOfLink('env_1', one))?.id).toBe(late);
    expect(await new OAuthFlowStore(db.read).latestOfLink('env_2', one)).toBeUndefined();
  });

  it.each([
    ['a link nobody has used', { expires_at: NOW + 1, completed_at: null }, 1],
    ['a link whose time is over', { expires_at: NOW, completed_at: null }, 0],
    ['a link that was used', { expires_at: NOW + 1, completed_at: 5 }, 0],
  ])('decides whether %s counts as open', async (_case, link, expected) => {
    await addLink(link);
    expect(await new LinkStore(db.read).countOpen(NOW)).toBe(expected);
  });

  it.each([
    ['once while it is open', { expires_at: NOW + 1, completed_at: null }, [true, false]],
    ['never from the moment it expires', { expires_at: NOW, completed_at: null }, [false, false]],
  ])('completes a link %s', async (_case, link, expected) => {
    const id = await addLink(link);
    const complete = async () => db.transaction(async (tx) => new LinkStore(tx).complete('env_1', id, NOW));
    expect([await complete(), await complete()]).toEqual(expected);
  });

  it.each([
    ['while a person is asked', null, 'sealed'],
    ['not after the question has ended', 9, null],
  ])('notes what the provider calls an account %s', async (_case, ended_at, expected) => {
    await addRequest(await addLink(USED), { expires_at: NOW + 1, ended_at });
    await db.transaction(async (tx) => new AuthRequestStore(tx).setDisplayName('env_1', 'arq_1', 'sealed'));
    const request = await rows(db.read, 'auth_requests').find('env_1', 'arq_1');
    expect(request?.display_name_sealed).toBe(expected);
  });

  it('counts the credentials tried with a link up to a limit, for its environment only', async () => {
    const [id, other] = [await addLink(USED), await addLink(USED)];
    const count = async (environmentId: string, link: string): Promise<boolean> =>
      db.transaction(async (tx) => new LinkStore(tx).countTrial(environmentId, link, 2));
    expect(await count('env_2', id)).toBe(false);
    expect([await count('env_1', id), await count('env_1', id), await count('env_1', id)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await count('env_1', other)).toBe(true);
  });

  it.each([
    ['is under way', OVER, { expires_at: NOW + 1, consumed_at: null }, 1],
    ['has come back and is being exchanged', OVER, { expires_at: NOW + 1, consumed_at: 9 }, 1],
    ['has taken too long', OVER, { expires_at: NOW, consumed_at: null }, 0],
    ['comes second, from another tab', USED, { expires_at: NOW + 1, consumed_at: null }, 1],
    ['has completed the link', USED, { expires_at: NOW + 1, consumed_at: 9 }, 0],
  ])('decides whether a browser counts that %s', async (_case, link, flow, expected) => {
    await addFlow(await addLink(link), flow);
    expect(await new LinkStore(db.read).countOpen(NOW)).toBe(expected);
  });

  it('gives again the open link that lasts longest and does the same', async () => {
    const sealed = async (id: string, change: object = {}) =>
      db.transaction(async (tx) =>
        tx
          .updateTable('links')
          .set({ token_sealed: 's', ...change })
          .where('id', '=', id)
          .execute(),
      );
    const open = { expires_at: NOW + 10, completed_at: null };
    await addLink(open);
    await sealed(await addLink({ ...open, completed_at: NOW }));
    await sealed(await addLink(open), { caller_state: 'a' });
    await sealed(await addLink(open), { user_verify_url: 'https://app.example' });
    await sealed(await addLink(open), { scopes: '["a"]' });
    const short = await addLink({ ...open, expires_at: NOW + 5 });
    await sealed(short);
    const store = new LinkStore(db.read);
    const wanted = await db.read
      .selectFrom('links')
      .selectAll()
      .where('id', '=', short)
      .executeTakeFirstOrThrow();
    const found = async (until: number) =>
      (await store.findToGiveAgain({ ...wanted, scopes: '[]' }, until))?.id;
    expect(await found(NOW + 5)).toBe(short);
    expect(await found(NOW + 6)).toBeUndefined();
    const long = await addLink(open);
    await sealed(long);
    expect(await found(NOW + 5)).toBe(long);
    const account = { environmentId: 'env_1', id: 'ca_1' };
    expect(await store.nthNewestSince(account, 7, 0)).toBe(1);
    expect(await store.nthNewestSince(account, 8, 0)).toBeUndefined();
    expect(await store.nthNewestSince(account, 1, 1)).toBeUndefined();
  });

  it.each<[string, VerificationMode, { expires_at: number; ended_at: number | null }, number]>([
    ['who still has to confirm here', 'signed_in', { expires_at: NOW + 1, ended_at: null }, 1],
    ['who has confirmed', 'signed_in', { expires_at: NOW + 1, ended_at: 9 }, 0],
    ['who has taken too long', 'signed_in', { expires_at: NOW, ended_at: null }, 0],
    ['whom an app confirms', 'app', { expires_at: NOW + 1, ended_at: null }, 0],
  ])('decides whether an owner counts %s', async (_case, verification, request, expected) => {
    const link = await addLink(USED);
    await db.transaction(async (tx) => rows(tx, 'links').update('env_1', link, { verification }));
    await addRequest(link, request);
    expect(await new LinkStore(db.read).countOpen(NOW)).toBe(expected);
  });
});
