/** German words of signing in, out and up. */
import { html } from 'hono/html';
import { breakable, type Text } from '../html.ts';
import type { signIn as english, SignInSubject } from '../en/sign-in.ts';

function claimed({ app, host }: SignInSubject): Text {
  if (host !== undefined) return html`Eine App von <bdi>${host}</bdi>`;
  return app === undefined ? 'Eine App' : html`Eine App, die sich <bdi>${app}</bdi> nennt,`;
}

export const signIn: typeof english = {
  title: 'Anmelden',
  at: (product, host) => html`bei ${product}, <bdi>${host}</bdi>`,
  purposes: {
    proof: () =>
      'Hierfür müssen wir sicher sein, dass Sie es sind. Melden Sie sich noch einmal an: Aus den letzten zehn Minuten kennen wir keinen Nachweis. Falls Sie gerade ein Formular gesendet haben, füllen Sie es danach noch einmal aus: Es wurde nichts davon behalten.',
    confirm: ({ app, account }) =>
      html`Noch ein Schritt: Melden Sie sich an, damit wir wissen, dass das
      Konto${account === undefined ? '' : html` <bdi>${breakable(account)}</bdi>`}${
        app === undefined ? '' : html` bei <bdi>${app}</bdi>`
      },
      das Sie verbinden, Ihnen gehört.`,
    connect: ({ app }) =>
      html`Sie verbinden gleich ein Konto${app === undefined ? '' : html` bei <bdi>${app}</bdi>`}. Melden Sie
      sich zuerst an, damit wir wissen, wem es gehören wird.`,
    consent: (subject) =>
      html`${claimed(subject)} möchte für Sie handeln. Melden Sie sich an, um zu entscheiden.`,
    again: (subject) =>
      html`${claimed(subject)} möchte hier alles verwalten. Melden Sie sich noch einmal an, bevor Sie
      entscheiden: Aus den letzten zehn Minuten kennen wir keinen Nachweis.`,
  },
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
  codeHint: (minutes) =>
    `Acht Ziffern. Der Code gilt noch ${minutes === 1 ? 'eine Minute' : `${minutes} Minuten`}, nur in diesem Browser.`,
  resend: 'Neuen Code senden',
  codeSent: (email) => html`Ein Code ist unterwegs an <bdi>${breakable(email)}</bdi>.`,
  codeMaybeSent: (email) =>
    html`Wenn hier jemand die Adresse <bdi>${breakable(email)}</bdi> hat, ist ein Code an sie unterwegs.`,
  codeInLog: (isForAnybody) =>
    html`Dieses Gatehouse läuft auf Ihrem eigenen Computer und hat keinen Mailserver.
      ${isForAnybody ? 'Der' : 'Wenn hier jemand die Adresse hat, steht der'} Code
      ${isForAnybody ? 'steht ' : ''}im Protokoll, in der Zeile <code>sign_in_code</code>. Sehen Sie im
      Terminal nach, in dem es gestartet wurde. Betreiber kommen auch ohne Code hinein: Der Befehl
      <code>gatehouse users sign-in-link</code> gibt einen Link aus.`,
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
    again: 'Mit einer anderen Adresse beginnen',
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
    next: html`Sagen Sie es seinem Betreiber: In den Einstellungen fehlt smtp. Betreiber kommen mit einem Link
      hinein, den <code>gatehouse users sign-in-link</code> auf dem Rechner ausgibt, auf dem dieses Gatehouse
      läuft.`,
  },
  signedOut: {
    title: 'Abgemeldet',
    heading: 'Sie sind abgemeldet',
    what: 'Dieser Browser ist nicht mehr angemeldet.',
    toInvitation: 'Zurück zur Einladung',
    again: 'Wieder anmelden',
  },

  operatorLink: {
    first: {
      title: 'Betrieb übernehmen',
      lead: (environment: string) =>
        html`Die Umgebung <bdi>${environment}</bdi> dieses Gatehouse betreibt noch niemand. Wer sie betreibt,
          darf alles darin sehen und ändern.`,
      button: 'Betrieb übernehmen',
    },
    known: {
      title: 'Als Betreiber anmelden',
      lead: (email: string) => html`als <bdi>${breakable(email)}</bdi>`,
      button: 'Anmelden',
    },
    once: 'Dieser Link gilt einmal. Diese Seite zu öffnen verbraucht ihn nicht.',
    over: {
      title: 'Dieser Link gilt nicht mehr',
      what: 'Er wurde benutzt, ist älter als 15 Minuten oder wurde durch einen neueren ersetzt. Auch jeder Start dieses Gatehouse beendet ihn.',
      next: html`Auf dem Rechner, auf dem dieses Gatehouse läuft, gibt
        <code>gatehouse users sign-in-link</code> einen neuen aus. Wer schon Betreiber ist, nennt dabei die
        eigene Adresse.`,
    },
  },

  signUp: {
    title: 'Registrieren',
    lead: (product, host) => html`Legen Sie bei ${product}, <bdi>${host}</bdi>, eine Organisation an.`,
    mailFails:
      'Der Mailserver hat die letzte Mail nicht angenommen, deshalb kommen Codes vielleicht nicht an.',
    repeated:
      'Dieses Formular kam schon einmal an und wird nicht noch einmal ausgeführt. Sehen Sie nach, ob es die Organisation gibt, bevor Sie dieses senden.',
    name: 'Name der Organisation',
    email: 'Ihre E-Mail-Adresse',
    emailHint: 'Im nächsten Schritt senden wir einen Code an sie.',
    emailHintWithoutMail:
      'Dieses Gatehouse hat keinen Mailserver: Der Code für den nächsten Schritt steht in seinem Protokoll.',
    givenName: 'Vorname',
    familyName: 'Nachname',
    create: 'Organisation anlegen',
    beenHere: html`Waren Sie schon hier? <a href="/sign-in">Anmelden</a>`,
    owner: (email) => html`Sie sind als <bdi>${breakable(email)}</bdi> angemeldet und werden ihr Inhaber.`,
    closed: {
      title: 'Hier kann sich niemand registrieren',
      what: 'Der Betreiber dieses Gatehouse legt die Organisationen an oder lädt Personen ein.',
      next: html`Bitten Sie ihn um eine Einladung. Wenn Sie schon hier waren,
        <a href="/sign-in">melden Sie sich an</a>.`,
    },
  },
};
