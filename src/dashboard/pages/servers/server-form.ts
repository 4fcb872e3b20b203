/**
 * The forms for a new virtual server and for changing one. The tools of the selection are counted on our side: the
 * button below the total sends the form once more, and stores nothing.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import { namedTools, TOOLSET_WORDS } from '../../../catalog/model/tool-selection.ts';
import type { Catalog, Tool } from '../../../catalog/model/types.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { attempt, type Posted } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import { card, empty } from '../../components/card.ts';
import { buttons, check, checks, field, form, problems } from '../../components/form.ts';
import { count } from '../../components/format.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { servers as words } from '../../words/servers.ts';
import { listCostOf } from '../tools/tool-cost.ts';
import {
  byToolset,
  connectorsOf,
  costOf,
  servedTools,
  SERVERS,
  type Connectors,
  type Ticked,
} from './served-tools.ts';

const LABELS = {
  name: words.form.name,
  connections: words.form.connections,
  toolsets: words.form.toolsets,
  tools: words.form.tools,
};

/** A server as it was entered. */
interface Entered extends Ticked {
  name: string;
}

/** Routes of both forms. */
export function serverFormRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { mcpServers, posted, flashes } = deps;
  const nothing = { name: '', connections: [], toolsets: ['default'], tools: [], read_only: false };
  return new Hono<DashboardEnv>()
    .get(`${SERVERS}/new`, (c) => showForm(deps, c, { entered: nothing }))
    .post(`${SERVERS}/new`, async (c) => {
      const read = await posted.read(c);
      const entered = { ...tickedIn(read), name: read.text('name') };
      if (isCounting(read)) return showForm(deps, c, { entered });
      const { read_only: readOnly, ...named } = entered;
      const { done, problems: wrong } = await attempt(() =>
        mcpServers.create(c.get('viewer').caller, { ...named, readOnly }),
      );
      if (wrong !== undefined) return showForm(deps, c, { entered, wrong: besideField(wrong, 'name') });
      return flashes.goTo(c, `${SERVERS}/${done.id}`, words.form.created(done.name));
    })
    .get(`${SERVERS}/:id/edit`, async (c) => {
      const entered = await mcpServers.get(c.get('viewer').caller, c.req.param('id'));
      return showForm(deps, c, { entered, id: entered.id });
    })
    .post(`${SERVERS}/:id/edit`, async (c) => {
      const { caller } = c.get('viewer');
      const { id, name } = await mcpServers.get(caller, c.req.param('id'));
      const read = await posted.read(c);
      const entered = { ...tickedIn(read), name };
      if (isCounting(read)) return showForm(deps, c, { entered, id });
      const { connections, toolsets, tools, read_only: readOnly } = entered;
      const { problems: wrong } = await attempt(() =>
        mcpServers.update(caller, id, { connections, toolsets, tools, readOnly }),
      );
      if (wrong !== undefined) return showForm(deps, c, { entered, id, wrong });
      return flashes.goTo(c, `${SERVERS}/${id}`, words.form.saved);
    });
}

function tickedIn(read: Posted): Ticked {
  return {
    connections: read.all('connections'),
    toolsets: read.all('toolsets'),
    tools: read.all('tools'),
    read_only: read.isTicked('read_only'),
  };
}

/** Whether the button that only counts was pressed. */
function isCounting(read: Posted): boolean {
  return read.text('step') === 'count';
}

/** @param shown.id absent for a new server */
async function showForm(
  deps: DashboardDependencies,
  c: DashboardContext,
  shown: { entered: Entered; id?: string; wrong?: readonly FieldViolation[] },
): Promise<Response> {
  const { entered, id, wrong = [] } = shown;
  const { environmentId } = c.get('viewer').caller;
  const connectors = await connectorsOf(deps, environmentId);
  const catalog = deps.catalog.in(environmentId);
  const path = id === undefined ? SERVERS : `${SERVERS}/${id}`;
  const { newTitle, editTitle, lead, create, save, cancel, noConnections, settings } = words.form;
  const title = id === undefined ? newTitle : editTitle(entered.name);
  const page = {
    title,
    lead,
    ...(id !== undefined && { crumbs: [{ label: entered.name, href: path }] }),
    hasProblems: wrong.length > 0,
  };
  if (connectors.size === 0)
    return showPage(c, {
      ...page,
      content: card({ id: 'settings', title: settings, content: empty(noConnections) }),
    });
  const content = form(
    c,
    id === undefined ? `${SERVERS}/new` : `${path}/edit`,
    html`${settingsCard(catalog, connectors, shown)} ${toolsCard(catalog, connectors, entered, wrong)}
    ${totalCard(
      servedTools(catalog, connectors, entered),
      buttons(id === undefined ? create : save, { cancel: { href: path, label: cancel } }),
    )}`,
    'stack-of-cards',
  );
  return showPage(c, { ...page, content: html`${problems(wrong, LABELS)} ${content}` });
}

