import { describe, expect, it } from 'vitest';
import type { Caller, PersonCaller } from '../../src/core/caller.ts';
import { forEachDatabase } from '../support/databases.ts';
import {
  boundTo,
  foreigner,
  machine,
  makeMember,
  makeOrganization,
  outcome,
  peopleServices,
  personIn,
  visitor,
} from './people-support.ts';

forEachDatabase((_name, open) => {
  /** An organization with an owner, an admin and a member, and the people as callers. */
  async function acme() {
    const services = await peopleServices(await open());
    const { id, ownerId } = await makeOrganization(services, 'Acme', 'olga');
    const adminId = await makeMember(services, id, 'anna', 'admin');
    const memberId = await makeMember(services, id, 'mike', 'member');
    const [owner, admin, member] = [ownerId, adminId, memberId].map((userId) => personIn(userId, id));
    if (owner === undefined || admin === undefined || member === undefined) throw new Error('three people');
    return { ...services, services, id, ownerId, adminId, memberId, owner, admin, member };
  }

  describe('members of an organization', () => {
    it('lists members for admins, newest first', async () => {
      const { members, id, admin, member, owner, ownerId } = await acme();
      for (const caller of [machine, boundTo(id), owner, admin]) {
        const page = await members.list(caller, id);
        expect(page.members.map(({ email, role }) => [email, role])).toEqual([
          ['mike@example.test', 'member'],
          ['anna@example.test', 'admin'],
          ['olga@example.test', 'owner'],
        ]);
        expect(page.members[2]).toEqual({
          id: expect.stringMatching(/^mem_[0-9a-z]{26}$/),
          user_id: ownerId,
          email: 'olga@example.test',
          given_name: '',
          family_name: '',
          role: 'owner',
          created_at: '2026-11-20T12:00:00.000Z',
          updated_at: '2026-11-20T12:00:00.000Z',
        });
      }
      expect(await outcome(members.list(member, id))).toBe('PERMISSION_DENIED');
      const page = await members.list(machine, id, { pageSize: 2 });
      const next = await members.list(machine, id, { pageSize: 2, pageToken: page.next_page_token });
      expect([page.total_size, next.members.map(({ role }) => role)]).toEqual([3, ['owner']]);
    });

    it('hides members from other environments and organizations', async () => {
      const { members, id, memberId, services } = await acme();
      const other = await makeOrganization(services, 'Other', 'bob');
      const key = { organizationId: id, userId: memberId };
      for (const caller of [foreigner, boundTo(other.id), personIn(other.ownerId, other.id)])
        expect([
          await outcome(members.list(caller, id)),
          await outcome(members.setRole(caller, key, 'owner')),
          await outcome(members.remove(caller, key)),
        ]).toEqual(['RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND']);
      // Nor for a token that names the organization although its person is not in it any more.
      expect(await outcome(members.remove(personIn(other.ownerId, id), key))).toBe('RESOURCE_NOT_FOUND');
      expect((await members.list(machine, id)).total_size).toBe(3);
    });

    it('lets owners and credentials change roles, never their own', async () => {
      const { members, id, owner, admin, member, adminId, memberId, auditLines } = await acme();
      const setRole = async (caller: Caller, userId: string, role: string) =>
        outcome(members.setRole(caller, { organizationId: id, userId }, role));
      expect([
        await setRole(admin, adminId, 'owner'),
        await setRole(admin, memberId, 'admin'),
        await setRole(member, memberId, 'admin'),
        await setRole(owner, memberId, 'emperor'),
        await setRole(owner, 'usr_nobody', 'admin'),
      ]).toEqual([
        'PERMISSION_DENIED',
        'PERMISSION_DENIED',
        'PERMISSION_DENIED',
        ['role enum'],
        'RESOURCE_NOT_FOUND',
      ]);
      expect(await setRole(owner, memberId, 'admin')).toMatchObject({ user_id: memberId, role: 'admin' });
      const before = (await auditLines()).length;
      expect(await setRole(machine, memberId, 'admin')).toMatchObject({ role: 'admin' });
      expect((await auditLines()).length).toBe(before);
    });

    it('names apps as the reason only where an app asks for what owners may', async () => {
      const { members, id, owner, admin, memberId } = await acme();
      const setRole = async (caller: Caller) =>
        members.setRole(caller, { organizationId: id, userId: memberId }, 'admin');
      await expect(setRole(admin)).rejects.toThrow(/^This needs the role owner in the organization\.$/);
      await expect(setRole({ ...owner, isApp: true })).rejects.toThrow(
        'This needs the role owner in the organization. A token of an app never has it: use an API credential.',
      );
    });

    it('takes away at once what a lower role does not allow, whatever the token says', async () => {
      const { members, id, admin, adminId } = await acme();
      const person: PersonCaller = { ...admin, person: { ...admin.person, role: 'owner' } };
      await members.setRole(machine, { organizationId: id, userId: adminId }, 'member');
      expect(await outcome(members.list(person, id))).toBe('PERMISSION_DENIED');
    });

    it('lets admins remove members, only owners remove owners, and everybody leave', async () => {
      const { members, id, owner, admin, member, ownerId, adminId, memberId } = await acme();
      const remove = async (caller: Caller, userId: string) =>
        outcome(members.remove(caller, { organizationId: id, userId }));
      expect([
        await remove(member, adminId),
        await remove(admin, ownerId),
        await remove(member, memberId),
        await remove(owner, adminId),
        await remove(owner, adminId),
      ]).toEqual(['PERMISSION_DENIED', 'PERMISSION_DENIED', undefined, undefined, 'RESOURCE_NOT_FOUND']);
      expect((await members.list(machine, id)).members.map(({ user_id }) => user_id)).toEqual([ownerId]);
    });

    it("removes the member's sessions in the organization and open invitations too", async () => {
      const { members, sessions, invitations, invitationLinks, id, admin, adminId, auditLines } =
        await acme();
      const start = {
        environmentId: 'env_dev',
        kind: 'client' as const,
        userId: adminId,
        clientId: 'client',
        resource: 'http://127.0.0.1:3000/mcp',
        visitor,
        connectionDetails: [],
        actor: adminId,
      };
      const inside = await sessions.begin({ ...start, organizationId: id });
      const outside = await sessions.begin({ ...start, organizationId: '' });
      const { link } = await invitations.create(admin, id, { email: 'eve@example.test' }, visitor);
      await members.remove(machine, { organizationId: id, userId: adminId });
      expect([
        await sessions.isLive('env_dev', inside.id),
        await sessions.isLive('env_dev', outside.id),
        await invitationLinks.find('env_dev', link?.split('/').at(-1) ?? ''),
        (await auditLines()).at(-1),
      ]).toEqual([false, true, undefined, expect.stringMatching(/^cred_1 member.delete mem_/)]);
    });
  });

  describe('last owner of an organization', () => {
    it('keeps the last owner of the organization', async () => {
      const { members, users, id, owner, ownerId } = await acme();
      const key = { organizationId: id, userId: ownerId };
      for (const caller of [owner, machine, boundTo(id)])
        expect([
          await outcome(members.setRole(caller, key, 'admin')),
          await outcome(members.remove(caller, key)),
        ]).toEqual([['role last_owner'], ['user_id last_owner']]);
      expect(await outcome(users.remove(machine, ownerId))).toEqual(['id last_owner']);
      expect((await members.list(machine, id)).total_size).toBe(3);
    });

    it('keeps one owner when all of them leave at once', async () => {
      const { members, users, id, ownerId, adminId, memberId, owner } = await acme();
      for (const userId of [adminId, memberId])
        await members.setRole(owner, { organizationId: id, userId }, 'owner');
      const results = await Promise.allSettled([
        members.remove(personIn(ownerId, id), { organizationId: id, userId: ownerId }),
        members.setRole(personIn(adminId, id), { organizationId: id, userId: adminId }, 'member'),
        users.remove(machine, memberId),
      ]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      const left = (await members.list(machine, id)).members;
      expect(left.filter(({ role }) => role === 'owner')).toHaveLength(1);
    });
  });
});
