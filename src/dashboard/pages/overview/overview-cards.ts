/** The cards of the overview. Pure: their data is read elsewhere. */
import { html } from 'hono/html';
import type { ExecutionView } from '../../../executor/execution-list.ts';
import type { Named } from '../../access/names.ts';
import { badge, monogram } from '../../components/badge.ts';
import { card, empty, link, linkButton } from '../../components/card.ts';
import { barChart, legend, meter, sparkline } from '../../components/chart.ts';
import { figures, type Figure } from '../../components/figure.ts';
import { count, duration, share } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Html, Text } from '../../frame/html.ts';
import { icon } from '../../frame/icons.ts';
import { overview as words } from '../../words/overview.ts';
import { callTable, CALLS_PATH } from '../calls/call-table.ts';
import { countedText, type RecentCalls } from '../calls/recent-calls.ts';
import type { AccountCounts, CallSums, ConnectionHealth, Outcomes } from './overview-data.ts';

const CONNECTIONS = '/dashboard/connections';

/** Labels below a chart, in addition to its end: as many as fit. */
const LABELS = 8;

/** Number of reasons that are listed. */
const REASONS = 5;

/** Key figures of the environment. */
export function overviewFigures(sums: CallSums, accounts: AccountCounts): Html {
  return figures([...callFigures(sums), accountFigure(accounts)]);
}

/** Key figures of an organization. */
export function organizationFigures({ all, failed }: RecentCalls, accounts: AccountCounts): Html {
  const { callsOfDay, failedOfDay } = words.figures;
  return figures([
    { label: callsOfDay, value: countedText(all) },
    { label: failedOfDay, value: countedText(failed) },
    accountFigure(accounts),
  ]);
}

function callFigures({ bars, total, before, p95, beforeP95 }: CallSums): Figure[] {
  const { calls, failed, took } = words.figures;
  const [unit, value] = p95 < 1000 ? ['ms', String(p95)] : ['s', (p95 / 1000).toFixed(1)];
  return [
    {
      label: calls,
      value: count(sizeOf(total)),
      change: relativeChange(sizeOf(total), sizeOf(before)),
      drawing: sparkline(bars.map(sizeOf), 'ok'),
    },
    {
      label: failed,
      value: share(total.bad, sizeOf(total)).replace(' %', ''),
      unit: '%',
      change: failureChange(total, before),
      drawing: sparkline(
        bars.map((bar) => (100 * bar.bad) / Math.max(1, sizeOf(bar))),
        'bad',
      ),
    },
    {
      label: took,
      value,
      unit,
      change: beforeP95 === 0 || p95 === 0 ? undefined : timeChange(p95 - beforeP95),
      drawing: sparkline(
        bars.map((bar) => bar.p95),
        'grey',
      ),
    },
  ];
}

function accountFigure({ all, active, waiting, expired }: AccountCounts): Figure {
  const { accounts, of, ofAccounts } = words.figures;
  return {
    label: accounts,
    value: countedText(active),
    change: { text: of(countedText(all)), tone: '' },
    detail: ofAccounts(countedText(waiting), countedText(expired)),
    drawing: meter([active.count, waiting.count, expired.count], 'stack'),
  };
}

function sizeOf({ ok, wait, bad }: Outcomes): number {
  return ok + wait + bad;
}

function relativeChange(now: number, before: number): Figure['change'] {
  if (before === 0) return undefined;
  return { text: `${signed((100 * (now - before)) / before)} %`, tone: '' };
}

function failureChange(now: Outcomes, before: Outcomes): Figure['change'] {
  if (sizeOf(before) === 0 || sizeOf(now) === 0) return undefined;
  const change = (100 * now.bad) / sizeOf(now) - (100 * before.bad) / sizeOf(before);
  const tone = Math.abs(change) < 0.05 ? '' : change > 0 ? 'worse' : 'good';
  return { text: words.figures.points(signed(change)), tone };
}

function timeChange(ms: number): Figure['change'] {
  const sign = ms < 0 ? '−' : '+';
  return { text: `${sign}${duration(Math.abs(ms))}`, tone: ms === 0 ? '' : ms > 0 ? 'worse' : 'good' };
}

/** A number with one digit and a sign. The minus is as wide as the plus. */
function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}

