/** Every page of the dashboard, in the order of the navigation. A new page is one line here. */
import type { DashboardPage } from './access/dashboard-page.ts';
import { accounts } from './pages/accounts/accounts.ts';
import { audit } from './pages/audit/audit.ts';
import { calls } from './pages/calls/calls.ts';
import { connections } from './pages/connections/connections.ts';
import { credentials } from './pages/credentials/credentials.ts';
import { interceptors } from './pages/interceptors/interceptors.ts';
import { organizations } from './pages/organizations/organizations.ts';
import { overview } from './pages/overview/overview.ts';
import { servers } from './pages/servers/servers.ts';
import { settings } from './pages/settings/settings.ts';
import { tools } from './pages/tools/tools.ts';
import { upstreams } from './pages/upstreams/upstreams.ts';
import { users } from './pages/users/users.ts';
import { webhooks } from './pages/webhooks/webhooks.ts';

/** Pages by group. The first page of a group is its first entry. */
export const PAGES: readonly DashboardPage[] = [
  overview,
  calls,
  audit,
  accounts,
  connections,
  upstreams,
  tools,
  servers,
  users,
  organizations,
  credentials,
  interceptors,
  webhooks,
  settings,
];
