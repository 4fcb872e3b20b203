/** German words that all pages share, and those of pages with a single message. */
import { html } from 'hono/html';
import type { frame as english } from '../en/frame.ts';

const ASK_AGAIN =
  'gehen Sie zurück zu dem Agenten oder der App, von der Sie den Link haben, und bitten Sie um einen neuen Versuch: Sie bekommen einen neuen Link.';
const NEW_LINK = 'G' + ASK_AGAIN.slice(1);

export const frame: typeof english = {
  back: 'Zurück',
  continue: 'Weiter',
  more: 'Mehr',
  signOut: 'Abmelden',
  error: (title) => `Fehler: ${title}`,
  signedInAs: (email) => html`Sie sind als <bdi>${email}</bdi> angemeldet.`,
  utc: (time) => `${time} UTC`,

  lost: {
    title: 'Hier ist keine Seite',
    what: 'Vielleicht ist die Adresse vertippt oder wurde beim Kopieren abgeschnitten.',
    next: html`Wenn Sie einen Link bekommen haben, öffnen Sie den ganzen Link. Wenn nicht, gehen Sie zur
      <a href="/">Startseite</a>.`,
    nextWithoutFront: 'Wenn Sie einen Link bekommen haben, öffnen Sie den ganzen Link.',
  },
  busy: {
    title: 'Das ist im Moment nicht möglich',
    what: 'Gatehouse ist ausgelastet, oder es erreicht seine Datenbank nicht oder kann ein Geheimnis darin nicht öffnen. Es wurde nichts gespeichert.',
    next: 'Warten Sie einige Sekunden und versuchen Sie es noch einmal. Falls das wieder passiert, sagen Sie es dem Betreiber dieses Gatehouse.',
  },
  fault: {
    title: 'Hier ist etwas schiefgegangen',
    what: 'Das ist ein Fehler von Gatehouse, nicht Ihrer Eingabe. Er wurde protokolliert.',
    next: 'Versuchen Sie es gleich noch einmal. Falls das wieder passiert, sagen Sie es dem Betreiber dieses Gatehouse.',
  },
  changedApp: {
    title: 'Diese App wurde inzwischen geändert',
    next: 'Falls das wieder passiert, sagen Sie es dem Betreiber dieses Gatehouse.',
  },
  unsetApp: {
    title: 'Diese App ist noch nicht eingerichtet',
    next: 'Sagen Sie es dem Betreiber dieses Gatehouse. Sie haben nichts falsch gemacht, und der Link funktioniert, sobald das berichtigt ist, bis er abläuft.',
  },

  linkFailures: {
    unknown: {
      title: 'Wir finden diesen Link nicht',
      what: 'Vielleicht wurde er beim Kopieren abgeschnitten, oder sein Konto gibt es nicht mehr.',
      next: NEW_LINK,
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      what: 'Links gelten nur eine begrenzte Zeit, und die dieses Links ist um. Es wurde nichts gespeichert.',
      next: NEW_LINK,
    },
    used: {
      title: 'Dieser Link wurde schon benutzt',
      what: 'Jeder Link gilt einmal, und jemand hat diesen abgeschlossen.',
      next: `Wenn Sie das waren, bleibt nichts zu tun. Wenn nicht, sagen Sie es dem Betreiber der App. Um noch einmal zu verbinden, ${ASK_AGAIN}`,
    },
    csrf: {
      title: 'Dieses Formular gilt nicht mehr',
      what: 'Es wurde in einem anderen Browser oder in einer früheren Sitzung geöffnet, oder dieser Browser nimmt keine Cookies an. Es wurde nichts gespeichert.',
      next: 'Öffnen Sie den Link noch einmal in diesem Browser, erlauben Sie Cookies, und füllen Sie das Formular wieder aus.',
    },
  },

  nothingLeft: {
    title: 'Hier bleibt nichts zu tun',
    what: 'Wenn Sie vorher ein Konto verbunden haben, ist es verbunden. Sie können diese Seite schließen.',
    next: 'Gehen Sie zurück zu Ihrem Agenten und fragen Sie ihn noch einmal.',
  },
  connected: 'Verbunden',
  accountConnected: 'Das Konto ist verbunden. Sie können diese Seite schließen.',
  untried:
    'Was Sie eingegeben haben, konnte nicht geprüft werden. Gehen Sie zurück zu Ihrem Agenten und fragen Sie ihn noch einmal: Wenn die App es ablehnt, bekommen Sie einen neuen Link.',
  askAgainNow:
    'Gehen Sie zurück zu Ihrem Agenten und fragen Sie ihn noch einmal: Jetzt gelingt dieselbe Anfrage.',

  landing: {
    title: 'Agenten hinein, Schlüssel bleiben',
    heading: 'Agenten kommen hinein, Schlüssel bleiben drin',
    lead: 'Dies ist ein Gatehouse: Es gibt KI-Agenten Zugang zu den Apps anderer Leute und behält die Schlüssel.',
    people: 'Personen',
    signIn: 'Anmelden',
    signInHint: 'um zu sehen, wer Sie hier sind und wo Sie angemeldet sind',
    mcp: 'MCP-Clients',
    rest: 'REST-API',
    openapi: 'OpenAPI-Beschreibung',
    operators: 'Betreiber',
    commands: 'Befehle',
    commandsHint: 'für den Rechner, auf dem dieses Gatehouse läuft',
    link: 'Haben Sie einen Link bekommen, um ein Konto zu verbinden? Öffnen Sie den ganzen Link: Diese Seite ist nur sein erster Teil.',
  },

  operated: 'Bedient von der Befehlszeile',
  operatorsWork:
    'Betreiber arbeiten an dem Rechner, auf dem dieses Gatehouse läuft, nicht im Browser. Dort geben sie ein:',
  help: html`Jeder Befehl erklärt sich mit <code>--help</code>.`,
  notAnOperator: html`Kein Betreiber? <a href="/sign-in">Anmelden</a>`,
  commands: {
    'gatehouse accounts list': 'verbundene Konten und ihr Status',
    'gatehouse connect websearch': 'ein eigenes Konto verbinden',
    'gatehouse connections list': 'Apps, und wie sich Konten mit ihnen verbinden',
    'gatehouse tools list': 'die Werkzeuge, die Agenten aufrufen können',
    'gatehouse credentials create --name backend': 'Client-ID und Geheimnis für ein Programm',
    'gatehouse users list': 'die Personen, die sich hier anmelden',
    'gatehouse audit list': 'wer was getan hat',
    'gatehouse doctor': 'Einstellungen, Schlüssel und Datenbank prüfen',
  },
};
