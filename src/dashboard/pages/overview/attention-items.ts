/**
 * Things that need attention, ordered by the number of people affected. Nothing is decided here: it reads lists and
 * warnings.
 */
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

/** Requests of an interceptor that are examined. */
const LOOKED_AT = 100;

/** An item with the number of people affected, if that is known. */
interface Ranked extends AttentionItem {
  people: number;
}

type Reader = Pick<
  DashboardDependencies,
  'accounts' | 'interceptors' | 'interceptorLog' | 'webhooks' | 'deliveryLog' | 'clock' | 'upstreams'
>;

/** Items of the whole environment, for operators. */
export async function environmentAttention(
  reader: Reader,
  caller: Caller,
  connections: readonly ConnectionHealth[],
): Promise<AttentionItem[]> {
  const { environmentId } = caller;
  const items = await Promise.all([
    ...connections.map(async (one) => connectionItems(reader, caller, one)),
    interceptorItems(reader, environmentId),
    webhookItems(reader, environmentId),
    upstreamItems(reader, environmentId),
  ]);
  return ranked(items.flat());
}

/** Items of one organization. */
export async function organizationAttention(
  reader: Pick<Reader, 'accounts'>,
  caller: Caller,
  name: string,
  counted: AccountCounts,
): Promise<AttentionItem[]> {
  const href = '/dashboard/accounts?status=EXPIRED';
  return expiredItem(name, counted, href, async (expired) =>
    reader.accounts.expiredSince(caller, { count: expired }),
  );
}

function ranked(items: readonly Ranked[]): AttentionItem[] {
  return items.toSorted((one, other) => other.people - one.people);
}

async function connectionItems(
  reader: Pick<Reader, 'accounts'>,
  caller: Caller,
  { connection, accounts }: ConnectionHealth,
): Promise<Ranked[]> {
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
    ...(accounts === undefined
      ? []
      : await expiredItem(name, accounts, accountsPath, async (expired) =>
          reader.accounts.expiredSince(caller, { count: expired, connectionId: id }),
        )),
  ];
}

async function expiredItem(
  app: string,
  { expired }: AccountCounts,
  href: string,
  expiredSince: (count: number) => ReturnType<Reader['accounts']['expiredSince']>,
): Promise<Ranked[]> {
  if (expired.count === 0) return [];
  const first = await expiredSince(expired.count);
  return [
    {
      tone: 'bad',
      what: words.expired(countedText(expired), app, expired.count === 1),
      detail: words.expiredDetail,
      since: first && { label: first.isOrEarlier ? words.sinceBefore : words.since, at: first.at },
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
        const failures = recent.filter(({ failure }) => failure !== null);
        const [latest] = failures;
        if (latest === undefined) return [];
        return [
          {
            tone: 'warn',
            what: words.interceptor(name),
            detail: words.interceptorDetail(failures.length, recent.length),
            since: { label: words.latest, at: latest.at },
            action: { href: `/dashboard/interceptors/${id}`, label: words.seeLog },
            people: failures.length,
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
      const { total_size: failed, deliveries } = await deliveryLog.list(environmentId, id, {
        status: 'failed',
        pageSize: 1,
      });
      const [latest] = deliveries;
      if (latest === undefined) return [];
      return [
        {
          tone: 'warn',
          what: words.webhook(name),
          detail: words.webhookDetail(count(failed)),
          since: { label: words.latest, at: latest.finished_at ?? latest.at },
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
    const { title, accounts: people, tools, authorization_server_change: change } = upstream;
    const action = { href: upstreamPath(upstream), label: words.seeUpstream };
    const found: Pick<Ranked, 'tone' | 'what' | 'detail' | 'since'>[] = [];
    if (change !== null)
      found.push({
        tone: 'warn',
        what: words.authorizationServer(title),
        detail: words.authorizationServerDetail,
        since: since(change.found_at),
      });
    if (upstream.unavailable_since !== null)
      found.push({
        tone: 'bad',
        what: words.unavailable(title),
        detail: words.unavailableDetail,
        since: since(upstream.unavailable_since),
      });
    if (tools.waiting > 0)
      found.push({
        tone: 'warn',
        what: words.waiting(count(tools.waiting), title),
        detail: words.waitingDetail,
        since: since(upstream.listed_at, words.latest),
      });
    return found.map((item) => ({ ...item, action, people }));
  });
}

function since(at: string | null, label: string = words.since): AttentionItem['since'] {
  return at === null ? undefined : { label, at };
}
