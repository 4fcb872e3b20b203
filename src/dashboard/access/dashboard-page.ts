/** A page of the dashboard, with its line in the navigation. */
import type { Hono } from 'hono';
import type { DashboardDependencies } from './dependencies.ts';
import type { DashboardEnv, NavigationEntry } from '../frame/dashboard-context.ts';

/** A page of the dashboard. The path of its navigation entry and every path below it belong to this page. */
export interface DashboardPage {
  entry: NavigationEntry;
  /** Routes with full paths. Requests arrive only from people who may see the page. Failures may be thrown. */
  routes: (deps: DashboardDependencies) => Hono<DashboardEnv>;
}
