/** German words that all pages share, and those of pages with a single message. */
import { html } from 'hono/html';
import { breakable } from '../html.ts';
import type { frame as english } from '../en/frame.ts';

const ASK_AGAIN =
  'gehen Sie zurück zu dem Agenten oder der App, von der Sie den Link haben, und bitten Sie um einen neuen Versuch: Sie bekommen einen neuen Link.';
const NEW_LINK = 'G' + ASK_AGAIN.slice(1);

export const frame: typeof english = {
  back: 'Zurück',
  cancel: 'Abbrechen',
  continue: 'Weiter',
  more: 'Mehr',
  signOut: 'Abmelden',
  helpPage: 'Hilfe',
  privacy: 'Datenschutz',
  runsOn: (product) => `Läuft auf ${product}`,
  error: (title) => `Fehler: ${title}`,
  signedInAs: (email) => html`Sie sind als <bdi>${breakable(email)}</bdi> angemeldet.`,
  utc: (time) => `${time} UTC`,
  menu: { label: 'Ihre Seiten', accounts: 'Konten', sessions: 'Sitzungen', organizations: 'Organisation' },
  done: {
    disconnected: (app) => `${app} ist getrennt.`,
    appEnded: (app) => `${app} darf nicht mehr für Sie handeln.`,
    sessionsEnded: (count) => (count === '1' ? '1 Sitzung beendet.' : `${count} Sitzungen beendet.`),
  },

  lost: {
    title: 'Hier ist keine Seite',
    what: 'Vielleicht ist die Adresse vertippt oder wurde beim Kopieren abgeschnitten.',
    next: html`Wenn Sie einen Link bekommen haben, öffnen Sie den ganzen Link. Wenn nicht, gehen Sie zur
      <a href="/">Startseite</a>.`,
    nextWithoutFront: 'Wenn Sie einen Link bekommen haben, öffnen Sie den ganzen Link.',
  },
  forPrograms: {
    title: 'Diese Adresse ist für Programme',
    what: 'KI-Agenten und andere Programme rufen sie mit einem Zugangstoken auf. Im Browser gibt es hier nichts zu sehen.',
    next: html`Wenn ein Agent nach der Adresse gefragt hat, fügen Sie sie dort ein. Wenn Sie sich umsehen
      wollen, gehen Sie zur <a href="/">Startseite</a>.`,
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
    declined: {
      title: 'Sie haben das Konto nicht verbunden',
      what: 'Es wurde nichts gespeichert, und der Link gilt nicht mehr. Der Agent erfährt, dass Sie abgelehnt haben, und darf einen Tag lang nicht wieder fragen.',
      next: 'Sie können diese Seite schließen. Wenn Sie es sich anders überlegen, sagen Sie es den Leuten, die den Agenten betreiben.',
    },
    csrf: {
      title: 'Dieses Formular gilt nicht mehr',
      what: 'Es wurde in einem anderen Browser oder in einer früheren Sitzung geöffnet, oder dieser Browser nimmt keine Cookies an. Es wurde nichts gespeichert.',
      next: 'Öffnen Sie den Link noch einmal in diesem Browser, erlauben Sie Cookies, und füllen Sie das Formular wieder aus.',
    },
  },

  ownDeclined: {
    title: 'Sie haben das Konto nicht verbunden',
    what: 'Es wurde nichts gespeichert, und der Link gilt nicht mehr. Ein Agent, der dieses Konto innerhalb eines Tages braucht, erfährt, dass Sie abgelehnt haben.',
    next: html`Sie können diese Seite schließen. Wenn Sie es sich anders überlegen, verbinden Sie es von
      <a href="/accounts">Ihren Konten</a> aus.`,
  },

  nothingLeft: {
    title: 'Hier bleibt nichts zu tun',
    what: 'Wenn Sie vorher ein Konto verbunden haben, ist es verbunden. Sie können diese Seite schließen.',
    next: 'Gehen Sie zurück zu Ihrem Agenten und fragen Sie ihn noch einmal.',
  },
  connected: 'Verbunden',
  appConnected: (app) => `${app} ist verbunden`,
  appConnectedAs: (app, name) => html`${app} ist als <bdi>${name}</bdi> verbunden`,
  askFirst: 'Was Sie zuerst fragen können',
  closePage: 'Sie können diese Seite schließen.',
  closePageOrGoOn: html`Sie können diese Seite schließen oder zu <a href="/accounts">Ihren Konten</a> gehen.`,
  untried:
    'Was Sie eingegeben haben, konnte nicht geprüft werden. Gehen Sie zurück zu Ihrem Agenten und fragen Sie ihn noch einmal: Wenn die App es ablehnt, bekommen Sie einen neuen Link.',
  askAgainNow:
    'Wenn ein Agent darum gebeten hat, gehen Sie zurück und fragen Sie ihn noch einmal: Jetzt gelingt dieselbe Anfrage.',

  landing: {
    title: 'Agenten hinein, Schlüssel bleiben',
    heading: 'Agenten kommen hinein, Schlüssel bleiben drin',
    lead: 'Dies ist ein Gatehouse: Es gibt KI-Agenten Zugang zu den Apps anderer Leute und behält die Schlüssel.',
    people: 'Personen',
    signIn: 'Anmelden',
    signInHint: 'um zu sehen, wer Sie hier sind und wo Sie angemeldet sind',
    mcp: 'MCP-Clients',
    rest: 'REST-API',
    reference: 'Referenz',
    openapi: 'OpenAPI-Beschreibung',
    operators: 'Betreiber',
    dashboard: 'Dashboard',
    dashboardHint: 'was verbunden ist und aufgerufen wird, und was Aufmerksamkeit braucht',
    link: 'Haben Sie einen Link bekommen, um ein Konto zu verbinden? Öffnen Sie den ganzen Link: Diese Seite ist nur sein erster Teil.',
  },
};
