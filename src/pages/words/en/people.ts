/** English words of the pages of signed-in people, of invitations, and of forms that failed. */
import { html } from 'hono/html';
import type { Text } from '../html.ts';

const AGAIN = html`<a href="/sign-in">Start again</a>.`;
const TELL = 'If this happens again, tell the people who manage sign-in in your organization.';

/** Words of `src/pages/people`. */
export const people = {
  roles: { member: 'member', admin: 'admin', owner: 'owner' },

  organizations: {
    title: 'Your organizations',
    none: 'You belong to no organization. What you connect is yours alone.',
    choose: 'Choose the organization to work in.',
    current: (role: string) => `${role}, you are in it now`,
    create: 'Create another organization',
    notYours: 'You do not belong to this organization.',
  },

  members: {
    title: 'Members',
    lead: 'At your identity provider an address belongs to the first person who signed in with it. Unbind a member if the address now belongs to somebody else, or if the provider made a new account for them. They are signed out everywhere, and the next person who signs in with the address is bound.',
    unbind: 'Unbind',
    unbindOne: (email: string) => `Unbind ${email}`,
  },

  sessions: {
    title: 'Where you are signed in',
    lead: 'What you end stops working within five seconds. Accounts that you connected stay.',
    browsers: 'Browsers',
    apps: 'Apps',
    applications: 'Applications that act for you',
    older: 'There are older ones too, which are not shown.',
    nowhereElse: 'You are signed in nowhere else.',
    endOthers: 'End all others',
    thisBrowser: 'This browser',
    anotherBrowser: 'Another browser',
    since: (time: Text) => html`signed in ${time}`,
    lastUsed: (time: Text) => html`last used ${time}`,
    lastRenewed: (time: Text) => html`last renewed ${time}`,
    within: (organization: string) => `in ${organization}`,
    at: (address: Text) => html`at ${address}`,
    device: (browser: string, system: string) => `${browser} on ${system}`,
    endOthersTitle: 'End all other sessions?',
    endSome: (count: number) => (count === 1 ? 'One session ends.' : `${count} sessions end.`),
    endMany: (count: number) => `More than ${count} sessions end.`,
    endOthersLead:
      'Other browsers, apps and applications have to sign in or ask you again. This browser stays signed in.',
    end: 'End',
    endOne: (name: string) => `End ${name}`,
  },

  invitation: {
    title: (organization: string) => `Join ${organization}`,
    lead: (product: string, host: string) =>
      html`You are invited to this organization in ${product} at <bdi>${host}</bdi>.`,
    invited: 'Invited',
    as: 'As',
    roles: {
      member: 'Member: connects and uses accounts of their own.',
      admin: "Admin: also manages the organization's accounts, members and invitations.",
      owner: 'Owner: may do everything in the organization.',
    },
    join: 'Join',
    footer: 'If you do not know who invites you, close this page.',
    footerBefore:
      'Next you prove that the address is yours. If you do not know who invites you, close this page.',
  },
  otherInvitation: {
    title: 'This invitation is for another address',
    what: (email: string, invited: string) =>
      html`You are signed in as <bdi>${email}</bdi>, and the invitation is for <bdi>${invited}</bdi>. Only the
        person with that address can accept it.`,
    signOut: 'Sign out and use the other address',
  },
  noInvitation: {
    title: 'This invitation cannot be used',
    what: 'It was used, withdrawn, has expired, or never existed. It may also have been cut off when it was copied.',
    next: html`If you have already accepted it, <a href="/sign-in">sign in</a>. If not, ask the person who
      invited you for a new one.`,
  },
  unknownPerson: {
    title: 'You are not known here yet',
    what: 'Invitations here are for people who are already known. Nothing was changed.',
    next: 'Ask the operator of this Gatehouse to add you first, then open the link again.',
  },

  /** Texts by kind of refused form. */
  formFailures: {
    foreign: {
      title: 'This form came from another site',
      what: 'Another site sent it. Nothing was changed.',
      next: 'Open the page here and fill in the form there.',
    },
    csrf: {
      title: 'This form is no longer valid',
      what: 'It was opened in another browser or in an earlier session, or this browser does not accept cookies. Nothing was changed.',
      next: 'Open the page again in this browser, with cookies allowed, and fill in the form again.',
    },
    other_content: {
      title: 'This is not a form',
      what: 'This address accepts application/x-www-form-urlencoded only. Nothing was changed.',
      next: 'Open the page in a browser and fill in the form there.',
    },
    too_large: {
      title: 'This is too much text',
      what: 'A form here holds a few short texts. Nothing was changed.',
      next: 'Go back and enter less.',
    },
  },

  /** Texts by kind of failed sign-in at an identity provider. */
  signInFailures: {
    state: {
      title: 'We did not expect this answer',
      what: 'Each answer of a sign-in is accepted once. This one was accepted before, or does not belong to anything that was started here.',
      next: AGAIN,
    },
    expired: {
      title: 'That took too long',
      what: 'For safety, you have only 10 minutes to go to your organization and come back, and that time is over.',
      next: AGAIN,
    },
    place: {
      title: 'This answer came back to the wrong place',
      what: 'It was meant for another organization than the one you started with. Somebody may have tried to mix up the two. You are not signed in.',
      next: html`Do not repeat what you did from another page. ${AGAIN}`,
    },
    browser: {
      title: 'This did not start in this browser',
      what: 'You came back to another browser than the one you started in, or this browser does not accept cookies. You are not signed in.',
      next: html`If somebody sent you here, close this page. If you started yourself,
        <a href="/sign-in">start again</a> and stay in one browser, with cookies allowed.`,
    },
    no_provider: {
      title: 'This organization does not sign in this way',
      what: 'It has no OpenID provider with e-mail domains here, or it was changed in the meantime. You are not signed in.',
      next: AGAIN,
    },
    denied: {
      title: 'Your organization did not sign you in',
      what: 'Its sign-in page refused. You are not signed in.',
      next: html`If that was your decision, you can close this page. If not: ${AGAIN} ${TELL}`,
    },
    unreachable: {
      title: 'Your organization does not answer',
      what: 'Its sign-in could not be reached from here. You are not signed in.',
      next: html`Wait a minute. ${AGAIN} ${TELL}`,
    },
    answer: {
      title: "We cannot use your organization's answer",
      what: 'It is not signed, made or meant as it must be, so it was not trusted. You are not signed in.',
      next: html`${AGAIN} ${TELL}`,
    },
    email: {
      title: 'This address does not belong to your organization',
      what: 'Your organization vouches for addresses of its own domains only, and this is not one of them. You are not signed in.',
      next: html`If you are signed in there with another address, sign out there and
        <a href="/sign-in">start again</a>. If you want to use that other address here, enter it when you
        start. ${TELL}`,
    },
    unverified: {
      title: 'Your address is not verified',
      what: 'Your organization did not say that this e-mail address is verified. You are not signed in.',
      next: 'Ask the people who manage sign-in in your organization to verify it and to send email_verified. If they cannot send it at all, the operator of this Gatehouse can allow answers without it.',
    },
    stale: {
      title: 'Your organization did not ask you again',
      what: 'This needs a proof of who you are from the last minutes. Your organization answered without saying that you have just signed in there (auth_time). Your earlier sign-in here still counts.',
      next: html`Sign out there, then go back and try again. If that does not help, ask the people who manage
        sign-in in your organization. Operators also get in with <code>gatehouse users sign-in-link</code> at
        the machine.`,
    },
    identity: {
      title: 'This address belongs to somebody else here',
      what: 'Your organization names another person by this address, or by this sign-in, than before. You are not signed in.',
      next: 'If the address now belongs to you, or your organization made a new account for you, ask an owner of your organization to unbind the address on the page Members.',
    },
  },

  /** Texts by error code of a refused request. */
  refusals: {
    POLICY_DENIED: {
      title: 'This is not allowed',
      next: 'A policy of the operator of this Gatehouse decided this. Ask them if you think it is wrong.',
    },
    PERMISSION_DENIED: {
      title: 'You may not do this',
      next: 'Nothing was changed. If you think that you should be allowed to, ask the people who manage your organization.',
    },
    RESOURCE_NOT_FOUND: {
      title: 'This is no longer there',
      what: 'It has ended or was removed, or it is not yours.',
      next: AGAIN,
    },
    UNAUTHENTICATED: { title: 'You are no longer signed in', next: AGAIN },
    INVALID_ARGUMENT: { title: 'We cannot accept this', next: 'Go back and enter it again.' },
  },
  tooOften: {
    title: 'Too many attempts',
    next: (minutes: number) =>
      `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}. A code that you have already received still works.`,
    codes: 'Too many sign-ins were started from here.',
    organizations: 'You have created too many organizations at once.',
  },
};
