/** A page of the dashboard, with its line in the navigation. */
import type { Hono } from 'hono';
import type { DashboardDependencies } from './dependencies.ts';
import type { DashboardEnv, NavigationEntry } from '../frame/dashboard-context.ts';

/** The path of its entry and everything below it belong to one page. */
export interface DashboardPage {
  entry: NavigationEntry;
  /** Full paths. Everybody who gets here may see the page; failures may be thrown. */
  routes: (deps: DashboardDependencies) => Hono<DashboardEnv>;
}
