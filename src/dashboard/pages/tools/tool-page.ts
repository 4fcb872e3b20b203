/** The page of one tool: its input at the left; the answer, code and scopes at the right. */
import { html } from 'hono/html';
import type { Connector, Tool } from '../../../catalog/model/types.ts';
import type { FieldViolation } from '../../../core/errors.ts';
import { tag } from '../../components/badge.ts';
import { card, link } from '../../components/card.ts';
import { codeBlock, copyable, copyButton } from '../../components/code.ts';
import { focusMark, hidden, ownFields, problems, takesFocus } from '../../components/form.ts';
import { count } from '../../components/format.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import { isPartial } from '../../frame/respond.ts';
import type { Html, Text } from '../../frame/html.ts';
import { icon } from '../../frame/icons.ts';
import type { Page } from '../../frame/layout.ts';
import { tools as words } from '../../words/tools.ts';
import { codeSamples, LANGUAGES } from './code-samples.ts';
import { inputOf, type Entered } from './entered-input.ts';
import { inFields, inputFields, inputLabels } from './input-form.ts';
import type { TrialOutcome } from './outcome.ts';
import { resultCard } from './result-card.ts';
import {
  ACCOUNT_FIELD,
  accountPicker,
  isForeign,
  ownerOf,
  scopesCard,
  type ToolAccounts,
} from './tool-accounts.ts';
import { listCostOf } from './tool-cost.ts';
import { effectBadge, TOOLS_PATH, toolPath } from './tool-list.ts';

/** Everything that the page shows. */
export interface TrialState {
  tool: Tool;
  connector: Connector | undefined;
  entered: Entered;
  accounts: ToolAccounts;
  outcome: TrialOutcome;
  violations: readonly FieldViolation[];
  /** The person has to confirm before the call is made. */
  isAsked: boolean;
  /** The element that takes the focus: a path or button of entered-rows.ts. */
  focus?: string;
}

/** Whether this is the environment in which every call has to be confirmed. */
export function isProduction(c: DashboardContext): boolean {
  return c.get('environment').name === 'production';
}

/** The page with the tab for trying the tool. */
export function trialPage(c: DashboardContext, state: TrialState): Page {
  const { tool, connector, entered, accounts, outcome, isAsked } = state;
  const violations = inFields(state.violations, entered);
  const labels = { ...inputLabels(tool, entered), [ACCOUNT_FIELD]: words.input.account };
  return {
    ...frameOf(tool, connector),
    hasProblems: violations.length > 0,
    content: html`${facts(tool, connector)} ${tabs(c, tool, 'try')}
      <div id="try">
        ${problems(violations, labels, isPartial(c))}
        <div class="grid two try">
          ${inputCard(c, state, violations)}
          <div class="col">
            ${resultCard(outcome, isAsked ? confirmation(c, state) : undefined)}
            ${codeCard(c, tool, accounts, entered)} ${scopesCard(tool, connector, accounts.chosen)}
          </div>
        </div>
      </div>`,
  };
}

/** The page with the tab for the texts that agents read. */
export function schemaPage(c: DashboardContext, tool: Tool, connector: Connector | undefined): Page {
  const schema = JSON.stringify(tool.inputSchema, null, 2);
  return {
    ...frameOf(tool, connector),
    content: html`${facts(tool, connector)} ${tabs(c, tool, 'schema')}
    ${card({
      id: 'schema',
      title: words.schema.title,
      action: copyButton(schema, words.schema.rules),
      content: html`<p class="body">${tool.description}</p>
        ${codeBlock(words.schema.rules, schema)}`,
    })}`,
  };
}

/** The page with the tab about who may use the tool. */
export function usersPage(
  c: DashboardContext,
  tool: Tool,
  connector: Connector | undefined,
  users: Html,
): Page {
  return {
    ...frameOf(tool, connector),
    content: html`${facts(tool, connector)} ${tabs(c, tool, 'users')} ${users}`,
  };
}

function frameOf(tool: Tool, connector: Connector | undefined): Pick<Page, 'title' | 'lead' | 'crumbs'> {
  const href = `${TOOLS_PATH}?${new URLSearchParams({ app: tool.connector }).toString()}`;
  return {
    title: tool.title,
    lead: tool.description,
    crumbs: [{ label: connector?.title ?? tool.connector, href }],
  };
}

function facts(tool: Tool, connector: Connector | undefined): Html {
  return html`<div class="facts tool-facts">
    ${copyable(tool.name, words.theName)} ${effectBadge(tool.effect)}
    ${tag(connector?.title ?? tool.connector)} ${tag(words.toolset(tool.toolset))}
    ${tag(words.inList(count(listCostOf(tool))))}
    ${link(`/dashboard/calls?${new URLSearchParams({ tool: tool.name }).toString()}`, words.calls)}
    <a class="link" href="${tool.source.url}" rel="noreferrer">${words.documentation}</a>
  </div>`;
}

function tabs(c: DashboardContext, tool: Tool, current: 'try' | 'schema' | 'users'): Html {
  const path = toolPath(tool);
  const all = [
    { name: 'try', href: path, label: words.tabs.try },
    { name: 'schema', href: `${path}?tab=schema`, label: words.tabs.schema },
    ...(c.get('viewer').isOperator
      ? [{ name: 'users', href: `${path}?tab=users`, label: words.users.title }]
      : []),
  ];
  return html`<nav class="tabs" aria-label="${words.tabs.label}">
    ${all.map(({ name, href, label }) => html`<a href="${href}" ${name === current ? html`aria-current="page"` : ''}>${label}</a>`)}
  </nav>`;
}

