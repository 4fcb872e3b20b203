import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import type { Mail } from '../../src/people/mailer.ts';
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

const DAY = 24 * 60 * 60 * 1000;

/** Invites somebody as the operator. @returns the token of the link */
async function invited(
  { invitations }: PeopleServices,
  organizationId: string,
  email: string,
  role = 'member',
): Promise<string> {
  const { link } = await invitations.create(machine, organizationId, { email, role }, visitor);
  return link?.split('/').at(-1) ?? '';
}

forEachDatabase((_name, open) => {
  describe('invitation to an organization', () => {
    it('gives a link for one address where no mail server is set', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const made = await services.invitations.create(machine, id, { email: 'Bob@Example.test' }, visitor);
      expect(made).toEqual({
        id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
        organization_id: id,
        email: 'bob@example.test',
        role: 'member',
        status: 'pending',
        invited_by: 'cred_1',
        created_at: '2026-11-20T12:00:00.000Z',
        expiry: '2026-11-27T12:00:00.000Z',
        link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/invitations\/[\w-]{43}$/),
      });
      const { link, ...listed } = made;
      expect((await services.invitations.list(machine, id)).invitations).toEqual([listed]);
      const rows = JSON.stringify(await services.db.read.selectFrom('invitations').selectAll().execute());
      expect(rows).not.toContain(link?.split('/').at(-1));
      expect((await services.auditLines()).at(-1)).toBe(`cred_1 invitation.create ${made.id}`);
    });

    it('sends a mail where a mail server is set, and keeps the link out of the answer', async () => {
      const mails: Mail[] = [];
      const services = await peopleServices(await open(), { mailer: (mail) => mails.push(mail) > 0 });
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const made = await services.invitations.create(machine, id, { email: 'bob@example.test' }, visitor);
      expect('link' in made).toBe(false);
      expect(mails).toEqual([
        {
          environmentId: 'env_dev',
          to: 'bob@example.test',
          subject: 'Invitation to Acme',
          text: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/invitations\/[\w-]{43}$/m),
        },
      ]);
      const token = /invitations\/([\w-]{43})/.exec(mails[0]?.text ?? '')?.[1] ?? '';
      expect(await services.invitationLinks.find('env_dev', token)).toMatchObject({ id: made.id });
    });

    it('breaks links in the name of the organization before they reach the mail', async () => {
      const mails: Mail[] = [];
      const services = await peopleServices(await open(), { mailer: (mail) => mails.push(mail) > 0 });
      const name = 'Pay at https://evil.test/x or ask me@evil.test, Acme Inc.';
      const { id } = await makeOrganization(services, name, 'olga');
      await services.invitations.create(machine, id, { email: 'bob@example.test' }, visitor);
      const shown = 'Pay at https: //evil. test/x or ask me@ evil. test, Acme Inc.';
      expect(mails[0]?.subject).toBe(`Invitation to ${shown}`);
      expect(mails[0]?.text).toContain(`You are invited to join ${shown}.`);
      expect(mails[0]?.text.match(/\S+:\/\/\S+/g)).toEqual([
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/invitations\//),
      ]);
    });

    it('revokes the invitation when the mail cannot be sent', async () => {
      const services = await peopleServices(await open(), { mailer: () => false });
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const create = services.invitations.create(machine, id, { email: 'bob@example.test' }, visitor);
      expect(await outcome(create)).toBe('UNAVAILABLE');
      expect((await services.invitations.list(machine, id)).invitations).toMatchObject([
        { status: 'revoked' },
      ]);
    });

    it('asks interceptors before an invitation is stored or sent, with the user where there is one', async () => {
      const mails: Mail[] = [];
      const services = await peopleServices(await open(), { mailer: (mail) => mails.push(mail) > 0 });
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const bob = await makeUser(services, 'bob');
      services.policy.denial = 'Not him.';
      for (const email of ['bob@example.test', 'eve@example.test'])
        expect(await outcome(services.invitations.create(machine, id, { email }, visitor))).toBe(
          'POLICY_DENIED',
        );
      const organization = { id, name: 'Acme' };
      expect(services.policy.asked.slice(1)).toEqual([
        {
          trigger: 'PRE_USER_INVITATION',
          question: {
            environmentId: 'env_dev',
            actor: 'cred_1',
            visitor,
            organization,
            email: 'bob@example.test',
            user: expect.objectContaining({ id: bob }),
          },
        },
        {
          trigger: 'PRE_USER_INVITATION',
          question: {
            environmentId: 'env_dev',
            actor: 'cred_1',
            visitor,
            organization,
            email: 'eve@example.test',
          },
        },
      ]);
      expect([mails, (await services.invitations.list(machine, id)).total_size]).toEqual([[], 0]);
    });

    it('replaces an earlier invitation to the same address', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const first = await invited(services, id, 'bob@example.test');
      const second = await invited(services, id, 'BOB@example.test');
      expect([
        await services.invitationLinks.find('env_dev', first),
        (await services.invitationLinks.find('env_dev', second))?.email,
      ]).toEqual([undefined, 'bob@example.test']);
    });

    it('refuses members, invalid addresses and unknown roles', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const create = async (email: string, role?: string) =>
        outcome(services.invitations.create(machine, id, { email, role }, visitor));
      expect([await create('OLGA@example.test'), await create('nobody', 'emperor')]).toEqual([
        'ALREADY_EXISTS',
        ['email email', 'role enum'],
      ]);
    });

    it('gives no more than the inviting person may give', async () => {
      const services = await peopleServices(await open());
      const { id, ownerId } = await makeOrganization(services, 'Acme', 'olga');
      const admin = personIn(await makeMember(services, id, 'anna', 'admin'), id);
      const member = personIn(await makeMember(services, id, 'mike'), id);
      const create = async (caller: Caller, role: string) => {
        const made = await outcome(
          services.invitations.create(caller, id, { email: 'eve@example.test', role }, visitor),
        );
        return typeof made === 'string' ? made : (made as { role: string }).role;
      };
      expect([
        await create(member, 'member'),
        await create(admin, 'member'),
        await create(admin, 'admin'),
        await create(admin, 'owner'),
        await create(personIn(ownerId, id), 'owner'),
        await create(boundTo(id), 'owner'),
      ]).toEqual(['PERMISSION_DENIED', 'member', 'PERMISSION_DENIED', 'PERMISSION_DENIED', 'owner', 'owner']);
    });

    it('refuses somebody who loses the role while interceptors are asked', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const anna = await makeMember(services, id, 'anna', 'admin');
      services.policy.meanwhile = async () =>
        services.members.setRole(machine, { organizationId: id, userId: anna }, 'member');
      const create = services.invitations.create(
        personIn(anna, id),
        id,
        { email: 'eve@example.test' },
        visitor,
      );
      expect(await outcome(create)).toBe('PERMISSION_DENIED');
      expect((await services.invitations.list(machine, id)).total_size).toBe(0);
    });

    it('limits a person to three invitations an hour to one address, and fifty in all', async () => {
      const services = await peopleServices(await open());
      const { id, ownerId } = await makeOrganization(services, 'Acme', 'olga');
      const other = await makeOrganization(services, 'Other', 'olga');
      const invite = async (
        email: string,
        organizationId = id,
        caller: Caller = personIn(ownerId, organizationId),
      ) => {
        const made = await outcome(services.invitations.create(caller, organizationId, { email }, visitor));
        return typeof made === 'string' ? made : 'sent';
      };
      const toBob = [];
      for (const organizationId of [id, other.id, id, other.id, id])
        toBob.push(await invite('bob@example.test', organizationId));
      expect(toBob).toEqual(['sent', 'sent', 'sent', 'RATE_LIMITED', 'RATE_LIMITED']);
      expect(await invite('bob@example.test', id, machine)).toBe('sent');
      const toOthers = [];
      for (let number = 0; number < 48; number++) toOthers.push(await invite(`u${number}@example.test`));
      expect([toOthers.lastIndexOf('sent'), toOthers.at(-1)]).toEqual([46, 'RATE_LIMITED']);
      services.clock.advance(60 * 60 * 1000);
      expect(await invite('bob@example.test')).toBe('sent');
    });

    it('hides invitations from other environments and organizations', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const other = await makeOrganization(services, 'Other', 'bob');
      const token = await invited(services, id, 'eve@example.test');
      const [invitation] = (await services.invitations.list(machine, id)).invitations;
      const invitationId = invitation?.id ?? '';
      const input = { email: 'mallory@example.test' };
      for (const caller of [foreigner, boundTo(other.id), personIn(other.ownerId, other.id)])
        expect([
          await outcome(services.invitations.list(caller, id)),
          await outcome(services.invitations.create(caller, id, input, visitor)),
          await outcome(services.invitations.revoke(caller, id, invitationId)),
        ]).toEqual(['RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND']);
      expect(await outcome(services.invitations.revoke(machine, other.id, invitationId))).toBe(
        'RESOURCE_NOT_FOUND',
      );
      expect(await services.invitationLinks.find('env_prod', token)).toBeUndefined();
      const person = { email: 'eve@example.test' };
      expect(await outcome(services.invitationLinks.accept('env_prod', token, person, visitor))).toBe(
        'RESOURCE_NOT_FOUND',
      );
    });

    it('revokes an invitation only once', async () => {
      const services = await peopleServices(await open());
      const { id, ownerId } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test');
      const [invitation] = (await services.invitations.list(machine, id)).invitations;
      const invitationId = invitation?.id ?? '';
      for (let time = 0; time < 2; time++)
        await services.invitations.revoke(personIn(ownerId, id), id, invitationId);
      expect([
        await services.invitationLinks.find('env_dev', token),
        (await services.auditLines()).filter((line) => line.includes('invitation.revoke')),
      ]).toEqual([undefined, [`${ownerId} invitation.revoke ${invitationId}`]]);
    });
  });

  describe('invitation acceptance', () => {
    const accept = async (services: PeopleServices, token: string, email: string) =>
      outcome(services.invitationLinks.accept('env_dev', token, { email, given_name: 'Bob' }, visitor));

    it('shows the offer without spending the invitation', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test', 'admin');
      for (let time = 0; time < 2; time++)
        expect(await services.invitationLinks.find('env_dev', token)).toEqual({
          id: expect.stringMatching(/^inv_/),
          organization: { id, name: 'Acme' },
          email: 'bob@example.test',
          role: 'admin',
          expiresAt: Date.UTC(2026, 10, 27, 12),
          isKnown: false,
        });
    });

    it('makes the user, with a proven address, and the membership', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test', 'admin');
      const accepted = await services.invitationLinks.accept(
        'env_dev',
        token,
        { email: 'BOB@example.test', given_name: 'Bob' },
        visitor,
      );
      expect(accepted).toEqual({
        userId: expect.stringMatching(/^usr_/),
        organizationId: id,
        role: 'admin',
      });
      expect(await services.users.get(machine, accepted.userId)).toMatchObject({
        email: 'bob@example.test',
        email_verified: true,
        given_name: 'Bob',
        memberships: [{ organization_id: id, role: 'admin' }],
      });
      expect((await services.auditLines()).slice(-2)).toEqual([
        `${accepted.userId} user.create ${accepted.userId}`,
        expect.stringMatching(new RegExp(`^${accepted.userId} invitation.accept inv_`)),
      ]);
    });

    it('works once, however many come at the same time', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test');
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, async () => accept(services, token, 'bob@example.test')),
      );
      expect(outcomes.filter((one) => one !== 'RESOURCE_NOT_FOUND')).toHaveLength(1);
      expect(await accept(services, token, 'bob@example.test')).toBe('RESOURCE_NOT_FOUND');
      expect((await services.members.list(machine, id)).total_size).toBe(2);
    });

    it.each([
      ['the link of somebody else', 'mallory@example.test', 'PERMISSION_DENIED'],
      ['a look-alike address', 'b\u043eb@example.test', 'PERMISSION_DENIED'],
      ['no address', 'bob', ['email email']],
    ])('refuses %s, and spends nothing', async (_what, email, refusal) => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test');
      expect(await accept(services, token, email)).toEqual(refusal);
      expect(await accept(services, token, 'bob@example.test')).toMatchObject({ organizationId: id });
    });

    it('ends after seven days', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test');
      services.clock.advance(7 * DAY - 1);
      expect(await services.invitationLinks.find('env_dev', token)).toBeDefined();
      services.clock.advance(1);
      expect([
        await services.invitationLinks.find('env_dev', token),
        await accept(services, token, 'bob@example.test'),
        (await services.invitations.list(machine, id)).invitations[0]?.status,
      ]).toEqual([undefined, 'RESOURCE_NOT_FOUND', 'expired']);
    });

    it('admits existing users only where sign-up is closed', async () => {
      const services = await peopleServices(await open(), { signUp: 'closed' });
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test');
      expect(await accept(services, token, 'bob@example.test')).toBe('PERMISSION_DENIED');
      const bob = await makeUser(services, 'bob');
      expect(await accept(services, token, 'bob@example.test')).toMatchObject({ userId: bob });
    });

    it('changes no role of somebody who has become a member meanwhile', async () => {
      const services = await peopleServices(await open());
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      const token = await invited(services, id, 'bob@example.test', 'owner');
      await makeMember(services, id, 'bob');
      expect(await accept(services, token, 'bob@example.test')).toMatchObject({ role: 'member' });
    });

    it.each(['', 'x', 'x'.repeat(100_000)])('refuses a made-up link (%#)', async (token) => {
      const services = await peopleServices(await open());
      expect([
        await services.invitationLinks.find('env_dev', token),
        await accept(services, token, 'bob@example.test'),
      ]).toEqual([undefined, 'RESOURCE_NOT_FOUND']);
    });
  });
});
