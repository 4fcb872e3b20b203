/** `/invitations/<token>`: who invites to which organization, for which address, and how to accept. */
import { html } from 'hono/html';
import type { InvitationOffer } from '../../people/invitation-views.ts';
import { layout, type Html } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import { hidden } from '../sign-in/people-fields.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';

/** Rights of each role, as explained to the invited user. */
const ROLES: Readonly<Record<InvitationOffer['role'], string>> = {
  member: 'Member: connects and uses accounts of their own.',
  admin: "Admin: looks after the organization's accounts, members and invitations too.",
  owner: 'Owner: may do everything in the organization.',
};

interface InvitationPage {
  csrf: string;
  host: string;
  offer: InvitationOffer;
  /** Path of the invitation. */
  path: string;
}

/** For the invited user if signed in, and for everybody who is not signed in: they prove the address next. */
export function invitationPage(page: InvitationPage & { isSignedIn: boolean }): Html {
  const { offer } = page;
  const label = page.isSignedIn ? 'Join' : 'Continue';
  return layout({
    title: `Join ${offer.organization.name}`,
    content: html`
      <h1>Join ${offer.organization.name}</h1>
      <p class="lead">You are invited to this organization in Gatehouse at <bdi>${page.host}</bdi>.</p>
      <dl>
        <div>
          <dt>Invited</dt>
          <dd><bdi>${offer.email}</bdi></dd>
        </div>
        <div>
          <dt>As</dt>
          <dd>${ROLES[offer.role]}</dd>
        </div>
      </dl>
      <form method="post" action="${page.path}">
        ${hidden({ csrf: page.csrf })}
        <button type="submit">${label}</button>
      </form>
    `,
    footer: page.isSignedIn
      ? 'If you do not know who invites you, close this page.'
      : 'Next you prove that the address is yours. If you do not know who invites you, close this page.',
  });
}

/** For a user who is signed in with another address. */
export function otherPersonPage(page: InvitationPage & { person: SignedInPerson }): Html {
  return layout({
    title: 'This invitation is for another address',
    content: html`
      <h1>This invitation is for another address</h1>
      <p>
        You are signed in as <bdi>${page.person.email}</bdi>, and the invitation is for
        <bdi>${page.offer.email}</bdi>. Only the person with that address can accept it.
      </p>
      <form method="post" action="/sign-out">
        ${hidden({ csrf: page.csrf, next: page.path })}
        <button type="submit">Sign out, to sign in with the other address</button>
      </form>
    `,
  });
}

/** Unknown, used, revoked or expired: all look the same. */
export function noInvitationPage(): Html {
  return messagePage({
    title: 'This invitation cannot be used',
    what: 'It was used, taken back, has expired, or never was. It may also have been cut off when it was copied.',
    next: html`If you have accepted it already, <a href="/sign-in">sign in</a>. If not, ask whoever invited
      you for a new one.`,
  });
}

/** For places where only known users may join. */
export function unknownPersonPage(): Html {
  return messagePage({
    title: 'You are not known here yet',
    what: 'Here an invitation is for people who are known already. Nothing was changed.',
    next: 'Ask whoever runs this Gatehouse to add you first, then open the link again.',
  });
}
