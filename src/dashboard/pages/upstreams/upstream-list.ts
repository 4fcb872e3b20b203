/** The list of remote MCP servers. */
import { html } from 'hono/html';
import type { UpstreamState, UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import { badge, monogram, tag, type Tone } from '../../components/badge.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { count, isolated, timeOrNone } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Html } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { frame } from '../../words/frame.ts';
import { upstreams as words } from '../../words/upstreams.ts';
import { NEW, upstreamPath } from './paths.ts';

const TONES: Readonly<Record<UpstreamState, Tone>> = {
  not_added: 'idle',
  no_connection: 'bad',
  authorization_server_changed: 'wait',
  unavailable: 'bad',
  no_list: 'idle',
  waiting_for_approval: 'wait',
  ready: 'ok',
};

/** The state of a server, which says what an operator has to do next. */
export function stateBadge({ state }: Pick<UpstreamView, 'state'>): Html {
  return badge(TONES[state], words.states[state]);
}

/** The list, by name. */
export function upstreamList(all: readonly UpstreamView[]): Page {
  const { columns } = words;
  return {
    title: words.title,
    lead: words.lead,
    actions: linkButton(NEW, words.addButton, 'primary'),
    content: card({
      id: 'upstreams',
      title: words.heading,
      content:
        all.length === 0
          ? empty(words.none, linkButton(NEW, words.addButton))
          : table<UpstreamView>(
              words.title,
              [
                { label: columns.server, cell: nameOf },
                { label: columns.state, cell: stateBadge },
                {
                  label: columns.published,
                  cell: ({ tools }) => count(tools.approved),
                  isNumber: true,
                  leftOutOn: 'phone',
                },
                {
                  label: columns.waiting,
                  cell: ({ tools }) => count(tools.waiting),
                  isNumber: true,
                  leftOutOn: 'phone',
                },
                {
                  label: columns.accounts,
                  cell: ({ accounts }) => count(accounts),
                  isNumber: true,
                  leftOutOn: 'phone',
                },
                {
                  label: columns.type,
                  cell: ({ authorization_type: type }) => type ?? frame.none,
                  leftOutOn: 'tablet',
                },
                {
                  label: columns.news,
                  cell: ({ listed_at: at }) => timeOrNone(at),
                  leftOutOn: 'tablet',
                },
              ],
              all,
            ),
    }),
  };
}

function nameOf(upstream: UpstreamView): Html {
  const { name, title, url, added_at: added } = upstream;
  return nameCell({
    drawing: monogram(title),
    href: upstreamPath(upstream),
    name: isolated(name),
    detail: html`${isolated(url)} ${added === null ? tag(words.declared) : ''}`,
  });
}
