/** Opens the page of a tool and carries out the actions of its form. The input is never stored. */
import { toolNamed } from '../../../catalog/model/aliases.ts';
import type { Catalog, Tool } from '../../../catalog/model/types.ts';
import { notFound, violation } from '../../../core/errors.ts';
import type { ExecuteCall } from '../../../executor/executor.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { requireOperator } from '../../access/viewer.ts';
import type { Posted } from '../../access/posted-forms.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import { goTo, showPage } from '../../frame/respond.ts';
import { tools as words } from '../../words/tools.ts';
import {
  entryKindOf,
  inputOf,
  JSON_FIELD,
  NOTHING_ENTERED,
  parameterOf,
  parametersOf,
  switched,
  textViolations,
  type Entered,
} from './entered-input.ts';
import { withChangedRows, withoutEmptyRows } from './entered-rows.ts';
import { tryDry, tryForReal } from './outcome.ts';
import { ACCOUNT_FIELD, accountsFor, FIND_FIELD, isForeign, type ToolAccounts } from './tool-accounts.ts';
import { toolPath } from './tool-list.ts';
import { isProduction, schemaPage, trialPage, usersPage, type TrialState } from './tool-page.ts';
import { toolUsersCard } from './tool-users.ts';

/** The page of one tool. */
export class ToolTrial {
  readonly #deps: DashboardDependencies;

  constructor(deps: DashboardDependencies) {
    this.#deps = deps;
  }

  /** The empty form, or the schema. An old name redirects to the current one. */
  async open(c: DashboardContext, name: string): Promise<Response> {
    const tool = this.#tool(c, name);
    if (tool.name !== name) return goTo(c, toolPath(tool));
    const query = new URL(c.req.url).searchParams;
    const connector = this.#connectorOf(c, tool);
    if (query.get('tab') === 'schema') return showPage(c, schemaPage(c, tool, connector));
    if (query.get('tab') === 'users') {
      const viewer = c.get('viewer');
      requireOperator(viewer);
      const users = await toolUsersCard(this.#deps, viewer, tool, connector);
      return showPage(c, usersPage(c, tool, connector, users));
    }
    const accounts = await this.#accounts(c, tool, query.get(ACCOUNT_FIELD) ?? '', '');
    return this.#show(c, { tool, accounts, entered: NOTHING_ENTERED });
  }

  /** Carries out the action of the pressed button. */
  async send(c: DashboardContext, name: string): Promise<Response> {
    const tool = this.#tool(c, name);
    const posted = await this.#deps.posted.read(c);
    const pressed = posted.text('do');
    const typed = enteredIn(tool, posted);
    const wanted = pressed === 'enter' ? enterMeans(tool, posted) : pressed;
    const sought = wanted === 'find' ? posted.text(FIND_FIELD) : '';
    const accounts = await this.#accounts(c, tool, posted.text(ACCOUNT_FIELD), sought);
    const base = { tool, accounts };
    const changed = withChangedRows(parametersOf(tool), typed.texts, wanted);
    if (changed !== undefined) {
      const { texts, focus } = changed;
      return this.#show(c, { ...base, entered: { ...typed, texts }, focus });
    }
    const entered = { ...typed, texts: withoutEmptyRows(parametersOf(tool), typed.texts) };
    if (wanted === 'as_json' || wanted === 'as_form')
      return this.#show(c, { ...base, ...switched(tool, entered, wanted === 'as_json' ? 'json' : 'form') });
    if (wanted === 'find') return this.#show(c, { ...base, entered });
    const made = inputOf(tool, entered);
    const violations = textViolations(tool, entered, made);
    if (violations.length > 0) return this.#show(c, { ...base, entered, violations });
    const call: ExecuteCall = {
      caller: c.get('viewer').caller,
      toolName: tool.name,
      input: made.input,
      account: { id: accounts.chosen?.id },
      signal: c.req.raw.signal,
    };
    if (wanted === 'dry_run') return this.#show(c, { ...base, entered, ...(await tryDry(this.#deps, call)) });
    return this.#run(c, { ...base, entered }, call, wanted === 'confirm');
  }

  async #run(
    c: DashboardContext,
    state: Pick<TrialState, 'tool' | 'accounts' | 'entered'>,
    call: ExecuteCall,
    isConfirmed: boolean,
  ): Promise<Response> {
    const { tool, accounts, entered } = state;
    const viewer = c.get('viewer');
    if (accounts.chosen === undefined) {
      const { violations: others } = await tryDry(this.#deps, call);
      const violations = [violation(ACCOUNT_FIELD, words.input.chooseFirst, 'required'), ...others];
      return this.#show(c, { ...state, violations });
    }
    // The page stays as it is, with a link to sign in, because the entered values are stored nowhere else.
    if (isForeign(viewer, accounts.chosen) && !viewer.isFresh) {
      const violations = [violation(ACCOUNT_FIELD, words.run.signInAgain, 'stale')];
      return this.#show(c, { ...state, violations });
    }
    const isAsked = tool.effect !== 'read' || isProduction(c);
    if (isAsked && !isConfirmed) {
      // A dry run finds violations of the input before the person is asked to confirm.
      const { violations } = await tryDry(this.#deps, call);
      return this.#show(c, { ...state, violations, isAsked: violations.length === 0 });
    }
    const tried = await tryForReal(this.#deps, call, tool);
    return this.#show(c, { ...state, entered, ...tried });
  }

  #show(
    c: DashboardContext,
    state: Pick<TrialState, 'tool' | 'accounts' | 'entered'> & Partial<TrialState>,
  ): Response | Promise<Response> {
    const page = trialPage(c, {
      connector: this.#connectorOf(c, state.tool),
      outcome: { kind: 'none' },
      violations: [],
      isAsked: false,
      ...state,
    });
    return showPage(c, page);
  }

  async #accounts(c: DashboardContext, tool: Tool, id: string, sought: string): Promise<ToolAccounts> {
    return accountsFor(this.#deps, c.get('viewer'), tool, { id, sought });
  }

  #connectorOf(c: DashboardContext, { connector }: Tool): TrialState['connector'] {
    return this.#catalog(c).connectors.get(connector);
  }

  #catalog(c: DashboardContext): Catalog {
    return this.#deps.catalog.in(c.get('viewer').caller.environmentId);
  }

  #tool(c: DashboardContext, name: string): Tool {
    const tool = toolNamed(this.#catalog(c).tools, name);
    if (tool === undefined) throw notFound('tool');
    return tool;
  }
}

/**
 * The button that Enter stands for in a one-line field: the search if it has a text, otherwise the primary button.
 */
function enterMeans({ effect }: Tool, posted: Posted): string {
  if (posted.text(FIND_FIELD) !== '') return 'find';
  return effect === 'read' ? 'run' : 'dry_run';
}

/** The entered input. After a question it comes back as JSON, and is shown as it was entered. */
function enteredIn(tool: Tool, posted: Posted): Entered {
  const kinds = new Map(parametersOf(tool).map(([name, schema]) => [name, entryKindOf(schema)]));
  const texts = Object.fromEntries(
    Object.entries(posted.values).flatMap(([field, text]) => {
      const name = parameterOf(field);
      if (name === undefined) return [];
      return [[name, kinds.get(name) === 'ticks' ? posted.all(field).join('\n') : text]];
    }),
  );
  const as = posted.text('as') === 'json' ? ('json' as const) : ('form' as const);
  const entered: Entered = { as, texts, json: posted.values[JSON_FIELD] ?? '' };
  if (posted.text('back') !== 'form') return entered;
  return switched(tool, entered, 'form').entered;
}
