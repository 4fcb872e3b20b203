/** German words of `/accounts`: what a person connected, and who may use it. */
import { html } from 'hono/html';
import { breakable } from '../html.ts';
import type { accounts as english } from '../en/accounts.ts';

export const accounts: typeof english = {
  title: 'Ihre Konten',
  lead: 'Agenten, die für Sie handeln, benutzen diese Konten. Die Schlüssel bleiben hier: Kein Agent sieht sie.',
  none: 'Sie haben noch kein Konto verbunden.',
  statuses: {
    ACTIVE: 'Aktiv',
    EXPIRED: 'Abgelaufen: bitte neu verbinden',
    PENDING_AUTH: 'Noch nicht verbunden',
    PENDING_VERIFICATION: 'Wartet auf Ihre Bestätigung',
    DISCONNECTED: 'Getrennt',
  },
  since: (time) => html`hinzugefügt ${time}`,
  neverUsed: 'nie benutzt',
  lastUsed: (time, by) => html`zuletzt benutzt ${time}${by === '' ? '' : html`, ${by}`}`,
  by: (client) => html`von <bdi>${breakable(client)}</bdi>`,
  usedBy: {
    mcp: 'von einem Agenten',
    api: 'von einer Anwendung',
    proxy: 'von einer Anwendung',
    cli: 'von einem Betreiber',
    dashboard: 'von einem Betreiber',
  },
  connect: 'Verbinden',
  reconnect: 'Neu verbinden',
  reconnectOne: (app) => `${app} neu verbinden`,
  disconnect: 'Trennen',
  disconnectOne: (app) => `${app} trennen`,
  connectApp: 'Eine App verbinden',

  clients: 'Dürfen für Sie handeln',
  clientsLead:
    'Diese Apps und Anwendungen benutzen Ihre Konten, bis Sie es beenden. Ihre Anmeldungen stehen unter Sitzungen.',
  noClients: 'Keine App darf für Sie handeln.',
  signIns: (count) => (count === 1 ? '1 Anmeldung' : `${count} Anmeldungen`),
  clientSince: (time) => html`zuerst erlaubt ${time}`,
  end: 'Beenden',
  endOne: (app) => `${app} beenden`,

  disconnecting: {
    title: (app) => `${app} trennen?`,
    what: (app) =>
      `Die Schlüssel werden hier gelöscht. Bei ${app} werden sie widerrufen, wo das möglich ist und kein anderes Konto sie brauchen könnte. Agenten können dieses Konto nicht mehr benutzen.`,
    stays: 'Das Konto bleibt in Ihrer Liste, damit Sie es wieder verbinden können.',
  },
  connecting: {
    title: 'Eine App verbinden',
    lead: 'Wählen Sie eine App. Die nächste Seite sagt, worum sie bittet.',
    none: 'Hier gibt es noch keine App zu verbinden. Der Betreiber dieses Gatehouse richtet sie ein.',
    has: 'schon in Ihrer Liste',
    second: (app) => `Ein weiteres Konto bei ${app}`,
    secondLead:
      'Diese App steht schon in Ihrer Liste. Geben Sie dem neuen Konto einen Namen, an dem Sie und Ihre Agenten es von anderen unterscheiden.',
    name: 'Name',
    taken: 'Sie haben schon ein Konto mit diesem Namen. Wählen Sie einen anderen.',
  },
};
