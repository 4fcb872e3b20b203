/** What every page of the dashboard knows about its request. */
import type { Caller } from '../../core/caller.ts';
import type { PageContext, PageVariables } from '../../pages/frame/page-response.ts';
import type { IconName } from './icons.ts';

/** Who sees a page: operators, or also owners and admins of an organization, for whom it shows only what is theirs. */
export type Audience = 'operator' | 'organization';

/** The signed-in person, and what the rules let them do. */
export interface Viewer {
  userId: string;
  email: string;
  /** Given and family name; '' if neither is known. */
  name: string;
  isOperator: boolean;
  /** The organization that the pages are narrowed to; `undefined` for operators. */
  organization: { id: string; name: string; role: string } | undefined;
  /** Give it to every service: it is the person with exactly their rights. */
  caller: Caller;
  /** The person proved who they are in the last ten minutes. */
  isFresh: boolean;
}

/** A line of the navigation. */
export interface NavigationEntry {
  path: string;
  label: string;
  /** For owners and admins of an organization, where their page has another subject. */
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

/** Set before every page, beside what every page here has. */
interface DashboardVariables {
  viewer: Viewer;
  /** Token of the forms on the page. */
  csrf: string;
  /** When the page was asked for, Unix milliseconds. */
  shownAt: number;
  /** What this viewer may open. */
  navigation: readonly NavigationEntry[];
  /** Environments to switch to, the present one included; for operators only. */
  environments: readonly { name: string; baseUrl: string }[];
  /** What the last change says. */
  flash: Flash | undefined;
}

declare module 'hono' {
  // Merged by Hono into every context, so that cookies and forms of the pages take ours as it is.
  interface ContextVariableMap extends DashboardVariables {}
}

/** Types of the Hono apps of pages. */
export interface DashboardEnv {
  Variables: PageVariables;
}

/** The request of a page. */
export type DashboardContext = PageContext;
