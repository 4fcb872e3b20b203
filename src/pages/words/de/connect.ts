/** German words of the pages of a link and of a provider's callback. */
import { html } from 'hono/html';
import { breakable } from '../html.ts';
import type { connect as english, FieldNames } from '../en/connect.ts';

const again = (hasButton: boolean): string =>
  hasButton
    ? 'wählen Sie „Noch einmal versuchen“: Ihr Link funktioniert, bis er abläuft.'
    : 'öffnen Sie Ihren Link noch einmal: Er funktioniert, bis er abläuft. Ist er abgelaufen, bitten Sie den Agenten um einen neuen.';
const openAgain = (hasButton: boolean): string => capitalized(again(hasButton));
const TELL = 'Falls das wieder passiert, sagen Sie es dem Betreiber dieses Gatehouse.';
const SETUP =
  'Sagen Sie es dem Betreiber dieses Gatehouse: Die Verbindung muss berichtigt werden, bevor sich jemand verbinden kann. Den Link vorher noch einmal zu öffnen hilft nicht.';

function capitalized(app: string): string {
  return app.charAt(0).toUpperCase() + app.slice(1);
}

/**
 * Texts by the constraint of the rule. Other violations are not about text entered in this form, and keep their
 * message.
 */
const FIELD_PROBLEMS: ReadonlyMap<string, (field: FieldNames, app: string) => string> = new Map([
  ['required', ({ label }) => `${label} fehlt.`],
  ['max_length', ({ label }) => `${label} ist zu lang.`],
  ['characters', ({ label }) => `${label} enthält Zeichen, die hier nicht erlaubt sind.`],
  ['enum', ({ label }) => `Wählen Sie ${label} aus der Liste.`],
  [
    'pattern',
    ({ label, example }, app) =>
      example === undefined
        ? `${label} hat nicht die Form, die ${app} erwartet.`
        : `${label} muss so aussehen: ${example}.`,
  ],
  [
    'refused',
    ({ label }, app) =>
      `${app} nimmt das nicht an: ${label}. Prüfen Sie, ob alles vollständig und noch gültig ist, und geben Sie es noch einmal ein.`,
  ],
  [
    'identifier',
    ({ label }) =>
      `${label} muss Ihr eigener Name sein. Jemand anderen kann nur der Betreiber nennen, über die API.`,
  ],
]);

