/** Words of the overview. */
const REASONS: Readonly<Record<string, string>> = {
  INVALID_ARGUMENT: 'The input broke a rule of the tool',
  TOOL_ERROR: 'The provider refused or failed',
  RATE_LIMITED: 'Too many calls; the agent was told when to try again',
  CONNECTION_MISSING: 'The connection is not set up',
  PERMISSION_DENIED: 'The caller lacks a right',
  RESOURCE_NOT_FOUND: 'There is no such tool or account',
  UNAVAILABLE: 'Gatehouse or its database was away',
  IDEMPOTENCY_CONFLICT: 'An idempotency key was used again with other input',
  INTERNAL: 'A defect of Gatehouse; its log has the cause',
};

export const overview = {
  title: 'Overview',
  lead: (since: string) => `All agents, apps and people, since ${since}.`,
  leadOfOrganization: (name: string) => `The accounts of ${name} and the calls with them.`,
  period: 'Period',
  periods: { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' },
  figures: {
    calls: 'Tool calls',
    callsOfDay: 'Tool calls in 24 hours',
    failedOfDay: 'Not answered in 24 hours',
    failed: 'Failed',
    took: 'Time of a call, about (p95)',
    accounts: 'Active accounts',
    of: (count: string) => `of ${count}`,
    ofAccounts: (waits: string, expired: string) => `${waits} wait for a person, ${expired} expired`,
    points: (change: string) => `${change} points`,
    comparedTo: 'compared to the time before',
  },
  chart: {
    hourly: 'Calls per hour',
    daily: 'Calls per day',
    answered: 'answered',
    waited: 'waited for a person',
    failed: 'failed',
    columns: (isDaily: boolean): [string, string, string, string] => [
      isDaily ? 'Day (UTC)' : 'Hour (UTC)',
      'Answered',
      'Waited',
      'Failed',
    ],
    says: (title: string, most: string, failed: string) =>
      `${title}: at most ${most}; ${failed} failed in the whole time`,
    bar: (when: string, answered: string, waited: string, failed: string) =>
      `${when} – ${answered} answered, ${waited} waited for a person, ${failed} failed`,
    now: 'now',
    none: 'No tool was called in this time.',
  },
  why: {
    title: 'Why calls failed',
    all: 'All',
    none: 'No call failed in this time.',
    waited: (count: string) =>
      `${count} ${count === '1' ? 'call' : 'calls'} waited for a person, who was given a link.`,
    reasons: REASONS,
  },
  connections: {
    title: 'Connections',
    add: 'Add a connection',
    none: 'There is no connection yet. A connection is an app set up for use.',
    columns: {
      app: 'App',
      accounts: 'Accounts',
      calls: 'Calls',
      failed: 'Not answered',
      took: 'p95',
      status: 'Status',
    },
    active: (active: string, all: string) => `${active} of ${all} active`,
    works: 'Working',
    warns: 'Needs attention',
    unused: 'Not used yet',
    inactive: 'No active account',
  },
  latest: {
    title: 'Latest calls',
    all: 'All calls',
    never: 'Inputs and outputs of calls are never recorded.',
    none: 'No tool was called yet.',
  },
  attention: {
    connection: (name: string) => `The connection ${name} will not work`,
    open: 'Open the connection',
    expired: (count: string, app: string, isOne: boolean) =>
      isOne
        ? `${count} account of ${app} has lost its access`
        : `${count} accounts of ${app} have lost their access`,
    expiredDetail: 'The owners have to connect again; until then calls answer with a link.',
    see: 'See the accounts',
    since: 'Since',
    sinceBefore: 'Since at least',
    latest: 'The latest:',
    interceptor: (name: string) => `The interceptor ${name} gives no readable answer`,
    interceptorDetail: (failed: number, of: number) =>
      `${failed} of its last ${of} requests in 24 hours failed, and its fallback decided.`,
    seeLog: 'See the log',
    webhook: (name: string) => `The webhook ${name} does not take its events`,
    webhookDetail: (count: string) => `${count} deliveries were given up.`,
    seeDeliveries: 'See the deliveries',
    waiting: (tools: string, server: string) =>
      tools === '1'
        ? `1 tool of ${server} waits for approval`
        : `${tools} tools of ${server} wait for approval`,
    waitingDetail: 'New and changed tools are held back; agents go on with what was approved.',
    authorizationServer: (server: string) => `${server} is to have another authorization server`,
    authorizationServerDetail: 'Accounts go on. New consents wait until the change is accepted.',
    unavailable: (server: string) => `${server} fails`,
    unavailableDetail: 'It has failed several times in a row and gets few calls until it answers again.',
    seeUpstream: 'Open the server',
  },
  start: {
    title: 'First steps',
    lead: 'This goes away when everything is done.',
    dismiss: 'Hide the first steps',
    hidden: 'The first steps are hidden.',
    done: 'done',
    open: 'open',
    signedIn: {
      what: 'You are signed in',
      how: (email: string) => `As ${email}, an operator of this environment.`,
    },
    connection: {
      what: 'Add a connection',
      how: 'Choose an app and set it up. Web search is there already and needs a key only.',
      action: 'Choose an app',
    },
    account: {
      what: 'Connect an account',
      how: 'Choose an app and connect it, as your users will.',
      action: 'Connect an account',
    },
    tool: {
      what: 'Run a tool',
      how: 'Try one in the browser and see what an agent gets.',
      action: 'Choose a tool',
    },
    agent: {
      what: 'Point your agent here',
      how: 'Add this address to its MCP servers. It signs in by itself.',
      clients: { claude: 'Claude Code', json: 'Cursor, VS Code and others: mcp.json' },
    },
    people: {
      what: 'Invite somebody',
      how: 'Make a user or an organization of your own. Without a mail server (smtp in gatehouse.yaml) sign-in codes stand in the log.',
      action: 'Add a user',
    },
  },
} as const;
