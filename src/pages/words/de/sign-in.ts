/** German words of signing in, out and up. */
import { html } from 'hono/html';
import type { signIn as english } from '../en/sign-in.ts';

export const signIn: typeof english = {
  title: 'Anmelden',
  at: (host) => html`bei Gatehouse, <bdi>${host}</bdi>`,
  email: 'E-Mail-Adresse',
  newHere: html`Neu hier? <a href="/sign-up">Registrieren</a>`,
  noPasswords:
    'Hier gibt es keine Passwörter: Sie bekommen einen Code per E-Mail oder melden sich bei Ihrer Organisation an.',
  mailFails:
    'Der Mailserver hat die letzte Mail nicht angenommen, deshalb kommen Codes vielleicht nicht an. Wenn Ihrer ausbleibt, sagen Sie es dem Betreiber dieses Gatehouse.',
  optional: '(freiwillig)',
  correctThis: 'Bitte berichtigen Sie:',
  violations: {
    email: 'Geben Sie eine E-Mail-Adresse wie ada@example.test ein.',
    required: 'Füllen Sie dieses Feld aus.',
    code: 'Das ist nicht der Code. Sehen Sie noch einmal nach: Jeder Code hat fünf Versuche.',
  },

  codeTitle: 'Geben Sie den Code ein',
  code: 'Code',
  codeHint: 'Acht Ziffern. Der Code gilt 10 Minuten, nur in diesem Browser.',
  codeSent: (email) => html`Ein Code ist unterwegs an <bdi>${email}</bdi>.`,
  codeMaybeSent: (email) =>
    html`Wenn hier jemand die Adresse <bdi>${email}</bdi> hat, ist ein Code an sie unterwegs.`,
  codeInLog: (isForAnybody) =>
    html`Dieses Gatehouse läuft auf Ihrem eigenen Computer und hat keinen Mailserver:
      ${isForAnybody ? 'Der' : 'Wenn hier jemand die Adresse hat, steht der'} Code
      ${isForAnybody ? 'steht ' : ''}im Protokoll, in der Zeile <code>sign_in_code</code>.`,
  codeLater: (minutes) =>
    `Für diese Adresse wurden innerhalb einer Stunde viele Codes verlangt, deshalb kommt dieser in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`}. Lassen Sie diese Seite so lange offen: Eine neue Anfrage ersetzt ihn.`,
  noCode: (again) =>
    html`Kein Code? <a href="${again}">Beginnen Sie noch einmal</a> und prüfen Sie die Adresse.`,
  noMail: (again) =>
    html`Kein Code? Sehen Sie im Spam-Ordner nach, oder <a href="${again}">beginnen Sie noch einmal</a> und
      prüfen Sie die Adresse.`,
  codeOver: {
    title: 'Dieser Code gilt nicht mehr',
    what: 'Er wurde zu oft versucht, schon benutzt, oder ist älter als 10 Minuten.',
    again: 'Noch einmal beginnen, um einen neuen zu bekommen',
  },

  provider: {
    title: 'Bei Ihrer Organisation anmelden',
    what: (issuer, target) =>
      html`Ihre Organisation meldet Personen mit
        <bdi>${issuer}</bdi> an${target === issuer ? '' : html`, auf einer Seite bei <bdi>${target}</bdi>`}.
        Danach kommen Sie hierher zurück.`,
    goOn: (host) => html`Weiter zu <bdi>${host}</bdi>`,
    otherAddress: 'Eine andere Adresse benutzen',
  },
  onwards: { title: 'Angemeldet', heading: 'Sie sind angemeldet' },
  notSetUp: {
    title: 'Die Anmeldung per E-Mail ist nicht eingerichtet',
    what: 'Dieses Gatehouse hat keinen Mailserver und kann deshalb keine Codes senden. Es wurde nichts geändert.',
    next: 'Sagen Sie es seinem Betreiber: In den Einstellungen fehlt smtp.',
  },
  signedOut: {
    title: 'Abgemeldet',
    heading: 'Sie sind abgemeldet',
    what: 'Dieser Browser ist nicht mehr angemeldet.',
    toInvitation: 'Zurück zur Einladung',
    again: 'Wieder anmelden',
  },

  home: {
    title: 'Sie sind angemeldet',
    as: 'Als',
    within: 'In',
    noOrganization: 'keiner Organisation',
    agents: 'Agenten',
    agentsHint: 'Geben Sie diese Adresse einem MCP-Client, und melden Sie sich hier an, wenn er fragt.',
    organizations: 'Organisation wechseln',
    members: 'Mitglieder',
    sessions: 'Wo Sie angemeldet sind',
  },

  signUp: {
    title: 'Registrieren',
    lead: (host) => html`Legen Sie bei Gatehouse, <bdi>${host}</bdi>, eine Organisation an.`,
    mailFails:
      'Der Mailserver hat die letzte Mail nicht angenommen, deshalb kommen Codes vielleicht nicht an.',
    name: 'Name der Organisation',
    email: 'Ihre E-Mail-Adresse',
    emailHint: 'Im nächsten Schritt senden wir einen Code an sie.',
    givenName: 'Vorname',
    familyName: 'Nachname',
    create: 'Organisation anlegen',
    beenHere: html`Waren Sie schon hier? <a href="/sign-in">Anmelden</a>`,
    owner: (email) => html`Sie sind als <bdi>${email}</bdi> angemeldet und werden ihr Inhaber.`,
    closed: {
      title: 'Hier kann sich niemand registrieren',
      what: 'Der Betreiber dieses Gatehouse legt die Organisationen an oder lädt Personen ein.',
      next: html`Bitten Sie ihn um eine Einladung. Wenn Sie schon hier waren,
        <a href="/sign-in">melden Sie sich an</a>.`,
    },
  },
};
