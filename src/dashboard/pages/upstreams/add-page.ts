/** The form that adds a remote MCP server. After a look it shows the findings, to be confirmed. */
import { html } from 'hono/html';
import { AUTHORIZATION_TYPE_NAMES } from '../../../authorization-types/index.ts';
import { violation, type FieldViolation } from '../../../core/errors.ts';
import { listedOn, type ListedServer } from '../../../upstream/operators/listed-servers.ts';
import type { NewUpstream } from '../../../upstream/operators/new-connector.ts';
import type { UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import type { Posted } from '../../access/posted-forms.ts';
import { badge, monogram, tag } from '../../components/badge.ts';
import { card, empty, twoColumns } from '../../components/card.ts';
import { buttons, check, field, form, hidden, problems, type Typed } from '../../components/form.ts';
import { count, isolated } from '../../components/format.ts';
import { filters } from '../../components/filters.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { upstreams } from '../../words/upstreams.ts';
import { jsonObject } from '../connections/connection-form.ts';
import { authorizationCard } from './authorization-card.ts';
import { NEW } from './paths.ts';
import { factsCard, findingList } from './upstream-page.ts';

const words = upstreams.add;

/** Path of the POST that stores the server that was looked at. */
export const CONFIRM = `${NEW}/confirm`;

const FIELDS = ['url', 'name', 'title', 'auth', 'header', 'connector', 'trusted'] as const;

const WAYS = ['', 'oauth', 'bearer', 'header', 'none'] as const;

/** Most servers listed without a search. */
const MAX_LISTED = 12;

/** The data of the page. */
export interface Addition {
  values: Typed;
  violations?: readonly FieldViolation[];
  /** The result of a look. */
  found?: UpstreamView | undefined;
  /** Servers that public lists name. */
  listed: readonly ListedServer[];
}

/** The page. @param query of its address; `q` narrows the servers of the lists */
export function addPage(
  c: DashboardContext,
  { values, violations = [], found, listed }: Addition,
  query: URLSearchParams,
): Page {
  const { name, title, url, auth, connector, trusted } = words.fields;
  return {
    title: found === undefined ? words.title : words.found(found.title),
    lead: found === undefined ? words.lead : isolated(found.url),
    ...(found !== undefined && { crumbs: [{ label: words.title, href: NEW }] }),
    hasProblems: violations.length > 0,
    content: html`${problems(violations, { url, name, title, auth, connector, trusted })}
    ${found === undefined ? '' : foundCards(c, found, values)}
    ${card({
      id: 'add',
      kind: 'narrow',
      title: found === undefined ? words.heading : words.again,
      content: form(c, NEW, html`${allFields(values, violations)} ${buttons(words.look)}`),
    })}
    ${found === undefined ? listedCard(listed, query) : ''}`,
  };
}

function allFields(values: Typed, violations: readonly FieldViolation[]): Html {
  const { fields } = words;
  const value = (name: (typeof FIELDS)[number]): string => values[name] ?? '';
  const choices = WAYS.map((way) => ({ value: way, label: fields.ways[way] }));
  return html`${field({ name: 'url', label: fields.url, hint: fields.urlHint, isOptional: true, input: { kind: 'text', maxLength: 2_048, placeholder: 'https://mcp.example.com/mcp' }, value: value('url') }, violations)}
  ${field({ name: 'name', label: fields.name, hint: fields.nameHint, isOptional: true, input: { kind: 'text', maxLength: 30 }, value: value('name') }, violations)}
  ${field({ name: 'title', label: fields.title, hint: fields.titleHint, isOptional: true, input: { kind: 'text', maxLength: 60 }, value: value('title') }, violations)}
  ${field({ name: 'auth', label: fields.auth, input: { kind: 'select', choices }, value: value('auth'), isOptional: true }, violations)}
  ${field({ name: 'header', label: fields.header, hint: fields.headerHint, isOptional: true, input: { kind: 'text', maxLength: 190 }, value: value('header') })}
  ${field({ name: 'connector', label: fields.connector, hint: fields.connectorHint, type: 'JSON', isOptional: true, input: { kind: 'lines', rows: 3 }, value: value('connector') }, violations)}
  ${check({ name: 'trusted', label: fields.trusted, detail: fields.trustedHint, isTicked: value('trusted') === 'true' })}`;
}

function foundCards(c: DashboardContext, found: UpstreamView, values: Typed): Html {
  const isUsable = found.findings.every(({ severity }) => severity !== 'error');
  const carried = {
    ...Object.fromEntries(FIELDS.map((name) => [name, values[name] ?? ''])),
    seen_type: found.authorization_type ?? '',
    seen_issuer: found.issuer ?? '',
    seen_origins: found.origins.join(' '),
  };
  return html`${twoColumns(
    html`<div class="col">
      ${card({
        id: 'found',
        title: words.says,
        action: isUsable ? badge('ok', words.usable) : badge('bad', words.unusable),
        content: found.findings.length === 0 ? empty(words.nothing) : findingList(found.findings),
        foot: isUsable
          ? html`<span>${words.confirmLead}</span>
              ${form(c, CONFIRM, html`${hidden(carried)}<button class="btn primary" type="submit">${words.confirm(found.title)}</button>`, 'inline')}`
          : words.unusableLead,
      })}
      ${factsCard(found)}
    </div>`,
    html`<div class="col">${authorizationCard(found)}</div>`,
  )}`;
}

function listedCard(listed: readonly ListedServer[], query: URLSearchParams): Html {
  const wanted = (query.get('q') ?? '').trim().toLowerCase();
  const found = listed.filter(({ name, title, url }) =>
    [name, title, url].some((text) => text.toLowerCase().includes(wanted)),
  );
  const { listed: texts } = words;
  return card({
    id: 'listed',
    title: texts.heading,
    content: html`<p class="under">${texts.lead}</p>
      ${filters(NEW, query, [{ name: 'q', label: texts.search, type: 'search', placeholder: texts.placeholder }])}
      ${
        found.length === 0
          ? empty(texts.nothing)
          : html`<ul class="gallery">
              ${found.slice(0, MAX_LISTED).map(tile)}
            </ul>`
      }`,
    ...(found.length > MAX_LISTED && { foot: texts.more(count(found.length - MAX_LISTED)) }),
  });
}

function tile(server: ListedServer): Html {
  const { name, title, url } = server;
  const said: Text = words.listed.remark(listedOn(server));
  return html`<li>
    <a href="${NEW}?${new URLSearchParams({ name }).toString()}"
      >${monogram(title)}<span><b>${title}</b><small>${isolated(url)}</small> ${tag(said)}</span></a
    >
  </li>`;
}

/** Reads the form into the arguments of the operation. The form that confirms a look also sends what it showed. */
export function readAddition(posted: Posted): {
  input: NewUpstream;
  unreadable: readonly FieldViolation[];
} {
  const given = (name: (typeof FIELDS)[number]): string | undefined => posted.text(name) || undefined;
  const text = given('connector');
  const connector = text === undefined ? undefined : jsonObject(text);
  const auth = given('auth');
  const seenType = AUTHORIZATION_TYPE_NAMES.find((type) => type === posted.text('seen_type'));
  return {
    input: {
      url: given('url'),
      name: given('name'),
      title: given('title'),
      auth: auth === 'header' ? `header:${posted.text('header')}` : auth,
      ...(connector !== undefined && { connector }),
      ...(posted.isTicked('trusted') && { trusted: true }),
      ...(seenType !== undefined && {
        seen: {
          authorization_type: seenType,
          issuer: posted.text('seen_issuer') || null,
          origins: posted.text('seen_origins').split(' ').filter(Boolean),
        },
      }),
    },
    unreadable:
      text !== undefined && connector === undefined
        ? [violation('connector', words.fields.connectorWrong, 'format')]
        : [],
  };
}