function inputCard(c: DashboardContext, state: TrialState, violations: readonly FieldViolation[]): Html {
  const { tool, entered, accounts, focus: on } = state;
  const path = toolPath(tool);
  const focus = on === undefined ? undefined : { on, mark: focusMark(isPartial(c)) };
  return html`<div class="card">
    ${trialForm(
      c,
      path,
      html`${ENTER}
        <header>
          <h2>${words.input.title}</h2>
          ${switcher(entered)}
        </header>
        <input type="hidden" name="as" value="${entered.as}" />
        ${accountPicker(c.get('viewer'), accounts)} ${inputFields(tool, entered, violations, focus)}
        <p class="field hint">
          ${entered.as === 'form' ? `${words.input.leftOut} ` : ''}${words.input.stored}
        </p>
        ${runBar(c, state)}`,
    )}
  </div>`;
}

/** The button that Enter presses: the first one of a form. */
const ENTER = html`<button
  type="submit"
  name="do"
  value="enter"
  tabindex="-1"
  aria-hidden="true"
  class="hide"
></button>`;

/**
 * A form whose answer is the same page. htmx takes its part out of the answer; without a script the whole page
 * opens.
 */
function trialForm(c: DashboardContext, path: string, content: Html): Html {
  const htmx = html`hx-post="${path}" hx-target="#try" hx-select="#try" hx-swap="outerHTML"`;
  return html`<form method="post" action="${path}" ${htmx}>${ownFields(c)} ${content}</form>`;
}

/** The button that switches to the other way of entering. It keeps the entered values, also without a script. */
function switcher({ as }: Entered): Html {
  const other = (to: Entered['as'], label: string): Html =>
    as === to
      ? html`<span class="now" aria-current="true">${label}</span>`
      : html`<button type="submit" name="do" value="as_${to}" formnovalidate>${label}</button>`;
  return html`<span class="seg"
    >${other('form', words.input.asForm)} ${other('json', words.input.asJson)}</span
  >`;
}

function runBar(c: DashboardContext, { tool, accounts }: TrialState): Html {
  const viewer = c.get('viewer');
  const { chosen, names } = accounts;
  const isRead = tool.effect === 'read';
  const foreign = isForeign(viewer, chosen);
  const says = isRead ? words.run.reads : words.run.writes(words.effects[tool.effect]);
  return html`<div class="runbar">
    ${
      foreign && !viewer.isFresh
        ? html`<p>
            ${words.run.signInAgain} ${words.run.copyFirst} ${link(signInPath(tool), words.run.signIn)}
          </p>`
        : html`<p>
            ${foreign && chosen !== undefined ? words.run.asOther(ownerOf(viewer, chosen, names)) : says}
          </p>`
    }
    ${dryButton(isRead ? '' : 'primary')} ${runButton(tool)}
  </div>`;
}

function dryButton(kind: '' | 'primary'): Html {
  return html`<button class="btn ${kind}" type="submit" name="do" value="dry_run">${words.run.dry}</button>`;
}

function runButton({ effect }: Tool): Html {
  const kind = { read: 'primary', create: 'warned', update: 'warned', delete: 'danger' }[effect];
  return html`<button class="btn ${kind}" type="submit" name="do" value="run">
    ${icon('play')}${words.run.button}
  </button>`;
}

/** Path where the person signs in again, and from which they come back here. */
function signInPath(tool: Tool): string {
  return `/sign-in?${new URLSearchParams({ again: '1', next: toolPath(tool) }).toString()}`;
}

/** The question before a call, as a form with all entered values. */
function confirmation(c: DashboardContext, { tool, entered, accounts }: TrialState): Html {
  const { input } = inputOf(tool, entered);
  const path = toolPath(tool);
  const account = accounts.chosen?.identifier ?? '';
  const says = tool.effect === 'read' ? words.run.askRead : words.run.askWrite;
  const values = {
    as: 'json',
    back: entered.as,
    json: JSON.stringify(input),
    [ACCOUNT_FIELD]: accounts.chosen?.id ?? '',
  };
  return html`<div class="asked">
    ${trialForm(
      c,
      path,
      html`${hidden(values)}
        <h3 ${takesFocus(isPartial(c))}>${words.run.ask}</h3>
        <p>${says(tool.title, account)}</p>
        ${codeBlock(words.input.json, JSON.stringify(input, null, 2))}
        <p>
          <button
            class="btn ${tool.effect === 'read' ? 'primary' : 'danger-solid'}"
            type="submit"
            name="do"
            value="confirm"
          >
            ${words.run.confirm}
          </button>
        </p>`,
    )}
  </div>`;
}

function codeCard(c: DashboardContext, tool: Tool, { chosen }: ToolAccounts, entered: Entered): Text {
  const samples = codeSamples({
    baseUrl: c.get('environment').baseUrl,
    toolName: tool.name,
    accountId: chosen?.id ?? '',
    input: inputOf(tool, entered).input,
  });
  return html`<section class="card samples" aria-labelledby="use">
    <header>
      <h2 id="use">${words.code.title}</h2>
      <div class="seg" role="radiogroup" aria-label="${words.code.language}">
        ${LANGUAGES.map(
          (name, index) =>
            html`<label
              ><input
                type="radio"
                name="lang"
                id="l-${name}"
                ${index === 0 ? 'checked' : ''}
              />${words.code.names[name]}</label
            >`,
        )}
      </div>
    </header>
    ${LANGUAGES.map(
      (name) =>
        html`<div class="pane p-${name}">
          ${codeBlock(words.code.names[name], samples[name])}${copyButton(samples[name], words.code.names[name])}
        </div>`,
    )}
    <p class="foot">${words.code.token}</p>
  </section>`;
}
