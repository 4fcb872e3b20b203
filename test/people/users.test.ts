import { describe, expect, it } from 'vitest';
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
} from './people-support.ts';

forEachDatabase((_name, open) => {
  describe('user resource', () => {
    it('creates, changes and deletes a user', async () => {
      const services = await peopleServices(await open());
      const { users, clock } = services;
      const made = await users.create(machine, {
        email: 'Jose\u0301@Example.test',
        given_name: ' Jose\u0301 ',
      });
      expect(made).toEqual({
        id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
        email: 'jos\u00e9@example.test',
        email_verified: false,
        given_name: 'Jos\u00e9',
        family_name: '',
        is_operator: false,
        memberships: [],
        created_at: '2026-11-20T12:00:00.000Z',
        updated_at: '2026-11-20T12:00:00.000Z',
      });
      clock.advance(1_000);
      const changed = {
        ...made,
        family_name: 'B',
        is_operator: true,
        updated_at: '2026-11-20T12:00:01.000Z',
      };
      expect(await users.update(machine, made.id, { family_name: 'B', is_operator: true })).toEqual(changed);
      expect(await users.update(machine, made.id, {})).toEqual(changed);
      expect(await users.get(machine, made.id)).toEqual(changed);
      await users.remove(machine, made.id);
      expect(await outcome(users.get(machine, made.id))).toBe('RESOURCE_NOT_FOUND');
      expect(await outcome(users.remove(machine, made.id))).toBe('RESOURCE_NOT_FOUND');
      expect(await services.auditLines()).toEqual(
        ['create', 'update', 'delete'].map((verb) => `cred_1 user.${verb} ${made.id}`),
      );
    });

    it('requires a unique address in the environment, in whatever spelling', async () => {
      const services = await peopleServices(await open());
      const { users } = services;
      await makeUser(services, 'ada');
      const bob = await makeUser(services, 'bob');
      expect([
        await outcome(users.create(machine, { email: 'ADA@EXAMPLE.test' })),
        await outcome(users.update(machine, bob, { email: 'Ada@example.test' })),
        (await users.create(foreigner, { email: 'ada@example.test' })).email,
      ]).toEqual(['ALREADY_EXISTS', 'ALREADY_EXISTS', 'ada@example.test']);
      const several = await Promise.allSettled(
        Array.from({ length: 5 }, async () => users.create(machine, { email: 'eve@example.test' })),
      );
      expect(several.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('requires a proof of a new address', async () => {
      const services = await peopleServices(await open(), { signUp: 'open' });
      const how = { visitor, connectionDetails: [] };
      const input = { name: 'Acme', user: { email: 'ada@example.test' } };
      const { user } = await services.organizations.signUp('env_dev', input, how);
      const update = async (email: string) => services.users.update(machine, user.id, { email });
      expect((await update('ADA@example.test')).email_verified).toBe(true);
      expect((await update('ada@other.test')).email_verified).toBe(false);
    });

    it('signs a user out for a new address, and for nothing else', async () => {
      const services = await peopleServices(await open());
      const ada = await makeUser(services, 'ada');
      const { cookie } = await services.sessions.begin({
        environmentId: 'env_dev',
        kind: 'browser',
        userId: ada,
        organizationId: '',
        clientId: '',
        resource: '',
        visitor,
        connectionDetails: [],
        actor: ada,
      });
      const isSignedInAfter = async (change: object) => {
        await services.users.update(machine, ada, change);
        return (await services.sessions.findByCookie('env_dev', cookie)) !== undefined;
      };
      expect([
        await isSignedInAfter({ email: 'ADA@example.test', family_name: 'Lovelace', is_operator: true }),
        await isSignedInAfter({ email: 'ada@other.test' }),
      ]).toEqual([true, false]);
    });

    it('refuses a user with every violation at once', async () => {
      const { users } = await peopleServices(await open());
      const wrong = { email: 'a b', given_name: '\u2028', family_name: 'x'.repeat(101) };
      const violations = ['email email', 'given_name characters', 'family_name max_length'];
      expect([
        await outcome(users.create(machine, { ...wrong, role: 'emperor' })),
        await outcome(users.update(machine, 'usr_1', wrong)),
      ]).toEqual([[...violations, 'role enum', 'organization_id required'], violations]);
    });

    it('adds a user to an organization at creation', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const input = { email: 'ada@example.test', organization_id: id, role: 'admin' };
      const { id: userId, memberships } = await services.users.create(machine, input);
      expect(memberships).toEqual([{ organization_id: id, role: 'admin' }]);
      const foreign = { ...input, email: 'bob@example.test' };
      expect(await outcome(services.users.create(foreigner, foreign))).toBe('RESOURCE_NOT_FOUND');
      expect((await services.users.list(foreigner)).total_size).toBe(0);
      expect((await services.auditLines()).slice(-2)).toEqual([
        `cred_1 user.create ${userId}`,
        expect.stringMatching(/^cred_1 member\.create mem_[0-9a-z]{26}$/),
      ]);
    });

    it('lists users by page and by address', async () => {
      const services = await peopleServices(await open());
      const { users } = services;
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      services.clock.advance(1);
      await makeMember(services, id, 'anna', 'admin');
      services.clock.advance(1);
      await makeUser(services, 'bob');
      const first = await users.list(machine, {}, { pageSize: 2 });
      const second = await users.list(machine, {}, { pageSize: 2, pageToken: first.next_page_token });
      expect([...first.users, ...second.users].map(({ email, memberships }) => [email, memberships])).toEqual(
        [
          ['bob@example.test', []],
          ['anna@example.test', [{ organization_id: id, role: 'admin' }]],
          ['olga@example.test', [{ organization_id: id, role: 'owner' }]],
        ],
      );
      expect([first.total_size, second.next_page_token]).toEqual([3, '']);
      for (const [email, found] of [
        ['ANNA@example.test', 1],
        ['anna', 0],
      ] as const)
        expect((await users.list(machine, { email })).total_size).toBe(found);
      const foreign = { pageSize: 2, pageToken: first.next_page_token };
      expect(await outcome(users.list(foreigner, {}, foreign))).toEqual(['page_token page_token']);
    });

    it('hides users from another environment, and from organizations and people', async () => {
      const services = await peopleServices(await open());
      const { id, ownerId } = await makeOrganization(services, 'Acme', 'olga');
      const { users } = services;
      expect([
        (await users.list(foreigner)).users,
        await outcome(users.get(foreigner, ownerId)),
        await outcome(users.update(foreigner, ownerId, { given_name: 'Eve' })),
        await outcome(users.remove(foreigner, ownerId)),
      ]).toEqual([[], 'RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND']);
      for (const caller of [boundTo(id), personIn(ownerId, id)])
        expect([
          await outcome(users.list(caller)),
          await outcome(users.get(caller, ownerId)),
          await outcome(users.create(caller, { email: 'eve@example.test', organization_id: id })),
          await outcome(users.update(caller, ownerId, { is_operator: true })),
          await outcome(users.remove(caller, ownerId)),
        ]).toEqual(Array.from({ length: 5 }, () => 'PERMISSION_DENIED'));
    });

    it('removes sessions, memberships and invitations with the user', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const anna = await makeMember(services, id, 'anna', 'admin');
      const { sessions, invitations, invitationLinks } = services;
      const session = await sessions.begin({
        environmentId: 'env_dev',
        kind: 'browser',
        userId: anna,
        organizationId: '',
        clientId: '',
        resource: '',
        visitor,
        connectionDetails: [],
        actor: anna,
      });
      const email = 'eve@example.test';
      const { link } = await invitations.create(personIn(anna, id), id, { email }, visitor);
      await services.users.remove(machine, anna);
      expect([
        await sessions.findByCookie('env_dev', session.cookie),
        await invitationLinks.find('env_dev', link?.split('/').at(-1) ?? ''),
        (await services.members.list(machine, id)).total_size,
      ]).toEqual([undefined, undefined, 1]);
    });
  });
});
