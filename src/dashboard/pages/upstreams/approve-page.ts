/** The form that publishes tools of a remote MCP server: each waiting form of a tool with the decision about it. */
import { html } from 'hono/html';
import type { Effect } from '../../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../../core/errors.ts';
import type { ToolDiff } from '../../../upstream/operators/tool-forms.ts';
import type { UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import { spelled } from '../../../upstream/definitions/plain-text.ts';
import type { Posted } from '../../access/posted-forms.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { field, fieldset, form, hidden, problems, type Typed } from '../../components/form.ts';
import { count } from '../../components/format.ts';
import { paging, withQuery } from '../../components/table.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { upstreams } from '../../words/upstreams.ts';
import { upstreamPath } from './paths.ts';
import { pieceOf } from './pieces.ts';
import { heldFirst, sizeOf, waitingForms } from './waiting-forms.ts';

const words = upstreams.approve;

const EFFECTS: readonly Effect[] = ['read', 'create', 'update', 'delete'];

/** Limits of one page. `all` publishes only the forms on this page. */
const PIECE = { rows: 25, size: 400_000 };

/** An operator's decision about one form. */
interface Decision {
  tool: string;
  hash: string;
  effect?: Effect | undefined;
  name?: string | undefined;
}

/** The entered decisions; nothing is ticked in a newly opened form. */
export interface EnteredDecisions {
  ticked: readonly string[];
  values: Typed;
}

/** The page. @param query of its address */
export function approvePage(
  c: DashboardContext,
  { upstream, waiting }: { upstream: UpstreamView; waiting: readonly ToolDiff[] },
  query: URLSearchParams,
  { ticked, values }: EnteredDecisions = { ticked: [], values: {} },
  violations: readonly FieldViolation[] = [],
): Page {
  const path = upstreamPath(upstream);
  const { rows, links } = pieceOf(heldFirst(waiting), query.get('page_token') ?? undefined, PIECE, sizeOf);
  const labels = Object.fromEntries(rows.map((row) => [fieldOf(row.hash), labelOf(row)]));
  const action = withQuery(`${path}/approve`, new URLSearchParams(), {
    page_token: query.get('page_token') ?? '',
  });
  const decide = (row: ToolDiff): Html =>
    decision(row, { isTicked: ticked.includes(row.hash), values }, violations);
  return {
    title: words.title(upstream.title),
    lead: words.lead,
    crumbs: [{ label: upstream.title, href: path }],
    hasProblems: violations.length > 0,
    content: html`${problems(violations, labels)}
    ${card({
      id: 'waiting',
      title: upstreams.waiting.heading,
      content:
        rows.length === 0
          ? empty(words.nothing, linkButton(path, words.back))
          : form(
              c,
              action,
              html`${waitingForms(rows, decide)}
                <div class="buttons">
                  <button class="btn primary" type="submit" name="which" value="ticked">
                    ${words.ticked}
                  </button>
                  <button class="btn" type="submit" name="which" value="all">
                    ${words.all(count(rows.filter(isPublishable).length))}
                  </button>
                  ${linkButton(path, words.cancel)}
                </div>`,
            ),
      foot: paging(`${path}/approve`, query, links),
    })}`,
  };
}

function isPublishable({ obstacle }: ToolDiff): boolean {
  return obstacle === null;
}

function labelOf({ name, tool }: ToolDiff): string {
  return name ?? spelled(tool);
}

function fieldOf(hash: string): string {
  return `form.${hash}`;
}

function decision(
  row: ToolDiff,
  { isTicked, values }: { isTicked: boolean; values: Typed },
  violations: readonly FieldViolation[],
): Html {
  const { hash, tool, name, effect } = row;
  const own = fieldOf(hash);
  const choices = EFFECTS.map((value) => ({ value, label: words.effects[value] }));
  return fieldset(
    { name: own, label: labelOf(row) },
    html`<input type="hidden" name="shown" value="${hash}" />${hidden({ [`${own}.tool`]: tool })}
      <div class="decide">
        <label class="check"
          ><input type="checkbox" name="ticked" value="${hash}" ${isTicked ? 'checked' : ''} /><span
            >${words.publish}</span
          ></label
        >
        ${field({ name: `${own}.effect`, label: words.effect, input: { kind: 'select', choices }, value: values[`${own}.effect`] ?? effect })}
        ${field({ name: `${own}.name`, label: words.name, isOptional: true, input: { kind: 'text', maxLength: 60 }, value: values[`${own}.name`] ?? name ?? '' })}
      </div>`,
    violations.filter((one) => one.field === own || one.field.startsWith(`${own}.`)),
  );
}

/** Reads the decisions: the ticked forms, or all shown forms that can be published. */
export function readDecisions(posted: Posted, waiting: readonly ToolDiff[]): Decision[] {
  const isAll = posted.text('which') === 'all';
  return posted.all(isAll ? 'shown' : 'ticked').flatMap((hash) => {
    const own = fieldOf(hash);
    const row = waiting.find((each) => each.hash === hash);
    const typed = posted.text(`${own}.name`);
    const name = typed === '' || typed === row?.name ? undefined : typed;
    if (isAll && row !== undefined && !isPublishable(row) && name === undefined) return [];
    const effect = EFFECTS.find((each) => each === posted.text(`${own}.effect`));
    return [{ tool: row?.tool ?? posted.values[`${own}.tool`] ?? '', hash, effect, name }];
  });
}

/** Assigns violations of `tools[2]` to the form that was decided about. One that is gone has no place on the page. */
export function atForms(
  violations: readonly FieldViolation[],
  decisions: readonly Decision[],
): FieldViolation[] {
  return violations.map((one) => {
    const [, index = '', rest = ''] = /^tools\[(\d+)\](.*)$/.exec(one.field) ?? [];
    const decided = index === '' ? undefined : decisions[Number(index)];
    if (decided === undefined) return one;
    return one.constraint === 'unknown'
      ? { ...one, field: '', description: words.gone(decided.tool) }
      : { ...one, field: `${fieldOf(decided.hash)}${rest}` };
  });
}

/** The violation if nothing is ticked. */
export function nothingTicked(): FieldViolation[] {
  return [violation('', words.nothingTicked, 'required')];
}
