/** German words of the pages of signed-in people, of invitations, and of forms that failed. */
import { html } from 'hono/html';
import type { people as english } from '../en/people.ts';

const AGAIN = html`<a href="/sign-in">Noch einmal beginnen</a>.`;
const TELL =
  'Falls das wieder passiert, sagen Sie es denen, die in Ihrer Organisation die Anmeldung verwalten.';

export const people: typeof english = {
  roles: { member: 'Mitglied', admin: 'Administrator', owner: 'Inhaber' },

  organizations: {
    title: 'Ihre Organisationen',
    none: 'Sie gehören zu keiner Organisation. Was Sie verbinden, gehört Ihnen allein.',
    choose: 'Wählen Sie die Organisation, in der Sie arbeiten.',
    current: (role) => `${role}, hier sind Sie gerade`,
    create: 'Noch eine Organisation anlegen',
    notYours: 'Sie gehören nicht zu dieser Organisation.',
  },

  members: {
    title: 'Mitglieder',
    lead: 'Bei Ihrem Identitätsanbieter gehört eine Adresse der ersten Person, die sich mit ihr angemeldet hat. Lösen Sie ein Mitglied, wenn die Adresse jetzt jemand anderem gehört oder der Anbieter ein neues Konto für es angelegt hat. Es wird überall abgemeldet, und die nächste Person, die sich mit der Adresse anmeldet, wird gebunden.',
    unbind: 'Lösen',
    unbindOne: (email) => `${email} lösen`,
  },

  sessions: {
    title: 'Wo Sie angemeldet sind',
    lead: 'Was Sie beenden, funktioniert innerhalb von fünf Sekunden nicht mehr. Konten, die Sie verbunden haben, bleiben.',
    browsers: 'Browser',
    apps: 'Apps',
    applications: 'Anwendungen, die für Sie handeln',
    older: 'Es gibt auch ältere, die hier nicht stehen.',
    nowhereElse: 'Sie sind sonst nirgends angemeldet.',
    endOthers: 'Alle anderen beenden',
    thisBrowser: 'Dieser Browser',
    anotherBrowser: 'Ein anderer Browser',
    since: (time) => html`angemeldet ${time}`,
    lastUsed: (time) => html`zuletzt benutzt ${time}`,
    lastRenewed: (time) => html`zuletzt erneuert ${time}`,
    within: (organization) => `in ${organization}`,
    at: (address) => html`bei ${address}`,
    device: (browser, system) => `${browser} unter ${system}`,
    endOthersTitle: 'Alle anderen Sitzungen beenden?',
    endSome: (count) => (count === 1 ? 'Eine Sitzung endet.' : `${count} Sitzungen enden.`),
    endMany: (count) => `Mehr als ${count} Sitzungen enden.`,
    endOthersLead:
      'Andere Browser, Apps und Anwendungen müssen sich neu anmelden oder Sie neu fragen. Dieser Browser bleibt angemeldet.',
    end: 'Beenden',
    endOne: (name) => `${name} beenden`,
  },

  invitation: {
    title: (organization) => `${organization} beitreten`,
    lead: (product, host) =>
      html`Sie sind bei ${product}, <bdi>${host}</bdi>, in diese Organisation eingeladen.`,
    invited: 'Eingeladen',
    as: 'Als',
    roles: {
      member: 'Mitglied: verbindet und benutzt eigene Konten.',
      admin: 'Administrator: verwaltet auch Konten, Mitglieder und Einladungen der Organisation.',
      owner: 'Inhaber: darf in der Organisation alles.',
    },
    join: 'Beitreten',
    footer: 'Wenn Sie nicht wissen, wer Sie einlädt, schließen Sie diese Seite.',
    footerBefore:
      'Als Nächstes zeigen Sie, dass die Adresse Ihnen gehört. Wenn Sie nicht wissen, wer Sie einlädt, schließen Sie diese Seite.',
  },
  otherInvitation: {
    title: 'Diese Einladung gilt einer anderen Adresse',
    what: (email, invited) =>
      html`Sie sind als <bdi>${email}</bdi> angemeldet, und die Einladung gilt <bdi>${invited}</bdi>. Nur die
        Person mit dieser Adresse kann sie annehmen.`,
    signOut: 'Abmelden und die andere Adresse benutzen',
  },
  noInvitation: {
    title: 'Diese Einladung ist nicht benutzbar',
    what: 'Sie wurde benutzt oder zurückgezogen, ist abgelaufen oder hat nie bestanden. Vielleicht wurde sie auch beim Kopieren abgeschnitten.',
    next: html`Wenn Sie sie schon angenommen haben, <a href="/sign-in">melden Sie sich an</a>. Wenn nicht,
      bitten Sie die Person, die Sie eingeladen hat, um eine neue.`,
  },
  unknownPerson: {
    title: 'Sie sind hier noch nicht bekannt',
    what: 'Einladungen gelten hier Personen, die schon bekannt sind. Es wurde nichts geändert.',
    next: 'Bitten Sie den Betreiber dieses Gatehouse, Sie aufzunehmen, und öffnen Sie dann den Link noch einmal.',
  },

  formFailures: {
    foreign: {
      title: 'Dieses Formular kam von einer anderen Website',
      what: 'Eine andere Website hat es gesendet. Es wurde nichts geändert.',
      next: 'Öffnen Sie die Seite hier und füllen Sie das Formular dort aus.',
    },
    csrf: {
      title: 'Dieses Formular gilt nicht mehr',
      what: 'Es wurde in einem anderen Browser oder in einer früheren Sitzung geöffnet, oder dieser Browser nimmt keine Cookies an. Es wurde nichts geändert.',
      next: 'Öffnen Sie die Seite noch einmal in diesem Browser, erlauben Sie Cookies, und füllen Sie das Formular wieder aus.',
    },
    other_content: {
      title: 'Das ist kein Formular',
      what: 'Diese Adresse nimmt nur application/x-www-form-urlencoded an. Es wurde nichts geändert.',
      next: 'Öffnen Sie die Seite in einem Browser und füllen Sie das Formular dort aus.',
    },
    too_large: {
      title: 'Das ist zu viel Text',
      what: 'Ein Formular fasst hier wenige kurze Texte. Es wurde nichts geändert.',
      next: 'Gehen Sie zurück und geben Sie weniger ein.',
    },
  },

  signInFailures: {
    state: {
      title: 'Diese Antwort war nicht zu erwarten',
      what: 'Jede Antwort einer Anmeldung gilt nur einmal. Diese wurde schon angenommen oder gehört zu nichts, was hier begonnen wurde.',
      next: AGAIN,
    },
    expired: {
      title: 'Das hat zu lange gedauert',
      what: 'Zur Sicherheit ist der Weg zu Ihrer Organisation und zurück nur 10 Minuten offen, und diese Zeit ist um.',
      next: AGAIN,
    },
    place: {
      title: 'Diese Antwort kam am falschen Ort an',
      what: 'Sie galt einer anderen Organisation als der, mit der Sie begonnen haben. Vielleicht wollte jemand die beiden vertauschen. Sie sind nicht angemeldet.',
      next: html`Wiederholen Sie nicht, was Sie von einer anderen Seite aus getan haben. ${AGAIN}`,
    },
    browser: {
      title: 'Das hat nicht in diesem Browser begonnen',
      what: 'Sie sind in einem anderen Browser zurückgekommen als dem, in dem Sie begonnen haben, oder dieser Browser nimmt keine Cookies an. Sie sind nicht angemeldet.',
      next: html`Wenn jemand Sie hierher geschickt hat, schließen Sie diese Seite. Wenn Sie selbst begonnen
        haben, <a href="/sign-in">beginnen Sie noch einmal</a> und bleiben Sie in einem Browser, der Cookies
        annimmt.`,
    },
    no_provider: {
      title: 'Diese Organisation meldet so nicht an',
      what: 'Sie hat hier keinen OpenID-Anbieter mit E-Mail-Domains, oder er wurde inzwischen geändert. Sie sind nicht angemeldet.',
      next: AGAIN,
    },
    denied: {
      title: 'Ihre Organisation hat Sie nicht angemeldet',
      what: 'Ihre Anmeldeseite hat abgelehnt. Sie sind nicht angemeldet.',
      next: html`Wenn Sie das so wollten, können Sie diese Seite schließen. Wenn nicht: ${AGAIN} ${TELL}`,
    },
    unreachable: {
      title: 'Ihre Organisation antwortet nicht',
      what: 'Ihre Anmeldung war von hier nicht erreichbar. Sie sind nicht angemeldet.',
      next: html`Warten Sie eine Minute. ${AGAIN} ${TELL}`,
    },
    answer: {
      title: 'Die Antwort Ihrer Organisation ist nicht brauchbar',
      what: 'Sie ist nicht so unterschrieben, gemacht oder gemeint, wie sie sein muss, und wurde deshalb nicht geglaubt. Sie sind nicht angemeldet.',
      next: html`${AGAIN} ${TELL}`,
    },
    email: {
      title: 'Diese Adresse gehört nicht zu Ihrer Organisation',
      what: 'Ihre Organisation bürgt nur für Adressen ihrer eigenen Domains, und diese ist keine davon. Sie sind nicht angemeldet.',
      next: html`Wenn Sie dort mit einer anderen Adresse angemeldet sind, melden Sie sich dort ab und
        <a href="/sign-in">beginnen Sie noch einmal</a>. Wenn Sie hier jene andere Adresse verwenden wollen,
        geben Sie sie am Anfang ein. ${TELL}`,
    },
    unverified: {
      title: 'Ihre Adresse ist nicht bestätigt',
      what: 'Ihre Organisation hat nicht gesagt, dass diese E-Mail-Adresse bestätigt ist. Sie sind nicht angemeldet.',
      next: 'Bitten Sie die Personen, die in Ihrer Organisation die Anmeldung verwalten, Ihre Adresse zu bestätigen und email_verified zu senden. Wenn sie es gar nicht senden können, kann der Betreiber dieses Gatehouse Antworten ohne es zulassen.',
    },
    stale: {
      title: 'Ihre Organisation hat Sie nicht noch einmal gefragt',
      what: 'Hierfür braucht es einen Nachweis aus den letzten Minuten, wer Sie sind. Ihre Organisation hat geantwortet, ohne zu sagen, dass Sie sich gerade dort angemeldet haben (auth_time). Ihre frühere Anmeldung hier gilt weiter.',
      next: html`Melden Sie sich dort ab, gehen Sie zurück und versuchen Sie es noch einmal. Wenn das nicht
        hilft, fragen Sie die Personen, die in Ihrer Organisation die Anmeldung verwalten. Betreiber kommen
        auch mit <code>gatehouse users sign-in-link</code> auf dem Rechner selbst hinein.`,
    },
    identity: {
      title: 'Diese Adresse gehört hier jemand anderem',
      what: 'Ihre Organisation nennt unter dieser Adresse oder dieser Anmeldung eine andere Person als zuvor. Sie sind nicht angemeldet.',
      next: 'Wenn die Adresse jetzt Ihnen gehört oder Ihre Organisation ein neues Konto für Sie angelegt hat, bitten Sie einen Inhaber Ihrer Organisation, die Adresse auf der Seite Mitglieder zu lösen.',
    },
  },

  refusals: {
    POLICY_DENIED: {
      title: 'Das ist nicht erlaubt',
      next: 'Das hat eine Regel des Betreibers dieses Gatehouse entschieden. Fragen Sie ihn, wenn Sie das für falsch halten.',
    },
    PERMISSION_DENIED: {
      title: 'Das dürfen Sie nicht',
      next: 'Es wurde nichts geändert. Wenn Sie meinen, dass Sie es dürfen sollten, fragen Sie die Verwalter Ihrer Organisation.',
    },
    RESOURCE_NOT_FOUND: {
      title: 'Das gibt es nicht mehr',
      what: 'Es ist beendet oder wurde entfernt, oder es gehört nicht Ihnen.',
      next: AGAIN,
    },
    UNAUTHENTICATED: { title: 'Sie sind nicht mehr angemeldet', next: AGAIN },
    INVALID_ARGUMENT: {
      title: 'Das können wir nicht annehmen',
      next: 'Gehen Sie zurück und geben Sie es noch einmal ein.',
    },
  },
  tooOften: {
    title: 'Zu viele Versuche',
    next: (minutes) =>
      `Versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} noch einmal. Ein Code, den Sie schon haben, gilt weiter.`,
    codes: 'Von hier wurden zu viele Anmeldungen begonnen.',
    organizations: 'Sie haben zu viele Organisationen auf einmal angelegt.',
  },
};