function settingsCard(
  catalog: Catalog,
  connectors: Connectors,
  { entered, id, wrong = [] }: { entered: Entered; id?: string; wrong?: readonly FieldViolation[] },
): Html {
  const { nameHint, connectionsHint, readOnly, readOnlyDetail, settings } = words.form;
  return card({
    id: 'settings',
    title: settings,
    content: html`${
      id === undefined
        ? field(
            {
              name: 'name',
              label: LABELS.name,
              hint: nameHint,
              input: { kind: 'text', maxLength: 63 },
              value: entered.name,
            },
            wrong,
          )
        : ''
    }
    ${checks(
      {
        name: 'connections',
        label: LABELS.connections,
        hint: connectionsHint,
        choices: [...connectors].map(([name, connector]) => ({
          value: name,
          label: name,
          detail: catalog.connectors.get(connector)?.title ?? connector,
        })),
        ticked: entered.connections,
      },
      wrong,
    )}
    ${check({ name: 'read_only', label: readOnly, detail: readOnlyDetail, isTicked: entered.read_only })}`,
  });
}

function toolsetChecks(
  catalog: Catalog,
  connectors: Connectors,
  entered: Entered,
  wrong: readonly FieldViolation[],
): Html {
  const { toolsetsHint, toolsetWords, wholeApp, toolsetDetail } = words.form;
  const choice = (value: string, label: Text, tools: readonly Tool[]) => ({
    value,
    label,
    detail: toolsetDetail(count(tools.length), count(costOf(tools))),
  });
  const apps = [...new Set(connectors.values())];
  const ofApps = [...catalog.tools.values()].filter(({ connector }) => apps.includes(connector));
  const choices = apps.flatMap((connector) => {
    const sets = [...byToolset(catalog, connector)];
    const all = sets.flatMap(([, tools]) => tools);
    return [
      choice(connector, wholeApp(catalog.connectors.get(connector)?.title ?? connector), all),
      ...sets.map(([name, tools]) => choice(name, html`<code>${name}</code>`, tools)),
    ];
  });
  return checks(
    {
      name: 'toolsets',
      label: LABELS.toolsets,
      hint: toolsetsHint,
      choices: [
        ...TOOLSET_WORDS.map((word) =>
          choice(word, toolsetWords[word], namedTools(ofApps, { toolsets: [word] })),
        ),
        ...choices,
      ],
      ticked: entered.toolsets,
    },
    wrong,
  );
}

function toolsCard(
  catalog: Catalog,
  connectors: Connectors,
  entered: Entered,
  wrong: readonly FieldViolation[],
): Html {
  const { what, tools: title, toolsHint, toolsOf, ticked: tickedWord, tokens } = words.form;
  const groups = [...new Set(connectors.values())].map((connector) => {
    const own = [...byToolset(catalog, connector).values()].flat();
    const ticked = own.filter(({ name, aliases = [] }) =>
      [name, ...aliases].some((any) => entered.tools.includes(any)),
    );
    const app = catalog.connectors.get(connector)?.title ?? connector;
    return html`<details class="tool-group" ${ticked.length > 0 ? 'open' : ''}>
      <summary>${toolsOf(app)} <span class="soft">${tickedWord(count(ticked.length))}</span></summary>
      <div class="checks many">
        ${own.map(
          (tool) =>
            html`<label
              ><input
                type="checkbox"
                name="tools"
                value="${tool.name}"
                ${ticked.includes(tool) ? 'checked' : ''}
              /><span
                ><code>${tool.name}</code
                ><small>${words.effects[tool.effect]}, ${tokens(count(listCostOf(tool)))}</small></span
              ></label
            >`,
        )}
      </div>
    </details>`;
  });
  const own = wrong.filter(({ field: about }) => about === 'tools' || about.startsWith('tools.'));
  return card({
    id: 'f-tools',
    title: what,
    content: html`${toolsetChecks(catalog, connectors, entered, wrong)}
      ${own.length === 0 ? '' : html`<p class="under wrong">${own.map(({ description }) => description).join(' ')}</p>`}
      <div class="field">
        <p class="label">${title}</p>
        <p class="hint">${toolsHint}</p>
      </div>
      ${groups}`,
  });
}

function totalCard(served: readonly Tool[], end: Html): Html {
  return card({
    id: 'total',
    kind: 'total',
    title: words.form.total,
    action: html`<button class="btn small" type="submit" name="step" value="count" formnovalidate>
      ${words.form.count}
    </button>`,
    content: html`<p class="under" role="status">
        ${words.one.total(count(served.length), count(costOf(served)))}
      </p>
      ${end}`,
  });
}
