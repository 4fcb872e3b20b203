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
  describe('new organization', () => {
    it('comes with its first user, who owns the organization', async () => {
      const services = await peopleServices(await open());
      const input = {
        name: '  Analytical Engines ',
        user: { email: 'Ada@Example.test', given_name: 'Ada', family_name: 'Lovelace' },
      };
      const made = await services.organizations.create(machine, input, visitor);
      const dates = { created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' };
      expect(made).toEqual({
        organization: {
          id: expect.stringMatching(/^org_[0-9a-z]{26}$/),
          name: 'Analytical Engines',
          ...dates,
        },
        user: {
          id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
          email: 'ada@example.test',
          email_verified: false,
          given_name: 'Ada',
          family_name: 'Lovelace',
          ...dates,
        },
      });
      const { organization, user } = made;
      expect((await services.members.list(machine, organization.id)).members).toMatchObject([
        { user_id: user.id, role: 'owner', email: 'ada@example.test' },
      ]);
      expect(await services.auditLines()).toEqual([
        `cred_1 user.create ${user.id}`,
        `cred_1 organization.create ${organization.id}`,
      ]);
    });

    it('asks interceptors before anything is written, without a user who does not exist yet', async () => {
      const services = await peopleServices(await open());
      services.policy.denial = 'Not from this domain.';
      const input = { name: 'Acme', user: { email: 'ada@example.test' } };
      await expect(services.organizations.create(machine, input, visitor)).rejects.toMatchObject({
        code: 'POLICY_DENIED',
        message: 'Not from this domain.',
      });
      expect(services.policy.asked).toEqual([
        {
          trigger: 'PRE_SIGNUP',
          question: {
            environmentId: 'env_dev',
            actor: 'cred_1',
            visitor,
            connectionDetails: [{ id: 'cred_1', type: 'OAUTH', provider: 'GATEHOUSE' }],
          },
        },
      ]);
      expect([await services.auditLines(), (await services.users.list(machine)).total_size]).toEqual([[], 0]);
    });

    it('admits an existing user, whose names stay, and tells interceptors who that is', async () => {
      const services = await peopleServices(await open());
      const adaId = await makeUser(services, 'ada');
      const first = await makeOrganization(services, 'First', 'ada');
      const input = { name: 'Second', user: { email: 'ADA@example.test', given_name: 'Mallory' } };
      const { user } = await services.organizations.create(machine, input, visitor);
      expect([user.id, user.given_name]).toEqual([adaId, 'ada']);
      expect(services.policy.asked[1]?.question).toMatchObject({
        user: {
          id: adaId,
          name: 'ada',
          email: 'ada@example.test',
          email_verified: false,
          given_name: 'ada',
          family_name: '',
          memberships: [{ organization_id: first.id, status: 'ACTIVE' }],
        },
      });
    });

    it('makes one owner when two requests sign the same person up at once', async () => {
      const services = await peopleServices(await open());
      await Promise.all(['One', 'Two', 'Three'].map(async (name) => makeOrganization(services, name, 'ada')));
      const { users } = await services.users.list(machine);
      expect(users.map(({ email, memberships }) => [email, memberships.length])).toEqual([
        ['ada@example.test', 3],
      ]);
    });

    it('names everything that is wrong at once', async () => {
      const services = await peopleServices(await open());
      const input = {
        name: ' \t',
        user: { email: 'nobody', given_name: 'A\nB', family_name: 'x'.repeat(101) },
      };
      expect(await outcome(services.organizations.create(machine, input, visitor))).toEqual([
        'name min_length',
        'user.email email',
        'user.given_name characters',
        'user.family_name max_length',
      ]);
      expect(services.policy.asked).toEqual([]);
    });

    it('requires a credential of the whole environment with admin', async () => {
      const services = await peopleServices(await open());
      const { id, ownerId } = await makeOrganization(services, 'Acme', 'ada');
      const input = { name: 'More', user: { email: 'bob@example.test' } };
      for (const caller of [
        boundTo(id),
        personIn(ownerId, id),
        { ...machine, scopes: new Set(['accounts:write'] as const) },
      ])
        expect(await outcome(services.organizations.create(caller, input, visitor))).toBe(
          'PERMISSION_DENIED',
        );
    });
  });

  describe('organization from the sign-up page', () => {
    const input = { name: 'Acme', user: { email: 'ada@example.test' } };
    const how = {
      visitor,
      connectionDetails: [{ id: '', type: 'PASSWORDLESS', provider: 'EMAIL' }] as const,
    };

    it('makes an organization of somebody who proved the address and is the actor', async () => {
      const services = await peopleServices(await open(), { signUp: 'open' });
      const { organization, user } = await services.organizations.signUp('env_dev', input, how);
      expect(user.email_verified).toBe(true);
      expect(services.policy.asked[0]?.question).toMatchObject(how);
      expect(await services.auditLines()).toEqual([
        `${user.id} user.create ${user.id}`,
        `${user.id} organization.create ${organization.id}`,
      ]);
    });

    it.each(['closed', 'invited'] as const)('makes none where sign-up is %s', async (signUp) => {
      const services = await peopleServices(await open(), { signUp });
      expect(await outcome(services.organizations.signUp('env_dev', input, how))).toBe('PERMISSION_DENIED');
      expect(services.policy.asked).toEqual([]);
    });
  });

  describe('organization resource', () => {
    it('lists organizations newest first, page by page, in both directions', async () => {
      const services = await peopleServices(await open());
      const ids = [];
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        ids.unshift((await makeOrganization(services, name, 'ada')).id);
        services.clock.advance(1);
      }
      const list = async (pageToken?: string) =>
        services.organizations.list(machine, {}, { pageSize: 2, pageToken });
      const first = await list();
      const second = await list(first.next_page_token);
      const third = await list(second.next_page_token);
      expect([first, second, third].map((page) => page.organizations.map(({ id }) => id))).toEqual([
        ids.slice(0, 2),
        ids.slice(2, 4),
        ids.slice(4),
      ]);
      expect([first.prev_page_token, third.next_page_token, first.total_size]).toEqual(['', '', 5]);
      const back = await list(third.prev_page_token);
      expect(back.organizations).toEqual(second.organizations);
      expect(
        await outcome(
          services.organizations.list(foreigner, {}, { pageSize: 2, pageToken: first.next_page_token }),
        ),
      ).toEqual(['page_token page_token']);
    });

    it('shows a bound credential and a person their own organizations only', async () => {
      const services = await peopleServices(await open());
      const acme = await makeOrganization(services, 'Acme', 'ada');
      const other = await makeOrganization(services, 'Other', 'bob');
      const eve = await makeUser(services, 'eve');
      for (const [caller, ids] of [
        [machine, [other.id, acme.id]],
        [boundTo(acme.id), [acme.id]],
        [personIn(acme.ownerId, acme.id), [acme.id]],
        [personIn(acme.ownerId, ''), []],
        [foreigner, []],
      ] as const) {
        const { organizations, total_size } = await services.organizations.list(caller);
        expect([organizations.map(({ id }) => id), total_size]).toEqual([ids, ids.length]);
      }
      expect((await services.organizations.list(machine, { name: 'Acme' })).organizations).toHaveLength(1);
      for (const caller of [
        boundTo(other.id),
        personIn(acme.ownerId, other.id),
        personIn(acme.ownerId, ''),
        personIn(eve, acme.id),
        foreigner,
      ])
        expect(await outcome(services.organizations.get(caller, acme.id))).toBe('RESOURCE_NOT_FOUND');
    });

    it('lets owners and credentials rename and delete, not admins and members', async () => {
      const services = await peopleServices(await open());
      const { id, ownerId } = await makeOrganization(services, 'Acme', 'ada');
      for (const role of ['member', 'admin']) {
        const person = personIn(await makeMember(services, id, role, role), id);
        expect([
          await outcome(services.organizations.update(person, id, { name: 'Mine' })),
          await outcome(services.organizations.remove(person, id)),
          await outcome(services.organizations.get(person, id)),
        ]).toEqual(['PERMISSION_DENIED', 'PERMISSION_DENIED', expect.objectContaining({ name: 'Acme' })]);
      }
      services.clock.advance(1_000);
      expect(await services.organizations.update(personIn(ownerId, id), id, { name: 'Ours' })).toMatchObject({
        name: 'Ours',
        updated_at: '2026-11-20T12:00:01.000Z',
      });
      expect(await outcome(services.organizations.update(machine, id, { name: '' }))).toEqual([
        'name min_length',
      ]);
      await services.organizations.remove(boundTo(id), id);
      expect((await services.auditLines()).slice(-2)).toEqual([
        `${ownerId} organization.update ${id}`,
        `cred_3 organization.delete ${id}`,
      ]);
    });

    it('removes memberships, invitations and sessions with the organization, and keeps the people', async () => {
      const services = await peopleServices(await open());
      const { id, ownerId } = await makeOrganization(services, 'Acme', 'ada');
      const { link } = await services.invitations.create(machine, id, { email: 'bob@example.test' }, visitor);
      const session = await services.sessions.begin({
        environmentId: 'env_dev',
        kind: 'browser',
        userId: ownerId,
        organizationId: id,
        clientId: '',
        resource: '',
        visitor,
        connectionDetails: [],
        actor: ownerId,
      });
      await services.organizations.remove(machine, id);
      const token = link?.split('/').at(-1) ?? '';
      expect([
        await services.sessions.isLive('env_dev', session.id),
        await services.invitationLinks.find('env_dev', token),
        (await services.users.get(machine, ownerId)).memberships,
        await outcome(services.members.list(machine, id)),
      ]).toEqual([false, undefined, [], 'RESOURCE_NOT_FOUND']);
    });
  });
});
