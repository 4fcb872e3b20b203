/** Removes the registered client of a remote MCP server, or the server itself. */
import { Hono } from 'hono';
import type { FieldViolation } from '../../../core/errors.ts';
import type { UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh } from '../../access/fresh.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { confirmPage, wrongName } from '../../components/confirm.ts';
import { count } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { showPage } from '../../frame/respond.ts';
import { upstreams as words } from '../../words/upstreams.ts';
import { ONE, UPSTREAMS, upstreamPath } from './paths.ts';
import { accountsOf } from './upstream-page.ts';

/** The confirmation pages and their actions. */
export function endingRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { operators } = deps.upstreams;
  const named = async (c: DashboardContext): Promise<UpstreamView> =>
    operators.get(c.get('viewer').caller.environmentId, c.req.param('name') ?? '');
  return new Hono<DashboardEnv>()
    .use(`${ONE}/reregister`, fresh)
    .get(`${ONE}/reregister`, async (c) => {
      const upstream = await named(c);
      return showPage(c, reregistration(c, upstream));
    })
    .post(`${ONE}/reregister`, async (c) => {
      const name = c.req.param('name');
      await deps.posted.read(c);
      const { done, problems } = await attempt(async () =>
        operators.reregister(c.get('viewer').caller, name),
      );
      if (problems !== undefined) return showPage(c, reregistration(c, await named(c), problems));
      return deps.flashes.goTo(c, upstreamPath(done), words.reregister.done(done.title));
    })
    .use(`${ONE}/remove`, fresh)
    .get(`${ONE}/remove`, async (c) => {
      const upstream = await named(c);
      return showPage(c, removal(c, upstream, { others: await others(c, upstream) }));
    })
    .post(`${ONE}/remove`, async (c) => {
      const name = c.req.param('name');
      const posted = await deps.posted.read(c);
      const upstream = await named(c);
      const inUse = await others(c, upstream);
      const wrong = wrongName(posted.values, upstream.name);
      if (upstream.added_at === null || inUse.length > 0 || wrong.length > 0)
        return showPage(c, removal(c, upstream, { others: inUse, violations: wrong }));
      await removeAccounts(c, upstream.name);
      const { accounts } = await named(c);
      if (accounts > 0)
        return deps.flashes.goTo(
          c,
          `${upstreamPath({ name })}/remove`,
          words.remove.more(words.accounts(count(accounts))),
        );
      const { problems } = await attempt(async () => operators.remove(c.get('viewer').caller, name));
      if (problems !== undefined)
        return showPage(c, removal(c, await named(c), { others: inUse, violations: problems }));
      return deps.flashes.goTo(c, UPSTREAMS, words.remove.done(upstream.title));
    });

  async function others(c: DashboardContext, upstream: UpstreamView): Promise<UpstreamView[]> {
    return operators.othersInUse(c.get('viewer').caller.environmentId, upstream);
  }

  /** Removes accounts, but no more than a browser can wait for. */
  async function removeAccounts(c: DashboardContext, name: string): Promise<void> {
    const { caller } = c.get('viewer');
    const { connected_accounts: page } = await deps.accounts.list(caller, {
      connector: name,
      page_size: AT_ONCE,
    });
    for (const { id } of page) await deps.disconnection.remove(caller, { id });
  }
}

/** Most accounts that are removed in one step. Each removal sends a request to its server. */
const AT_ONCE = 50;

function reregistration(
  c: DashboardContext,
  upstream: UpstreamView,
  violations: readonly FieldViolation[] = [],
): Page {
  const { title, done: _done, ...asked } = words.reregister;
  const path = upstreamPath(upstream);
  const question = {
    ...asked,
    title: title(upstream.title),
    crumbs: [{ label: upstream.title, href: path }],
    action: `${path}/reregister`,
    cancel: path,
  };
  return confirmPage(
    c,
    question,
    violations.map((one) => ({ ...one, field: '' })),
  );
}

/**
 * The question before removal. If a file declares the server, or another connection has accounts at it, the page
 * says that this has to be changed first.
 */
function removal(
  c: DashboardContext,
  upstream: UpstreamView,
  { others, violations = [] }: { others: readonly UpstreamView[]; violations?: readonly FieldViolation[] },
): Page {
  const { remove } = words;
  const { name, accounts, added_at: addedAt } = upstream;
  const path = upstreamPath(upstream);
  const title = remove.title(upstream.title);
  const crumbs = [{ label: upstream.title, href: path }];
  if (addedAt === null) return { title, crumbs, content: note(words.remove.declared(name)) };
  const [other] = others;
  if (other !== undefined) {
    const total = words.accounts(count(other.accounts));
    return {
      title,
      crumbs,
      content: card({
        id: 'in-use',
        kind: 'narrow',
        title: total,
        content: empty(remove.inUse(other.name), linkButton(accountsOf(other.name), total)),
      }),
    };
  }
  const total = words.accounts(count(accounts));
  const question = {
    title,
    crumbs,
    goes: accounts === 0 ? remove.goes : [remove.goesToo(total), ...remove.goes],
    stays: remove.stays,
    name,
    button: accounts === 0 ? remove.button : remove.withAccounts(total),
    action: `${path}/remove`,
    cancel: path,
  };
  return confirmPage(
    c,
    question,
    violations.map((one) => (one.field === 'typed_name' ? one : { ...one, field: '' })),
  );
}
