/** The frame around every page: side navigation, breadcrumb, search, flash strip. */
import { html } from 'hono/html';
import { breakable } from '../../pages/frame/breakable.ts';
import { ASSETS } from '../assets/assets.ts';
import { frame as words } from '../words/frame.ts';
import {
  NAVIGATION_GROUPS,
  type DashboardContext,
  type Flash,
  type NavigationEntry,
  type Viewer,
} from './dashboard-context.ts';
import type { Html, Text } from './html.ts';
import { icon, SPRITE } from './icons.ts';

/** A page: its address, headings and content. */
export interface Page {
  title: string;
  /** Under the heading, one or two sentences. */
  lead?: Text;
  /** At the right of the heading: periods, or one button. */
  actions?: Text;
  /** Pages above this one, other than the environment and the navigation entry. */
  crumbs?: readonly { label: string; href: string }[];
  content: Html;
  /** A form is shown again because it has problems. */
  hasProblems?: boolean;
}

/** The environment with real data, which gets a mark of its own. */
const PRODUCTION = 'production';

const ROOT = '/dashboard';

/** A whole document. */
export function layout(c: DashboardContext, page: Page): Html {
  const environment = c.get('environment');
  const title = page.hasProblems === true ? words.error(page.title) : page.title;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · ${environment.name} · ${words.product}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="theme-color" content="#f3f4f1" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#111614" media="(prefers-color-scheme: dark)" />
        <meta name="htmx-config" content="${ASSETS.htmxConfig}" />
        <link rel="icon" href="${ASSETS.tabIcon}" />
        <link rel="stylesheet" href="${ASSETS.style.path}" />
        <script src="${ASSETS.script.path}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">${words.skip}</a>
        ${SPRITE} ${side(c)}
        <main id="main" tabindex="-1">
          ${bar(c, page)}
          <div class="wrap">${flashStrip(c.get('flash'))} ${heading(page)} ${page.content}</div>
        </main>
        <div class="hide" role="status" id="said" data-copied="${words.copied}"></div>
      </body>
    </html>`;
}

function heading({ title, lead, actions }: Page): Html {
  return html`<div class="head">
    <div>
      <h1>${breakable(title)}</h1>
      ${lead === undefined ? '' : html`<p>${lead}</p>`}
    </div>
    ${actions ?? ''}
  </div>`;
}

function flashStrip(flash: Flash | undefined): Text {
  if (flash === undefined) return '';
  const { text, link } = flash;
  return html`<p class="flash" role="status">
    ${text}${link === undefined ? '' : html` <a class="link" href="${link.href}">${link.label}</a>`}
  </p>`;
}

function side(c: DashboardContext): Html {
  const viewer = c.get('viewer');
  return html`<nav class="side" id="side" aria-label="${words.navigation}">
    <a class="brand" href="${ROOT}">${BRAND}${words.product}</a>
    <a class="icon-btn close" href="#main" aria-label="${words.closeMenu}">${icon('x')}</a>
    ${environmentMenu(c)}
    <div class="nav">
      ${NAVIGATION_GROUPS.map((group) =>
        groupOf(
          c,
          group,
          c.get('navigation').filter((entry) => entry.group === group),
        ),
      )}
    </div>
    ${me(viewer, c.get('csrf'))}
  </nav>`;
}

function groupOf(
  c: DashboardContext,
  group: (typeof NAVIGATION_GROUPS)[number],
  entries: readonly NavigationEntry[],
): Text {
  if (entries.length === 0) return '';
  const heading = words.groups[group];
  const current = currentEntry(c);
  return html`${heading === '' ? '' : html`<h2>${heading}</h2>`}
    <ul>
      ${entries.map(
        (entry) =>
          html`<li>
            <a href="${entry.path}" ${entry === current ? html`aria-current="page"` : ''}
              >${icon(entry.icon)}${entry.label}</a
            >
          </li>`,
      )}
    </ul>`;
}

/** The entry with the longest path that the address starts with. */
function currentEntry(c: DashboardContext): NavigationEntry | undefined {
  const { path } = c.req;
  return c
    .get('navigation')
    .filter((entry) => path === entry.path || (entry.path !== ROOT && path.startsWith(`${entry.path}/`)))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
}

function environmentMenu(c: DashboardContext): Html {
  const { name, baseUrl } = c.get('environment');
  const others = c.get('environments').filter((environment) => environment.name !== name);
  const shown = html`${pip(name)}<span><b>${name}</b><small>${new URL(baseUrl).host}</small></span>`;
  if (others.length === 0) return html`<p class="env env-only">${shown}</p>`;
  return html`<details class="env">
    <summary>${shown}${icon('down')}</summary>
    <div class="env-list">
      <ul>
        ${others.map(
          (other) =>
            html`<li>
              <a href="${other.baseUrl}${ROOT}"
                >${pip(other.name)}<span
                  ><b>${other.name}</b><small>${new URL(other.baseUrl).host}</small></span
                ></a
              >
            </li>`,
        )}
      </ul>
      <p>${words.ownSignIn}</p>
    </div>
  </details>`;
}

function me({ email, name, organization }: Viewer, csrf: string): Html {
  const shown = name === '' ? email : name;
  const role =
    organization === undefined ? words.operator : words.roleIn(organization.role, organization.name);
  return html`<div class="me">
    <span class="face" aria-hidden="true">${initials(shown)}</span>
    <span class="who"
      ><a href="/accounts" title="${words.accounts}"><bdi>${shown}</bdi></a
      ><small>${role}</small></span
    >
    <form method="post" action="/sign-out">
      <input type="hidden" name="csrf" value="${csrf}" />
      <button class="icon-btn" type="submit" aria-label="${words.signOut}" title="${words.signOut}">
        ${icon('out')}
      </button>
    </form>
  </div>`;
}

function bar(c: DashboardContext, page: Page): Html {
  const { name } = c.get('environment');
  const current = currentEntry(c);
  const isOwn = current === undefined || c.req.path === current.path;
  const crumbs = [...(isOwn ? [] : [{ label: current.label, href: current.path }]), ...(page.crumbs ?? [])];
  return html`<div class="bar">
    <a class="icon-btn burger" href="#side" aria-label="${words.menu}">${icon('menu')}</a>
    <nav aria-label="${words.youAreHere}">
      <ol class="crumbs">
        <li>${pip(name)}${name}</li>
        ${crumbs.map(({ label, href }) => html`<li><a href="${href}">${label}</a></li>`)}
        <li aria-current="page"><span>${page.title}</span></li>
      </ol>
    </nav>
    <form class="find" role="search" method="get" action="${ROOT}/search">
      ${icon('find')}<input
        type="search"
        name="q"
        maxlength="200"
        aria-label="${words.search.label}"
        placeholder="${words.search.placeholder}"
      /><kbd aria-hidden="true">/</kbd>
    </form>
  </div>`;
}

function pip(environmentName: string): Html {
  return html`<i class="pip ${environmentName === PRODUCTION ? 'prod' : ''}" aria-hidden="true"></i>`;
}

function initials(name: string): string {
  return name
    .split(/[\s.@_-]+/)
    .slice(0, 2)
    .map((part) => /^./u.exec(part)?.[0] ?? '')
    .join('')
    .toUpperCase();
}

const BRAND = html`<svg
  viewBox="0 0 24 24"
  aria-hidden="true"
  fill="none"
  stroke="currentColor"
  stroke-width="1.8"
  stroke-linecap="round"
  stroke-linejoin="round"
>
  <path d="M4 21V10a8 8 0 0 1 16 0v11" />
  <path d="M2.5 21h19" />
  <path d="M8.500 21v-8.500a3.500 3.500 0 0 1 7 0V21" />
  <path d="M12 15.200v2.100" />
</svg>`;
