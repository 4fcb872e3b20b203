/** What needs attention, sorted by the people affected. Nothing here decides anything: it reads lists and warnings. */
import type { Caller } from '../../../core/caller.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import type { AttentionItem } from '../../components/attention.ts';
import { count } from '../../components/format.ts';
import { overview } from '../../words/overview.ts';
import { upstreamPath } from '../upstreams/paths.ts';
import { countedText } from '../calls/recent-calls.ts';
import type { AccountCounts, ConnectionHealth } from './overview-data.ts';

const words = overview.attention;

const DAY_MS = 24 * 3_600_000;

/** Requests of an interceptor that are looked at. */
const LOOKED_AT = 100;

/** An item with how many people it concerns, as far as that is known. */
interface Ranked extends AttentionItem {
  people: number;
}

type Reader = Pick<
  DashboardDependencies,
  'interceptors' | 'interceptorLog' | 'webhooks' | 'deliveryLog' | 'clock' | 'upstreams'
>;

/** Of the whole environment, for operators. */
export async function environmentAttention(
  reader: Reader,
  { environmentId }: Caller,
  connections: readonly ConnectionHealth[],
): Promise<AttentionItem[]> {
  const items = await Promise.all([
    interceptorItems(reader, environmentId),
    webhookItems(reader, environmentId),
    upstreamItems(reader, environmentId),
  ]);
  return ranked([...connections.flatMap(connectionItems), ...items.flat()]);
}

/** Of one organization. */
export function organizationAttention(name: string, accounts: AccountCounts): AttentionItem[] {
  return ranked(expiredItem(name, accounts, '/dashboard/accounts?status=EXPIRED'));
}

function ranked(items: readonly Ranked[]): AttentionItem[] {
  return items.toSorted((one, other) => other.people - one.people);
}

function connectionItems({ connection, accounts }: ConnectionHealth): Ranked[] {
  const { id, name, warnings } = connection;
  const accountsPath = `/dashboard/accounts?${new URLSearchParams({ connector: name, status: 'EXPIRED' }).toString()}`;
  return [
    ...(warnings.length === 0
      ? []
      : [
          {
            tone: 'bad' as const,
            what: words.connection(name),
            detail: warnings.join(' '),
            action: { href: `/dashboard/connections/${id}`, label: words.open },
            people: accounts?.all.count ?? 0,
          },
        ]),
    ...(accounts === undefined ? [] : expiredItem(name, accounts, accountsPath)),
  ];
}

function expiredItem(app: string, { expired }: AccountCounts, href: string): Ranked[] {
  if (expired.count === 0) return [];
  return [
    {
      tone: 'bad',
      what: words.expired(countedText(expired), app, expired.count === 1),
      detail: words.expiredDetail,
      action: { href, label: words.see },
      people: expired.count,
    },
  ];
}

async function interceptorItems(
  { interceptors, interceptorLog, clock }: Reader,
  environmentId: string,
): Promise<Ranked[]> {
  const { interceptors: all } = await interceptors.list(environmentId, { pageSize: LOOKED_AT });
  const since = clock.now() - DAY_MS;
  const items = await Promise.all(
    all
      .filter(({ enabled }) => enabled)
      .map(async ({ id, name }): Promise<Ranked[]> => {
        const { logs } = await interceptorLog.list(environmentId, id, { pageSize: LOOKED_AT });
        const recent = logs.filter(({ at }) => Date.parse(at) >= since);
        const failed = recent.filter(({ failure }) => failure !== null).length;
        if (failed === 0) return [];
        return [
          {
            tone: 'warn',
            what: words.interceptor(name),
            detail: words.interceptorDetail(failed, recent.length),
            action: { href: `/dashboard/interceptors/${id}`, label: words.seeLog },
            people: failed,
          },
        ];
      }),
  );
  return items.flat();
}

async function webhookItems({ webhooks, deliveryLog }: Reader, environmentId: string): Promise<Ranked[]> {
  const all = await webhooks.list(environmentId);
  const items = await Promise.all(
    all.map(async ({ id, name }): Promise<Ranked[]> => {
      const { total_size: failed } = await deliveryLog.list(environmentId, id, {
        status: 'failed',
        pageSize: 1,
      });
      if (failed === 0) return [];
      return [
        {
          tone: 'warn',
          what: words.webhook(name),
          detail: words.webhookDetail(count(failed)),
          action: { href: `/dashboard/webhooks/${id}`, label: words.seeDeliveries },
          people: 0,
        },
      ];
    }),
  );
  return items.flat();
}

async function upstreamItems({ upstreams }: Reader, environmentId: string): Promise<Ranked[]> {
  return (await upstreams.operators.list(environmentId)).flatMap((upstream) => {
    const { title, accounts: people, tools } = upstream;
    const action = { href: upstreamPath(upstream), label: words.seeUpstream };
    const found: Pick<Ranked, 'tone' | 'what' | 'detail'>[] = [];
    if (upstream.authorization_server_change !== null)
      found.push({
        tone: 'warn',
        what: words.authorizationServer(title),
        detail: words.authorizationServerDetail,
      });
    if (upstream.unavailable_since !== null)
      found.push({ tone: 'bad', what: words.unavailable(title), detail: words.unavailableDetail });
    if (tools.waiting > 0)
      found.push({
        tone: 'warn',
        what: words.waiting(count(tools.waiting), title),
        detail: words.waitingDetail,
      });
    return found.map((item) => ({ ...item, action, people }));
  });
}