export const connect: typeof english = {
  title: (app) => `${app} verbinden`,
  lead: (who, app) => html`${who} möchte ${app} für Sie benutzen.`,
  ownLead: (app) => `Ihre Agenten können danach ${app} für Sie benutzen.`,
  ownFormPromise: 'Sie sehen die Antworten, nie das, was Sie hier eingeben.',
  ownMayDo: 'Was sie tun dürfen',
  anAgent: 'Ein KI-Agent',
  named: (name) => html`<bdi>${name}</bdi>`,
  callsItself: (name) => html`Ein KI-Agent, der sich <bdi>${name}</bdi> nennt,`,
  sentBy: (name) => html`Die Anfrage kommt von <bdi>${name}</bdi>; den anderen Namen hat niemand geprüft.`,
  nobodyChecked: 'Niemand hat diesen Namen geprüft.',
  onlyBy: (name: string) =>
    html`Nur
    ${name === '' ? 'wer diesen Link erstellt hat,' : html`<bdi>${breakable(name)}</bdi> (von dort kommt dieser Link)`}
    kann ihn abschließen und meldet sich dazu an. Andere brauchen einen eigenen Link.`,
  fromCatalog: (text) => html`<bdi lang="en">${text}</bdi>`,
  signInFirst: 'Melden Sie sich zuerst an, damit wir wissen, wem das Konto gehören wird, das Sie verbinden.',
  signIn: 'Anmelden und fortfahren',
  otherPerson: {
    title: 'Dieser Link ist für jemand anderen',
    what: (owner, app, you) =>
      html`Nur <bdi>${breakable(owner)}</bdi> kann damit ${app} verbinden, und Sie sind als ${you} angemeldet.`,
    next: 'Wenn Sie das unter einer anderen Adresse sind, melden Sie sich mit dieser an. Wenn jemand Ihnen den Link geschickt hat, schließen Sie diese Seite: Was Sie hier verbinden, würde jemand anderem gehören.',
    signIn: 'Mit einer anderen Adresse anmelden',
  },
  formPromise: 'Er sieht die Antworten, nie das, was Sie hier eingeben.',
  consentPromise: (host) => html`Sie erlauben es bei ${host}: Ihr Passwort bleibt dort.`,
  app: 'App',
  owner: 'Für',
  leadsTo: 'Weiter bei',
  compareHost: 'vergleichen Sie das mit der Adresszeile, bevor Sie sich anmelden',
  formReasons: {
    ACTIVE: 'Dieses Konto ist schon verbunden. Was Sie eingeben, ersetzt das Gespeicherte.',
    EXPIRED:
      'Die gespeicherten Zugangsdaten dieses Kontos funktionieren nicht mehr. Geben Sie neue ein, um fortzufahren.',
    DISCONNECTED: 'Dieses Konto wurde getrennt. Geben Sie die Zugangsdaten ein, um es wieder zu verbinden.',
    PENDING_VERIFICATION:
      'Zugangsdaten für dieses Konto warten auf Ihre Bestätigung. Was Sie eingeben, ersetzt sie.',
  },
  consentReasons: {
    ACTIVE: 'Dieses Konto ist schon verbunden. Was Sie jetzt erlauben, ersetzt das Gespeicherte.',
    EXPIRED:
      'Die Verbindung dieses Kontos ist abgelaufen. Erlauben Sie den Zugriff noch einmal, um fortzufahren.',
    DISCONNECTED: 'Dieses Konto wurde getrennt. Erlauben Sie den Zugriff, um es wieder zu verbinden.',
    PENDING_VERIFICATION:
      'Der Zugriff auf dieses Konto wartet auf Ihre Bestätigung. Was Sie jetzt erlauben, ersetzt ihn.',
  },
  stored: (host) => html`Was Sie eingeben, wird auf <bdi>${host}</bdi> verschlüsselt gespeichert.`,
  triedAndStored: (app, host) =>
    html`Was Sie eingeben, wird bei ${app} geprüft und dann auf <bdi>${host}</bdi> verschlüsselt gespeichert.`,
  grantStored: (app, host) =>
    html`Was ${app} gewährt, wird auf <bdi>${host}</bdi> verschlüsselt gespeichert. Der Agent sieht es nie.`,
  confirmElsewhere: (host) => html`Danach bestätigen Sie bei <bdi>${host}</bdi>, dass Sie es sind.`,
  worksUntil: (time, left) => html`Diese Seite gilt bis ${time} (${left}).`,
  lessThanAMinute: 'weniger als eine Minute',
  minutesLeft: (count) => (count === 1 ? 'noch eine Minute' : `noch ${count} Minuten`),
  hoursLeft: (count) => `noch ${count} Stunden`,

  mayDo: 'Was er tun darf',
  powers: { read: 'Lesen', change: 'Anlegen und ändern', delete: 'Löschen', other: 'Außerdem' },
  moreBelow: (count) => `Und ${count} weitere, siehe unten.`,
  allPermissions: (count) =>
    count === 1
      ? 'Die Berechtigung mit ihrem Namen'
      : count === 2
        ? 'Beide Berechtigungen mit ihren Namen'
        : `Alle ${count} Berechtigungen mit ihren Namen`,
  decline: 'Nicht verbinden',
  tryAgain: 'Noch einmal versuchen',
  continueTo: (host) => html`Weiter zu ${host}`,
  tickedScopes: (app, host) =>
    html`Es gelten die Berechtigungen, die in der bei ${app} registrierten App angekreuzt sind. Lesen Sie, was
    ${host} anzeigt, bevor Sie zustimmen.`,
  noScopes: (host) =>
    html`Es werden keine besonderen Berechtigungen verlangt. Lesen Sie, was ${host} anzeigt, bevor Sie
    zustimmen.`,
  scopesNamedThere: (host) =>
    html`${host} nennt die Berechtigungen. Lesen Sie, was dort steht, bevor Sie zustimmen.`,
  requestedScopes: (host) => html`${host} fragt Sie nach genau diesen Berechtigungen.`,
  neededScopes: (app, host) =>
    html`${host} zeigt vielleicht mehr oder weniger: Es gilt, was in der bei ${app} registrierten App
    angekreuzt ist.`,

  optional: '(freiwillig)',
  choose: 'Bitte wählen',
  show: 'Anzeigen',
  hide: 'Verbergen',
  didYouAsk: 'Haben Sie darum gebeten?',
  warning: (what) =>
    `Wenn Sie diesen Link nicht erwartet haben, schließen Sie die Seite: ${what}, würde dem Agenten eines anderen dienen.`,
  whatYouEnter: 'Was Sie eingeben',
  whatYouAllow: 'Was Sie erlauben',
  whatYouConnect: 'Was Sie verbinden',
  correctThis: 'Es wurde nichts gespeichert. Bitte berichtigen Sie:',
  repeated: 'Jedes Feld darf nur einmal gesendet werden.',
  fieldProblem: ({ description, constraint }, field, app) =>
    FIELD_PROBLEMS.get(constraint)?.(field, app) ?? description,

  moment: 'Einen Moment',
  takesOver: (app) => `Gatehouse liest die Antwort von ${app}.`,
  oneMoreStep: 'Noch ein Schritt',
  pasteToken: (app) =>
    `${app} hat Sie zurückgeschickt, aber Ihr Browser konnte das Token nicht übergeben. Bitte tun Sie es von Hand.`,
  copyToken: (app) =>
    html`Kopieren Sie das Token und fügen Sie es unten ein. Es steht am Ende der Adresse dieser Seite, hinter
      <code>#token=</code>, oder auf der Seite von ${app}, von der Sie kommen.`,
  token: 'Token',
  tokenHint: 'Es wird verschlüsselt gespeichert. Der Agent sieht es nie.',

  tooLarge: {
    title: 'Das ist zu viel Text',
    what: (kilobytes) => `Ein Formular fasst ${kilobytes} kB. Es wurde nichts gespeichert.`,
    next: 'Gehen Sie zurück und geben Sie nur die Zugangsdaten ein, ohne etwas davor oder danach.',
  },
  foreignForm: {
    title: 'Dieses Formular kam von einer anderen Website',
    what: 'Eine andere Website hat es gesendet. Es wurde nichts gespeichert.',
    next: 'Öffnen Sie den Link selbst und füllen Sie das Formular dort aus.',
  },
  notAForm: {
    title: 'Das ist kein Formular',
    what: 'Diese Adresse nimmt nur application/x-www-form-urlencoded an. Es wurde nichts gespeichert.',
    next: 'Öffnen Sie den Link in einem Browser und füllen Sie das Formular dort aus.',
  },
  noCookies: {
    title: 'Dieser Browser behält keine Cookies',
    what: 'Ohne Cookie kann Gatehouse nicht erkennen, dass Sie es sind, der vom Anbieter zurückkommt. Es wurde nichts begonnen.',
    next: 'Erlauben Sie Cookies für diese Website, oder öffnen Sie den Link in einem anderen Browser.',
  },

  theProvider: 'der Anbieter',
  inTheWordsOf: (app) => `In den Worten von ${app}, nicht von Gatehouse:`,
  callbackFailures: {
    state: {
      title: () => 'Diese Antwort war nicht zu erwarten',
      what: () =>
        'Jede Antwort eines Anbieters gilt nur einmal. Diese wurde schon angenommen oder gehört zu nichts, was hier begonnen wurde. Es wurde nichts geändert.',
      next: (hasButton) =>
        `Wenn Sie die Seite nur neu geladen haben, gehen Sie zurück zu Ihrem Agenten: Vielleicht ist das Konto schon verbunden. Falls nicht, ${again(hasButton)}`,
    },
    expired: {
      title: () => 'Das hat zu lange gedauert',
      what: (app) =>
        `Zur Sicherheit ist der Weg zu ${app} und zurück nur kurze Zeit offen, und diese Zeit ist um. Es wurde nichts gespeichert.`,
      next: openAgain,
    },
    connection: {
      title: () => 'Diese Antwort kam am falschen Ort an',
      what: () =>
        'Sie galt einer anderen App als der, mit der Sie begonnen haben. Vielleicht wollte jemand die beiden vertauschen. Es wurde nichts gespeichert.',
      next: (hasButton) =>
        `Wiederholen Sie nicht, was Sie von einer anderen Seite aus getan haben. ${openAgain(hasButton)} ${TELL}`,
    },
    browser: {
      title: () => 'Das hat nicht in diesem Browser begonnen',
      what: (app) =>
        `Sie sind von ${app} in einem anderen Browser zurückgekommen als dem, in dem Sie begonnen haben, oder dieser Browser nimmt keine Cookies an. Es wurde nichts gespeichert.`,
      next: () =>
        'Wenn jemand Sie hierher geschickt hat, schließen Sie diese Seite. Wenn Sie den Link selbst geöffnet haben, öffnen Sie ihn noch einmal und bleiben Sie in einem Browser, der Cookies annimmt.',
    },
    malformed: {
      title: () => 'Diese Antwort ist nicht lesbar',
      what: (app) =>
        `Was ${app} zurückgeschickt hat, ist unvollständig oder widerspricht sich. Es wurde nichts gespeichert.`,
      next: (hasButton) => `${openAgain(hasButton)} ${TELL}`,
    },
    issuer: {
      title: () => 'Diese Antwort kommt von jemand anderem',
      what: (app) =>
        `Sie haben mit ${app} begonnen, und laut der Antwort hat ein anderer Anbieter sie gegeben. Sie wurde nicht benutzt, und es wurde nichts gespeichert.`,
      next: (hasButton) => `${openAgain(hasButton)} ${TELL}`,
    },
    denied: {
      title: () => 'Der Zugriff wurde nicht erlaubt',
      what: (app) =>
        `${capitalized(app)} sagt, dass der Zugriff abgelehnt wurde. Es wurde nichts gespeichert.`,
      next: (hasButton) =>
        `Wenn Sie das so wollten, können Sie diese Seite schließen. Wenn Sie keine Wahl hatten, fragen Sie dort den Administrator Ihres Kontos. Um den Zugriff doch zu erlauben, ${again(hasButton)}`,
    },
    provider_error: {
      title: (app) => `${capitalized(app)} konnte nicht fortfahren`,
      what: (app) =>
        `${capitalized(app)} hat mit einem Fehler abgebrochen, bevor Sie gefragt wurden. Es wurde nichts gespeichert.`,
      next: (hasButton) =>
        `${openAgain(hasButton)} Falls das wieder passiert, sagen Sie dem Betreiber dieses Gatehouse, was hier steht.`,
    },
    code_refused: {
      title: () => 'Der letzte Schritt ist gescheitert',
      what: (app) =>
        `Sie haben den Zugriff erlaubt, aber ${app} nahm die eigene Antwort nicht mehr an, als Gatehouse sie vorlegte. Es wurde nichts gespeichert.`,
      next: (hasButton) => `${openAgain(hasButton)} ${TELL}`,
    },
    client_refused: {
      title: (app) => `${capitalized(app)} kennt dieses Gatehouse nicht`,
      what: (app) =>
        `Sie haben den Zugriff erlaubt, aber ${app} lehnt die Client-ID oder das Geheimnis ab, mit dem Gatehouse registriert ist. Es wurde nichts gespeichert, und Sie haben nichts falsch gemacht.`,
      next: () => SETUP,
    },
    unreachable: {
      title: (app) => `${capitalized(app)} antwortet nicht`,
      what: (app) =>
        `Sie haben den Zugriff erlaubt, aber ${app} war für den letzten Schritt nicht erreichbar. Es wurde nichts gespeichert.`,
      next: (hasButton) => `Warten Sie eine Minute. ${openAgain(hasButton)}`,
    },
    bad_answer: {
      title: () => 'Der letzte Schritt ist gescheitert',
      what: (app) =>
        `Sie haben den Zugriff erlaubt, aber mit der Antwort von ${app} kann Gatehouse nichts anfangen. Es wurde nichts gespeichert.`,
      next: (hasButton) => `${openAgain(hasButton)} ${TELL}`,
    },
    no_metadata: {
      title: () => 'Der letzte Schritt ist gescheitert',
      what: (app) =>
        `Sie haben den Zugriff erlaubt, aber ${app} hat nicht gesagt, welches Ihrer Konten gemeint ist. Es wurde nichts gespeichert.`,
      next: (hasButton) =>
        `Sehen Sie nach, ob Sie dort ein nutzbares Konto haben. ${openAgain(hasButton)} ${TELL}`,
    },
    several_accounts: {
      title: () => 'Welches Konto ist gemeint?',
      what: (app) =>
        `Sie haben den Zugriff auf mehrere Konten von ${app} zugleich erlaubt, und nur eines kann verbunden werden. Es wurde nichts gespeichert.`,
      next: (hasButton) =>
        `Erlauben Sie nur eines davon. ${openAgain(hasButton)} Wenn Sie dort nicht wählen können, sagen Sie dem Betreiber dieses Gatehouse, welches Sie meinen.`,
    },
    start_failed: {
      title: (app) => `${capitalized(app)} lässt Sie nicht ein`,
      what: (app) =>
        `Gatehouse hat ${app} nach der Adresse der Zustimmungsseite gefragt und keine brauchbare Antwort bekommen. Es wurde nichts begonnen und nichts gespeichert.`,
      next: (hasButton) => `Warten Sie eine Minute. ${openAgain(hasButton)} ${TELL}`,
    },
    start_refused: {
      title: (app) => `${capitalized(app)} kennt dieses Gatehouse nicht`,
      what: (app) =>
        `Bevor Sie gefragt werden konnten, hat ${app} den Schlüssel oder das Geheimnis abgelehnt, mit dem Gatehouse registriert ist. Es wurde nichts gespeichert, und Sie haben nichts falsch gemacht.`,
      next: () => SETUP,
    },
  },

  confirmTitle: (app) => `${app} bestätigen`,
  confirmQuestion: (app) => `${app} verbinden?`,
  confirmWhat: (app) =>
    `Der Zugriff auf ${app} wurde gerade in diesem Browser gegeben. Er wird nur benutzt, wenn Sie zustimmen.`,
  connectedAs: 'als',
  usedBy: 'Benutzt von',
  yourAgents: 'Ihren Agenten',
  agentsOf: (organization) => `Agenten von ${organization}`,
  notOnlyYours: 'nicht nur Ihren eigenen',
  ifYouDoNothing: 'Wenn Sie nichts tun, löscht Gatehouse diesen Zugriff.',
  otherBrowser: {
    title: 'In diesem Browser können Sie das nicht bestätigen',
    what: (app, email) =>
      html`Der Zugriff auf ${app} wurde in einem anderen Browser gegeben, für ein Konto, das Ihnen gehört
      (<bdi>${email}</bdi>). Es ist nichts verbunden: Nur der Browser, in dem der Zugriff gegeben wurde, kann
      ihn bestätigen.`,
    next: (app) =>
      `Wenn Sie das nicht waren, versucht vielleicht jemand, sein eigenes Konto bei ${app} als Ihres zu verbinden. Schließen Sie diese Seite, und sagen Sie es dem Betreiber dieses Gatehouse. Wenn Sie es waren, gehen Sie zurück zu jenem Browser, oder bitten Sie Ihren Agenten um einen neuen Link.`,
    footer: 'Wenn niemand bestätigt, löscht Gatehouse diesen Zugriff.',
  },
  notYours: {
    title: 'Diese Verbindung gehört nicht Ihnen',
    what: (email) =>
      html`Sie sind als <bdi>${email}</bdi> angemeldet, und die Verbindung wurde für jemand anderen begonnen.
        Was gegeben wurde, wartet auf diese Person: Nur sie kann es bestätigen, und vorher benutzt es niemand.`,
    next: 'Wenn jemand Ihnen den Link geschickt hat, antworten Sie nicht. Öffnen Sie die Einstellungen der App und entfernen Sie den Zugriff, den Sie gegeben haben. Wenn der Link für eine andere Adresse von Ihnen war, melden Sie sich mit dieser an.',
    signOut: 'Abmelden und eine andere Adresse benutzen',
  },
  nothingToConfirm: {
    title: 'Hier gibt es nichts zu bestätigen',
    what: 'Es wurde schon bestätigt, hat zu lange gedauert, oder jemand anderes hat es zu oft versucht.',
    next: 'Wenn das Konto nicht verbunden ist, gehen Sie zurück zu Ihrem Agenten und bitten Sie ihn, es noch einmal zu versuchen: Er gibt Ihnen einen neuen Link.',
  },
};
