/** German words of the pages that ask whether an app may act for a person. */
import { html } from 'hono/html';
import type { consent as english } from '../en/consent.ts';

export const consent: typeof english = {
  title: 'Zugriff erlauben',
  question: (name) => html`<bdi>${name}</bdi> erlauben?`,
  namelessQuestion: 'Einer App, die keinen Namen nennt, den Zugriff erlauben?',
  namelessApp: 'Eine App ohne Namen',
  lead: (product, host) => html`Sie möchte bei ${product}, <bdi>${host}</bdi>, für Sie handeln.`,
  you: 'Sie',
  within: 'In',
  noApps: 'Sie haben noch keine App verbunden. Was Sie erlauben, gilt für die, die Sie später verbinden.',
  yourApps: 'Die Apps, die Sie verbunden haben:',
  laterApps: 'Was Sie erlauben, gilt auch für die, die Sie später verbinden.',
  yourOrganization: 'Ihre Organisation',
  yourRole: (role) => `Ihre Rolle darin: ${role}`,
  theApp: 'Die App',
  publishedBy: (host) => html`veröffentlicht von <bdi>${host}</bdi>`,
  unnamed: 'Sie hat sich ohne Namen registriert.',
  selfNamed: 'Diesen Namen hat sie sich selbst gegeben; niemand hat ihn geprüft.',
  leadsTo: 'Schickt Sie zurück zu',
  resource: 'Für',
  change: 'wechseln (in einem neuen Tab)',
  server: (name, tools) =>
    html`MCP-Server <bdi>${name}</bdi>, ${tools === 1 ? '1 Werkzeug' : `${tools} Werkzeuge`}`,
  mayDo: 'Was sie tun darf',
  scopes: {
    'tools:execute':
      'In den Apps, die Sie selbst verbunden haben, über deren Werkzeuge lesen und Dinge ändern',
    'accounts:read': 'Sehen, welche Konten Sie verbunden haben',
    'accounts:write': 'Ihre Konten sehen, verbinden, ändern und trennen',
    admin: 'Dieses ganze Gatehouse verwalten: alle Organisationen, Personen, Zugangsdaten und Konten',
  },
  readOnlyTools: 'In den Apps, die Sie selbst verbunden haben, über deren Werkzeuge lesen und nichts ändern',
  organizationRead: (name) =>
    html`Konten, Mitglieder und Einladungen von <bdi>${name}</bdi> sehen und die Konten mit Werkzeugen
      benutzen, die nur lesen`,
  organizationWrite: (name) =>
    html`Konten von <bdi>${name}</bdi> sehen und ändern, sie mit jedem Werkzeug benutzen und Mitglieder sehen,
      einladen und entfernen`,
  didYouStart: 'Haben Sie das begonnen?',
  doNotAllow: (to) =>
    html`Wenn nicht, oder wenn Sie nicht wissen, wer hinter <bdi>${to}</bdi> steht, erlauben Sie es nicht.`,
  administer: 'Ich möchte, dass sie dieses ganze Gatehouse verwaltet.',
  allow: 'Erlauben',
  deny: 'Nicht erlauben',
  footer:
    'Was Sie erlauben, endet, wenn Sie die App abmelden, wenn sie 30 Tage nicht benutzt wird, und spätestens nach 180 Tagen.',

  nothing: {
    title: 'Sie können hier nichts erlauben',
    heading: 'Das können Sie nicht erlauben',
    what: 'Die App verlangt etwas, das nur Personen geben können, die dieses Gatehouse oder die Organisation verwalten, in der sie angemeldet sind.',
    back: 'Zurück zur App',
  },
  notWaiting: {
    title: 'Hier gibt es nichts zu erlauben',
    what: 'Das wurde schon beantwortet, ist zu alt oder wurde in einem anderen Browser begonnen.',
    next: 'Um eine App zu verbinden, beginnen Sie in der App, und bleiben Sie in einem Browser, der Cookies annimmt.',
  },

  thisComputer: 'einem Programm auf diesem Computer',
  thisDevice: (protocol) => `einer App auf diesem Gerät (${protocol})`,

  problem: 'Diese App kann nicht verbunden werden',
  problems: {
    invalid_client: {
      what: 'Dieses Gatehouse kennt die App nicht, die Sie hierher geschickt hat, oder kann nicht lesen, was sie über sich sagt.',
      next: 'Gehen Sie zurück zur App und verbinden Sie sie noch einmal: Sie registriert sich dann neu.',
    },
    invalid_redirect_uri: {
      what: 'Die App, die Sie hierher geschickt hat, will Sie an eine Adresse zurückschicken, die sie nicht registriert hat. Es wurde nichts erlaubt.',
      next: 'Fahren Sie nur fort, wenn Sie die App kennen. Sagen Sie es dann ihrem Hersteller.',
    },
    server_error: {
      what: 'Hier ist etwas schiefgegangen. Es wurde nichts erlaubt.',
      next: 'Gehen Sie zurück zur App und versuchen Sie es gleich noch einmal.',
    },
  },
  otherProblem: {
    what: 'Was die App verlangt hat, die Sie hierher geschickt hat, ist unvollständig, zu alt oder wurde in einem anderen Browser begonnen. Es wurde nichts erlaubt.',
    next: 'Gehen Sie zurück zur App und beginnen Sie noch einmal, in diesem Browser und mit Cookies.',
  },
  faults: {
    consent_required: 'Sie wollte Zugriff, ohne dass Ihnen etwas angezeigt wird. Den bekommt hier keine App.',
    invalid_scope: 'Sie hat Berechtigungen verlangt, die es hier nicht gibt.',
    invalid_target: 'Sie hat Zugriff auf eine Adresse verlangt, die nicht zu diesem Gatehouse gehört.',
    server_error: 'Hier ist etwas schiefgegangen, nicht in der App.',
  },
  otherFault: 'Was sie verlangt hat, ist unvollständig oder nicht in der Form, die hier angenommen wird.',
  nothingAllowed: 'Es wurde nichts erlaubt.',
  uncheckedApp: 'Niemand hat geprüft, wer dahinter steht.',
  theError: 'Der Fehler',
  closePage: (to) =>
    html`Wenn nicht, oder wenn Sie nicht wissen, wer hinter <bdi>${to}</bdi> steht, schließen Sie diese Seite.`,
  wayBack: (href, to) =>
    html`Sonst <a href="${href}" rel="nofollow noreferrer">zurück zu <bdi>${to}</bdi></a
      >; dort wird gesagt, was nicht stimmt.`,
};
