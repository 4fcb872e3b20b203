/** Data about the request that every page of the dashboard has. */
import type { Caller } from '../../core/caller.ts';
import type { PageContext, PageVariables } from '../../pages/frame/page-response.ts';
import type { IconName } from './icons.ts';

/**
 * The people who see a page: operators only, or also owners and admins of an organization, who see only what
 * belongs to it.
 */
export type Audience = 'operator' | 'organization';

/** The signed-in person, and their rights. */
export interface Viewer {
  userId: string;
  email: string;
  /** Given and family name; '' if neither is known. */
  name: string;
  isOperator: boolean;
  /** The organization that the pages are narrowed to; `undefined` for operators. */
  organization: { id: string; name: string; role: string } | undefined;
  /** The caller for every service: the person with exactly their rights. */
  caller: Caller;
  /** The person proved who they are in the last ten minutes. */
  isFresh: boolean;
}

/** A line of the navigation. */
export interface NavigationEntry {
  path: string;
  label: string;
  /** Label for owners and admins of an organization, if their page has another subject. */
  ownLabel?: string;
  icon: IconName;
  group: NavigationGroup;
  audience: Audience;
}

/** Headings of the navigation, in their order. */
export const NAVIGATION_GROUPS = ['start', 'apps', 'people', 'developers'] as const;

/** A heading of the navigation; `start` has none. */
export type NavigationGroup = (typeof NAVIGATION_GROUPS)[number];

/** One sentence after a change, with a link to the thing. */
export interface Flash {
  text: string;
  link?: { href: string; label: string };
}

/** Variables that are set before every dashboard page, in addition to those of all pages. */
interface DashboardVariables {
  viewer: Viewer;
  /** Token of the forms on the page. */
  csrf: string;
  /** Time of the request, in Unix milliseconds. */
  shownAt: number;
  /** Navigation entries that this viewer may open. */
  navigation: readonly NavigationEntry[];
  /** Environments to switch to, including the current one; for operators only. */
  environments: readonly { name: string; baseUrl: string }[];
  /** The sentence about the last change. */
  flash: Flash | undefined;
}

declare module 'hono' {
  // Hono merges this into every context, so that cookies and forms of the pages accept ours unchanged.
  interface ContextVariableMap extends DashboardVariables {}
}

/** Type of the Hono apps of pages. */
export interface DashboardEnv {
  Variables: PageVariables;
}

/** The request of a page. */
export type DashboardContext = PageContext;