/** Calls per hour or day, by outcome. */
export function chartCard({ bars, isDaily, total }: CallSums): Html {
  const { chart } = words;
  const title = isDaily ? chart.daily : chart.hourly;
  // A divisor of the number of bars, so that labels stand at the start of a bar.
  const every =
    bars.findIndex((_, index) => bars.length % (index + 1) === 0 && bars.length / (index + 1) <= LABELS) + 1;
  const content =
    sizeOf(total) === 0
      ? empty(chart.none)
      : barChart({
          says: chart.says(title, count(Math.max(...bars.map(sizeOf))), count(total.bad)),
          columns: chart.columns(isDaily),
          end: chart.now,
          bars: bars.map(({ at, ok, wait, bad }, index) => {
            const timestamp = new Date(at).toISOString();
            const name = isDaily ? timestamp.slice(0, 10) : timestamp.slice(0, 16).replace('T', ' ');
            const label = isDaily ? timestamp.slice(5, 10) : timestamp.slice(11, 16);
            return {
              name,
              label: index % every === 0 ? label : '',
              title: chart.bar(name, count(ok), count(wait), count(bad)),
              values: [ok, wait, bad],
            };
          }),
        });
  return card({
    id: 'chart',
    title,
    action: legend([chart.answered, chart.waited, chart.failed]),
    content,
  });
}

/** The most frequent failures. */
export function reasonsCard({ reasons, total, since }: CallSums): Html {
  const { why } = words;
  const from = new Date(since).toISOString().slice(0, 16);
  return card({
    id: 'why',
    title: why.title,
    action: link(`${CALLS_PATH}?status=error`, why.all),
    content:
      reasons.length === 0
        ? empty(why.none)
        : html`<ul class="states">
            ${reasons.slice(0, REASONS).map(
              ({ code, count: number }) =>
                html`<li>
                  <span
                    >${link(`${CALLS_PATH}?${new URLSearchParams({ error_code: code, from }).toString()}`, html`<span class="mono">${code}</span>`)}<br /><span
                      class="soft"
                      >${why.reasons[code] ?? ''}</span
                    ></span
                  ><b>${count(number)}</b><small>${Math.round((100 * number) / total.bad)} %</small>
                </li>`,
            )}
          </ul>`,
    ...(total.wait > 0 && { foot: html`<span>${why.waited(count(total.wait))}</span>` }),
  });
}

/** All connections with their health. */
export function connectionsCard(all: readonly ConnectionHealth[], sums: CallSums): Html {
  const { connections } = words;
  const { columns } = connections;
  const totalOf = ({ connection }: ConnectionHealth) => sums.byConnection.get(connection.name);
  const callsOf = (row: ConnectionHealth): number => {
    const total = totalOf(row);
    return total === undefined ? 0 : total.ok + total.error;
  };
  return card({
    id: 'connections',
    title: connections.title,
    action: html`<a class="btn small" href="${CONNECTIONS}/new">${icon('plus')}${connections.add}</a>`,
    content:
      all.length === 0
        ? empty(connections.none)
        : table<ConnectionHealth>(
            connections.title,
            [
              {
                label: columns.app,
                cell: ({ connection }) =>
                  nameCell({
                    drawing: monogram(connection.connector),
                    href: `${CONNECTIONS}/${connection.id}`,
                    name: connection.name,
                    detail: `${connection.connector} · ${connection.authorization_type}`,
                  }),
              },
              { label: columns.accounts, cell: ({ accounts }) => accountMeter(accounts), leftOutOn: 'phone' },
              { label: columns.calls, cell: (row) => count(callsOf(row)), isNumber: true },
              {
                label: columns.failed,
                cell: (row) => share(totalOf(row)?.error ?? 0, callsOf(row)),
                isNumber: true,
                leftOutOn: 'tablet',
              },
              {
                label: columns.took,
                cell: (row) => (callsOf(row) === 0 ? '' : duration(totalOf(row)?.p95_ms ?? 0)),
                isNumber: true,
                leftOutOn: 'tablet',
              },
              { label: columns.status, cell: health },
            ],
            all,
          ),
  });
}

function accountMeter(accounts: AccountCounts | undefined): Text {
  if (accounts === undefined) return '';
  const { all, active, waiting, expired } = accounts;
  return html`${meter([active.count, waiting.count, expired.count])}<small class="num"
      >${words.connections.active(countedText(active), countedText(all))}</small
    >`;
}

function health({ connection, accounts }: ConnectionHealth): Html {
  const { works, warns, unused, inactive } = words.connections;
  if (connection.warnings.length > 0) return badge('bad', warns);
  if (accounts?.all.count === 0) return badge('idle', unused);
  return accounts?.active.count === 0 ? badge('wait', inactive) : badge('ok', works);
}

/** The newest calls. @param owners of `ownersOf` */
export function latestCard(calls: readonly ExecutionView[], owners: ReadonlyMap<string, Named>): Html {
  const { latest } = words;
  return card({
    id: 'latest',
    title: latest.title,
    action: link(CALLS_PATH, latest.all),
    content:
      calls.length === 0
        ? empty(latest.none, linkButton('/dashboard/tools', words.start.tool.action))
        : callTable(latest.title, calls, owners),
    foot: html`<span>${latest.never}</span>`,
  });
}
