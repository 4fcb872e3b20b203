/** `/invitations/<token>`: who invites to which organization, for which address, and how to accept. */
import { html } from 'hono/html';
import type { InvitationOffer } from '../../people/invitation-views.ts';
import { layout, ownName } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import { hidden } from '../sign-in/people-fields.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { breakable, type Html } from '../words/html.ts';
import type { View } from '../words/words.ts';

interface InvitationPage {
  csrf: string;
  host: string;
  offer: InvitationOffer;
  /** Path of the invitation. */
  path: string;
}

/** For the invited user if signed in, and for everybody who is not signed in, who has to prove the address next. */
export function invitationPage(view: View, page: InvitationPage & { isSignedIn: boolean }): Html {
  const { offer, isSignedIn } = page;
  const words = view.words.people.invitation;
  const title = words.title(offer.organization.name);
  return layout(view, {
    title,
    content: html`
      <h1>${title}</h1>
      <p class="lead">${words.lead(ownName(view), page.host)}</p>
      <dl>
        <div>
          <dt>${words.invited}</dt>
          <dd><bdi>${breakable(offer.email)}</bdi></dd>
        </div>
        <div>
          <dt>${words.as}</dt>
          <dd>${words.roles[offer.role]}</dd>
        </div>
      </dl>
      <form method="post" action="${page.path}">
        ${hidden({ csrf: page.csrf })}
        <button type="submit">${isSignedIn ? words.join : view.words.frame.continue}</button>
      </form>
    `,
    footer: isSignedIn ? words.footer : words.footerBefore,
  });
}

/** For a user who is signed in with another address. */
export function otherPersonPage(view: View, page: InvitationPage & { person: SignedInPerson }): Html {
  const { title, what, signOut } = view.words.people.otherInvitation;
  return layout(view, {
    title,
    content: html`
      <h1>${title}</h1>
      <p>${what(page.person.email, page.offer.email)}</p>
      <form method="post" action="/sign-out">
        ${hidden({ csrf: page.csrf, next: page.path })}
        <button type="submit">${signOut}</button>
      </form>
    `,
  });
}

/** Unknown, used, revoked or expired: all look the same. */
export function noInvitationPage(view: View): Html {
  return messagePage(view, view.words.people.noInvitation);
}

/** For installations that only known users may join. */
export function unknownPersonPage(view: View): Html {
  return messagePage(view, view.words.people.unknownPerson);
}
