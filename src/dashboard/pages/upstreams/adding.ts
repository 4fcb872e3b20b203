/** Adds a remote MCP server: first a look, then what the operator confirms. */
import { Hono } from 'hono';
import type { FieldViolation } from '../../../core/errors.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { requireFresh } from '../../access/fresh.ts';
import { attempt } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { upstreams } from '../../words/upstreams.ts';
import { addPage, CONFIRM, readAddition, type Addition } from './add-page.ts';
import { NEW, upstreamPath } from './paths.ts';

/** Names the look where a violation is about a change since then, and the field where a name is taken. */
const atFields = (violations: readonly FieldViolation[]): readonly FieldViolation[] =>
  besideField(violations, 'name').map((one) =>
    one.field.startsWith('seen') ? { ...one, field: upstreams.add.says } : one,
  );

/** The form, the look and what is stored after it. */
export function addingRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { operators } = deps.upstreams;
  const show = async (c: DashboardContext, addition: Omit<Addition, 'listed'>) =>
    showPage(
      c,
      addPage(c, { ...addition, listed: await operators.listed() }, new URL(c.req.url).searchParams),
    );
  type Filled = Pick<Addition, 'values'> & Pick<ReturnType<typeof readAddition>, 'input'>;
  const filled =
    (answer: (c: DashboardContext, filled: Filled) => Promise<Response>) =>
    async (c: DashboardContext): Promise<Response> => {
      requireFresh(c, NEW);
      const posted = await deps.posted.read(c);
      const { values } = posted;
      const { input, unreadable } = readAddition(posted);
      return unreadable.length > 0
        ? show(c, { values, violations: unreadable })
        : answer(c, { values, input });
    };
  return new Hono<DashboardEnv>()
    .get(NEW, async (c) => {
      requireFresh(c);
      return show(c, { values: { name: c.req.query('name') ?? '' } });
    })
    .post(
      NEW,
      filled(async (c, { values, input }) => {
        const { done, problems } = await attempt(async () => operators.add(c.get('viewer').caller, input));
        return show(c, { values, violations: besideField(problems ?? [], 'name'), found: done });
      }),
    )
    .post(
      CONFIRM,
      filled(async (c, { values, input }) => {
        const { done, problems } = await attempt(async () =>
          operators.add(c.get('viewer').caller, { ...input, confirm: true }),
        );
        if (problems !== undefined) return show(c, { values, violations: atFields(problems) });
        return deps.flashes.goTo(c, upstreamPath(done), upstreams.add.done(done.title), {
          href: `/dashboard/accounts/new?${new URLSearchParams({ connector: done.name }).toString()}`,
          label: upstreams.add.link,
        });
      }),
    );
}
