import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SessionStart } from '../../src/people/sessions.ts';
import { forEachDatabase } from '../support/databases.ts';
import {
  boundTo,
  foreigner,
  machine,
  makeMember,
  makeOrganization,
  makeUser,
  outcome,
  peopleServices,
  personIn,
  visitor,
  type PeopleServices,
} from './people-support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const byEmail = [{ id: '', type: 'PASSWORDLESS', provider: 'EMAIL' }] as const;

function startOf(userId: string, change: Partial<SessionStart> = {}): SessionStart {
  return {
    environmentId: 'env_dev',
    kind: 'browser',
    userId,
    organizationId: '',
    clientId: '',
    resource: '',
    visitor,
    connectionDetails: byEmail,
    actor: userId,
    ...change,
  };
}

/** What an ordinary client gets. */
const ofClient = { kind: 'client', clientId: 'client', resource: 'http://127.0.0.1:3000/mcp' } as const;

forEachDatabase((_name, open) => {
  async function adaIn(services: PeopleServices) {
    const { id, ownerId } = await makeOrganization(services, 'Acme', 'ada');
    return { organizationId: id, userId: ownerId };
  }

  describe('sign-in session: begin', () => {
    it('asks interceptors, keeps their claims, and writes the audit log', async () => {
      const services = await peopleServices(await open());
      const ada = await adaIn(services);
      services.policy.claims = { plan: 'gold' };
      const session = await services.sessions.begin(
        startOf(ada.userId, { ...ofClient, organizationId: ada.organizationId }),
      );
      const { cookie, ...kept } = session;
      expect(kept).toEqual({
        id: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
        environmentId: 'env_dev',
        kind: 'client',
        userId: ada.userId,
        organizationId: ada.organizationId,
        clientId: 'client',
        resource: 'http://127.0.0.1:3000/mcp',
        connectionDetails: byEmail,
        customClaims: { plan: 'gold' },
        device: { city: 'Lisbon', region: 'PT' },
        createdAt: Date.UTC(2026, 10, 20, 12),
        expiresAt: Date.UTC(2026, 11, 20, 12),
      });
      expect([cookie, await services.sessions.find('env_dev', session.id)]).toEqual(['', kept]);
      expect(services.policy.asked.at(-1)).toEqual({
        trigger: 'PRE_SESSION_CREATION',
        question: {
          environmentId: 'env_dev',
          actor: ada.userId,
          visitor,
          organizationId: ada.organizationId,
          connectionDetails: byEmail,
          user: expect.objectContaining({
            id: ada.userId,
            email: 'ada@example.test',
            memberships: [{ organization_id: ada.organizationId, status: 'ACTIVE' }],
          }),
        },
      });
      expect((await services.auditLines()).at(-1)).toBe(`${ada.userId} session.create ${session.id}`);
    });

    it('leaves nothing when interceptors say DENY', async () => {
      const services = await peopleServices(await open());
      const ada = await makeUser(services, 'ada');
      services.policy.denial = 'Not from there.';
      await expect(services.sessions.begin(startOf(ada))).rejects.toMatchObject({
        code: 'POLICY_DENIED',
        message: 'Not from there.',
      });
      expect((await services.apiSessions.list(machine)).total_size).toBe(0);
    });

    it("refuses strangers, and an organization that is not the person's", async () => {
      const services = await peopleServices(await open());
      const { userId } = await adaIn(services);
      const other = await makeOrganization(services, 'Other', 'bob');
      for (const start of [
        startOf('usr_nobody'),
        startOf(userId, { organizationId: other.id }),
        startOf(userId, { organizationId: 'acme' }),
        startOf(userId, { environmentId: 'env_prod' }),
      ])
        expect(await outcome(services.sessions.begin(start))).toBe('RESOURCE_NOT_FOUND');
      expect(services.policy.asked.filter(({ trigger }) => trigger === 'PRE_SESSION_CREATION')).toEqual([]);
    });

    it('fails for somebody who leaves while interceptors are asked', async () => {
      const services = await peopleServices(await open());
      const { organizationId } = await adaIn(services);
      const mike = await makeMember(services, organizationId, 'mike');
      services.policy.meanwhile = async () =>
        services.members.remove(machine, { organizationId, userId: mike });
      expect(await outcome(services.sessions.begin(startOf(mike, { organizationId })))).toBe(
        'RESOURCE_NOT_FOUND',
      );
      services.policy.meanwhile = async () => services.users.remove(machine, mike);
      expect(await outcome(services.sessions.begin(startOf(mike)))).toBe('RESOURCE_NOT_FOUND');
      expect((await services.apiSessions.list(machine)).total_size).toBe(0);
    });

    it('admits users of an application to a virtual server, and asks interceptors about those known here', async () => {
      const services = await peopleServices(await open());
      const ada = await makeUser(services, 'ada');
      const start = {
        kind: 'mcp_server',
        clientId: 'gh_1',
        resource: 'http://127.0.0.1:3000/mcp/crm',
      } as const;
      const session = await services.sessions.begin(startOf('customer-17', start));
      expect([session.userId, session.expiresAt, services.policy.asked]).toEqual([
        'customer-17',
        Date.UTC(2026, 10, 20, 13),
        [],
      ]);
      await services.sessions.begin(startOf(ada, start));
      expect(services.policy.asked).toHaveLength(1);
    });
  });

  describe('sign-in session of a browser', () => {
    it('finds the session by its cookie only, which is stored as a hash', async () => {
      const services = await peopleServices(await open());
      const { cookie, ...session } = await services.sessions.begin(startOf(await makeUser(services, 'ada')));
      expect(cookie).toMatch(/^[\w-]{43}$/);
      const { sessions } = services;
      expect([
        await sessions.findByCookie('env_dev', cookie),
        await sessions.findByCookie('env_prod', cookie),
        await sessions.findByCookie('env_dev', session.id),
        await sessions.findByCookie('env_dev', ''),
        await sessions.findByCookie('env_dev', 'x'.repeat(100_000)),
        await sessions.find('env_prod', session.id),
      ]).toEqual([session, undefined, undefined, undefined, undefined, undefined]);
      const rows = await services.db.read.selectFrom('sessions').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(cookie);
    });

    it('lives while it is used, and twelve hours at most', async () => {
      const services = await peopleServices(await open());
      const { cookie } = await services.sessions.begin(startOf(await makeUser(services, 'ada')));
      const ends = [];
      for (let time = 0; time < 20; time++) {
        services.clock.advance(45 * MINUTE);
        const found = await services.sessions.findByCookie('env_dev', cookie);
        ends.push(found && (found.expiresAt - found.createdAt) / MINUTE);
      }
      const alive = [105, 150, 195, 240, 285, 330, 375, 420, 465, 510, 555, 600, 645, 690, 720];
      expect(ends).toEqual([...alive, ...Array.from({ length: 5 }, () => undefined)]);
    });

    it('ends an hour after its last use', async () => {
      const services = await peopleServices(await open());
      const { cookie } = await services.sessions.begin(startOf(await makeUser(services, 'ada')));
      services.clock.advance(HOUR);
      expect(await services.sessions.findByCookie('env_dev', cookie)).toBeUndefined();
    });
  });

  describe('sign-in session with tokens', () => {
    it('lives thirty days after each refresh, and a hundred and eighty at most', async () => {
      const services = await peopleServices(await open());
      const { id } = await services.sessions.begin(startOf(await makeUser(services, 'ada'), ofClient));
      const days = [];
      for (let time = 0; time < 8; time++) {
        services.clock.advance(29 * DAY);
        const kept = await services.sessions.keepAlive('env_dev', id);
        days.push(kept && (kept.expiresAt - kept.createdAt) / DAY);
      }
      expect(days).toEqual([59, 88, 117, 146, 175, 180, undefined, undefined]);
    });

    it('keeps no session alive that has ended', async () => {
      const services = await peopleServices(await open());
      const ada = await makeUser(services, 'ada');
      const { id } = await services.sessions.begin(startOf(ada, ofClient));
      for (let time = 0; time < 2; time++) await services.sessions.end('env_dev', id, ada, '192.0.2.1');
      expect([
        await services.sessions.keepAlive('env_dev', id),
        await services.sessions.isLive('env_dev', id),
        (await services.auditLines()).filter((line) => line.includes('session.end')),
      ]).toEqual([undefined, false, [`${ada} session.end ${id}`]]);
    });

    it('ends the session in its own environment only', async () => {
      const services = await peopleServices(await open());
      const ada = await makeUser(services, 'ada');
      const { id } = await services.sessions.begin(startOf(ada, ofClient));
      await services.sessions.end('env_prod', id, ada, '');
      expect(await services.sessions.isLive('env_dev', id)).toBe(true);
    });

    it('tells role and operator as they are now', async () => {
      const services = await peopleServices(await open());
      const ada = await adaIn(services);
      const { organizationId } = ada;
      const mike = await makeMember(services, organizationId, 'mike');
      const { id } = await services.sessions.begin(startOf(mike, { ...ofClient, organizationId }));
      const standing = async () => {
        const now = await services.sessions.standing('env_dev', id);
        return now && [now.session.id, now.role, now.isOperator];
      };
      const before = await standing();
      await services.members.setRole(machine, { organizationId, userId: mike }, 'admin');
      await services.users.update(machine, mike, { is_operator: true });
      const after = await standing();
      await services.users.remove(machine, mike);
      expect([before, after, await standing()]).toEqual([
        [id, 'member', false],
        [id, 'admin', true],
        undefined,
      ]);
    });
  });

  describe('sign-in session: switch of the organization', () => {
    it('begins a session with a cookie of its own, asks interceptors, and ends the one before', async () => {
      const services = await peopleServices(await open());
      const { userId } = await adaIn(services);
      const other = await makeOrganization(services, 'Other', 'ada');
      const before = await services.sessions.begin(startOf(userId));
      services.clock.advance(HOUR / 2);
      const after = await services.sessions.switchOrganization('env_dev', before.id, other.id, visitor);
      expect(after).toMatchObject({
        organizationId: other.id,
        connectionDetails: byEmail,
        createdAt: before.createdAt,
        expiresAt: before.createdAt + 1.5 * HOUR,
      });
      expect(after.cookie).not.toBe(before.cookie);
      expect([
        await services.sessions.findByCookie('env_dev', before.cookie),
        (await services.sessions.findByCookie('env_dev', after.cookie))?.id,
        services.policy.asked.at(-1)?.question,
        (await services.auditLines()).slice(-2),
      ]).toEqual([
        undefined,
        after.id,
        expect.objectContaining({ organizationId: other.id, connectionDetails: byEmail }),
        [`${userId} session.end ${before.id}`, `${userId} session.create ${after.id}`],
      ]);
    });

    it('leaves everything as it was when the switch is refused', async () => {
      const services = await peopleServices(await open());
      const { userId, organizationId } = await adaIn(services);
      const other = await makeOrganization(services, 'Other', 'bob');
      const session = await services.sessions.begin(startOf(userId));
      const switched = async (to: string) =>
        outcome(services.sessions.switchOrganization('env_dev', session.id, to, visitor));
      expect(await switched(other.id)).toBe('RESOURCE_NOT_FOUND');
      services.policy.denial = 'No.';
      expect(await switched(organizationId)).toBe('POLICY_DENIED');
      expect(await services.sessions.isLive('env_dev', session.id)).toBe(true);
    });

    it('accepts one of several switches at once, and only from a live browser session', async () => {
      const services = await peopleServices(await open());
      const { userId, organizationId } = await adaIn(services);
      const session = await services.sessions.begin(startOf(userId));
      const switched = async (id: string) =>
        outcome(services.sessions.switchOrganization('env_dev', id, organizationId, visitor));
      const several = await Promise.all([1, 2, 3].map(async () => switched(session.id)));
      expect(several.filter((one) => one !== 'UNAUTHENTICATED')).toHaveLength(1);
      const client = await services.sessions.begin(startOf(userId, ofClient));
      expect([await switched(session.id), await switched(client.id)]).toEqual([
        'UNAUTHENTICATED',
        'UNAUTHENTICATED',
      ]);
    });
  });

  describe('sign-in session begun over the API', () => {
    const clientIds: Record<string, string> = { cred_1: 'gh_1', cred_2: 'gh_2', cred_3: 'gh_3' };

    /** With the credentials that the callers of these tests are. */
    async function apiServices() {
      const services = await peopleServices(await open());
      await services.db.transaction(async (tx) => {
        for (const [id, client_id] of Object.entries(clientIds))
          await tx
            .insertInto('credentials')
            .values({
              id,
              environment_id: id === 'cred_2' ? 'env_prod' : 'env_dev',
              name: id,
              client_id,
              organization_id: '',
              scopes: 'admin',
              created_at: 1,
            })
            .execute();
      });
      return services;
    }

    it('gives tokens for the credential that began it, without admin even for operators', async () => {
      const services = await apiServices();
      const { id } = await services.users.create(machine, { email: 'ada@example.test', is_operator: true });
      services.policy.claims = { plan: 'gold' };
      const made = await services.apiSessions.create(machine, { user_id: id }, visitor);
      const session = {
        id: expect.stringMatching(/^ses_/),
        kind: 'api',
        user_id: id,
        organization_id: '',
        client_id: 'gh_1',
        resource: 'http://127.0.0.1:3000/mcp',
        custom_claims: { plan: 'gold' },
        device: { city: 'Lisbon', region: 'PT' },
        status: 'active',
        created_at: '2026-11-20T12:00:00.000Z',
        expires_at: '2026-12-20T12:00:00.000Z',
        ended_at: null,
      };
      expect(made).toEqual({
        session,
        access_token: expect.any(String),
        refresh_token: expect.stringMatching(/./),
        token_type: 'Bearer',
        expires_in: 3_600,
      });
      expect(decodeJwt(made.access_token)).toMatchObject({
        sub: id,
        gid: made.session.id,
        scope: 'accounts:read accounts:write tools:execute',
      });
      expect((await services.auditLines()).at(-1)).toBe(`cred_1 session.create ${made.session.id}`);
      await services.apiSessions.end(machine, made.session.id);
      expect(await services.apiSessions.get(machine, made.session.id)).toEqual({
        ...session,
        status: 'ended',
        ended_at: '2026-11-20T12:00:00.000Z',
      });
    });

    it('begins no session when an interceptor says DENY', async () => {
      const services = await apiServices();
      const ada = await makeUser(services, 'ada');
      services.policy.denial = 'No.';
      expect(await outcome(services.apiSessions.create(machine, { user_id: ada }, visitor))).toBe(
        'POLICY_DENIED',
      );
      expect((await services.apiSessions.list(machine)).sessions).toEqual([]);
    });

    it.each([
      ['http://127.0.0.1:3000/api', 'http://127.0.0.1:3000/api'],
      ['http://127.0.0.1:3000', ['resource enum']],
      ['http://127.0.0.1:3000/mcp/', ['resource enum']],
      ['https://gate.example.test/mcp', ['resource enum']],
    ])('accepts our own resources only: %s', async (resource, expected) => {
      const services = await apiServices();
      const ada = await makeUser(services, 'ada');
      const made = await outcome(services.apiSessions.create(machine, { user_id: ada, resource }, visitor));
      expect(
        Array.isArray(made) ? made : (made as { session: { resource: string } }).session.resource,
      ).toEqual(expected);
    });

    it('refuses a credential of one organization, which does not reach what is its members’ own', async () => {
      const services = await apiServices();
      const acme = await adaIn(services);
      const bound = boundTo(acme.organizationId);
      const input = { user_id: acme.userId, organization_id: acme.organizationId };
      expect(await outcome(services.apiSessions.create(bound, input, visitor))).toBe('PERMISSION_DENIED');
      expect((await services.apiSessions.list(machine)).sessions).toEqual([]);
    });

    it('requires an API credential as the caller', async () => {
      const services = await apiServices();
      const { userId, organizationId } = await adaIn(services);
      const operator = { ...personIn(userId, organizationId), scopes: machine.scopes };
      for (const caller of [
        operator,
        { ...machine, actor: 'local' },
        { ...machine, scopes: new Set<never>() },
      ])
        expect(await outcome(services.apiSessions.create(caller, { user_id: userId }, visitor))).toBe(
          'PERMISSION_DENIED',
        );
    });

    it('hides sessions from other environments and organizations', async () => {
      const services = await apiServices();
      const acme = await adaIn(services);
      const other = await makeOrganization(services, 'Other', 'bob');
      const input = { user_id: acme.userId, organization_id: acme.organizationId };
      const { session } = await services.apiSessions.create(machine, input, visitor);
      for (const caller of [foreigner, boundTo(other.id)])
        expect([
          (await services.apiSessions.list(caller)).sessions,
          await outcome(services.apiSessions.get(caller, session.id)),
          await outcome(services.apiSessions.end(caller, session.id)),
        ]).toEqual([[], 'RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND']);
      expect(await outcome(services.apiSessions.create(foreigner, input, visitor))).toBe(
        'RESOURCE_NOT_FOUND',
      );
      expect(await services.sessions.isLive('env_dev', session.id)).toBe(true);
      expect((await services.apiSessions.list(boundTo(acme.organizationId))).sessions).toEqual([session]);
      const foreign = { organization_id: acme.organizationId };
      expect(await outcome(services.apiSessions.list(boundTo(other.id), foreign))).toBe('RESOURCE_NOT_FOUND');
    });

    it('lists sessions by user, organization and page', async () => {
      const services = await apiServices();
      const acme = await adaIn(services);
      const bob = await makeUser(services, 'bob');
      const ids = [];
      for (const start of [
        startOf(acme.userId),
        startOf(acme.userId, { ...ofClient, organizationId: acme.organizationId }),
        startOf(bob),
      ]) {
        ids.push((await services.sessions.begin(start)).id);
        services.clock.advance(1);
      }
      const [inBrowser, ofAda, ofBob] = ids;
      const list = async (filter: object, query = {}) => {
        const page = await services.apiSessions.list(machine, filter, query);
        return { ids: page.sessions.map(({ id }) => id), next: page.next_page_token, total: page.total_size };
      };
      expect([
        await list({ user_id: acme.userId }),
        await list({ organization_id: acme.organizationId }),
      ]).toEqual([
        { ids: [ofAda, inBrowser], next: '', total: 2 },
        { ids: [ofAda], next: '', total: 1 },
      ]);
      const first = await list({}, { pageSize: 2 });
      expect([first.ids, (await list({}, { pageSize: 2, pageToken: first.next })).ids]).toEqual([
        [ofBob, ofAda],
        [inBrowser],
      ]);
      expect(
        await outcome(
          services.apiSessions.list(machine, { user_id: bob }, { pageSize: 2, pageToken: first.next }),
        ),
      ).toEqual(['page_token page_token']);
    });
  });
});
