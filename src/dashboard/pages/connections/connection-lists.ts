/** The list of connections, and the gallery of connectors from which a connection can be made. */
import { html } from 'hono/html';
import type { Catalog, Connector } from '../../../catalog/model/types.ts';
import type { ConnectionView } from '../../../connections/connection-views.ts';
import type { ConnectionUsage } from '../../../connections/connections.ts';
import { badge, monogram, tag } from '../../components/badge.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { filters } from '../../components/filters.ts';
import { count } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Html } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { connections as words } from '../../words/connections.ts';
import { connectionPath, CONNECTIONS } from './connection-page.ts';

/** A connection with its accounts and servers. */
export interface UsedConnection {
  connection: ConnectionView;
  usage: ConnectionUsage;
}

/** Path of the gallery. With `connector` in the query it is the form for a new connection. */
export const NEW_CONNECTION = `${CONNECTIONS}/new`;

/** The list, by name. */
export function connectionList(catalog: Catalog, rows: readonly UsedConnection[]): Page {
  const { columns } = words;
  const add = linkButton(NEW_CONNECTION, words.add, 'primary');
  return {
    title: words.title,
    lead: words.lead,
    actions: add,
    content: card({
      id: 'connections',
      title: words.heading,
      content:
        rows.length === 0
          ? empty(words.none, linkButton(NEW_CONNECTION, words.add))
          : table<UsedConnection>(
              words.title,
              [
                { label: columns.name, cell: ({ connection }) => nameOf(catalog, connection) },
                {
                  label: columns.type,
                  cell: ({ connection }) => connection.authorization_type,
                  leftOutOn: 'phone',
                },
                {
                  label: columns.accounts,
                  cell: ({ usage }) => `${usage.isAtLeast ? '> ' : ''}${count(usage.accounts)}`,
                  isNumber: true,
                },
                { label: columns.state, cell: ({ connection }) => stateOf(connection) },
              ],
              rows,
            ),
    }),
  };
}

function nameOf(catalog: Catalog, connection: ConnectionView): Html {
  const title = catalog.connectors.get(connection.connector)?.title ?? connection.connector;
  return nameCell({
    drawing: monogram(title),
    href: connectionPath(connection),
    name: connection.name,
    detail: html`${title} ${connection.managed_by_file ? tag(words.declared) : ''}`,
  });
}

function stateOf({ warnings }: ConnectionView): Html {
  return warnings.length === 0 ? badge('ok', words.ready) : badge('wait', words.warnings(warnings.length));
}

/** The connectors that match the search, each a link to its form. */
export function connectorGallery(
  catalog: Catalog,
  existing: readonly ConnectionView[],
  query: URLSearchParams,
): Page {
  const { gallery } = words;
  const wanted = (query.get('q') ?? '').trim().toLowerCase();
  const found = [...catalog.connectors.values()].filter((connector) => matches(connector, wanted));
  return {
    title: gallery.title,
    lead: gallery.lead,
    content: card({
      id: 'gallery',
      title: gallery.heading,
      content: html`${filters(NEW_CONNECTION, query, [{ name: 'q', label: gallery.search, type: 'search', placeholder: gallery.placeholder }])}
      ${
        found.length === 0
          ? empty(gallery.nothing)
          : html`<ul class="gallery">
              ${found.map((connector) => tile(connector, existing))}
            </ul>`
      }`,
    }),
  };
}

function matches({ name, title, description }: Connector, wanted: string): boolean {
  return [name, title, description].some((text) => text.toLowerCase().includes(wanted));
}

function tile({ name, title, description }: Connector, existing: readonly ConnectionView[]): Html {
  const used = existing.filter(({ connector }) => connector === name).length;
  return html`<li>
    <a href="${NEW_CONNECTION}?${new URLSearchParams({ connector: name }).toString()}"
      >${monogram(title)}<span
        ><b>${title}</b
        ><small>${description}</small> ${used === 0 ? '' : tag(words.gallery.existing(used))}</span
      ></a
    >
  </li>`;
}
