/** Words of the pages of remote MCP servers. */
import type { Effect } from '../../catalog/model/types.ts';
import type { ApprovalMode, PinState } from '../../upstream/definitions/pins.ts';
import type { ToolFormView } from '../../upstream/operators/tool-forms.ts';
import type { RegistrationView, UpstreamState } from '../../upstream/operators/upstream-view.ts';

const STATES: Readonly<Record<UpstreamState, string>> = {
  not_added: 'Not added',
  no_connection: 'No connection',
  authorization_server_changed: 'Other authorization server',
  unavailable: 'Fails',
  no_list: 'No tools listed yet',
  waiting_for_approval: 'Waits for approval',
  ready: 'Ready',
};

const FORM_STATES: Readonly<Record<PinState, string>> = {
  new: 'New',
  approved: 'Published',
  held: 'Held back',
  gone: 'No longer listed',
};

const APPROVALS: Readonly<Record<ApprovalMode, string>> = {
  manual: 'A person approves each tool and each change of it',
  first: 'The first list is published; later changes wait for a person',
  trusted: 'Nobody: tools and their changes are published at once',
};

const WAYS: Readonly<Record<NonNullable<RegistrationView['way']>, string>> = {
  static: 'With the client of the connection',
  document: 'With our metadata document, which the authorization server reads',
  dynamic: 'By registration with the first consent',
};

const FINDINGS: Readonly<Record<ToolFormView['findings'][number]['kind'], string>> = {
  hidden: 'Characters that nobody sees',
  control: 'Control characters',
  foreign_tool: 'The name of a tool of another app',
  words_to_model: 'Words to the model',
  address: 'An address',
  encoded: 'Encoded text',
  long: 'A very long text',
};

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: 'reads only',
  create: 'creates',
  update: 'changes',
  delete: 'deletes',
};

const counted = (count: string, one: string, many: string): string =>
  count === '1' ? `1 ${one}` : `${count} ${many}`;

/** Words and sentences. */
export const upstreams = {
  title: 'Remote MCP servers',
  lead: 'MCP servers of others. Each person connects an account of their own, and agents see the tools that you have approved.',
  heading: 'Of this environment',
  none: 'There is no remote MCP server. Add one, and people can connect their accounts there.',
  addButton: 'Add a server',
  columns: {
    server: 'Server',
    state: 'State',
    published: 'Published',
    waiting: 'Waiting',
    accounts: 'Accounts',
    type: 'Authorization',
    news: 'Last news of its tools',
  },
  states: STATES,
  declared: 'In a catalog file',
  declaredNote: 'A file of the catalog declares this server. Change and remove it there.',
  connectionNote: 'It has no connection yet, so nobody can connect an account.',
  makeConnection: 'Add the connection',
  notes: 'What to know',
  facts: {
    heading: 'Server',
    address: 'Address',
    connector: 'Connector',
    connection: 'Connection',
    says: 'It calls itself',
    instructions: 'Its instructions, which no model reads',
    era: 'Protocol',
    eras: { modern: 'Without sessions (2026-07-28)', legacy: 'With sessions (2025-11-25 and before)' },
    approval: 'Who approves tools',
    approvals: APPROVALS,
    accounts: 'Accounts',
    added: 'Added',
    news: 'Last news of its tools',
    failing: 'Fails since',
    spared: 'No calls until',
  },
  authorization: {
    heading: 'Authorization',
    type: 'Type',
    issuer: 'Authorization server',
    pinned: 'Pinned: another one is held back until you accept it.',
    unknown: 'Not known before the first consent',
    way: 'How Gatehouse is a client there',
    ways: WAYS,
    noWay: 'It registers no clients: register one there and enter it in the connection.',
    clientId: 'Client id',
    registered: 'Registered',
    redirectUri: 'Redirect URI',
    scopes: 'Scopes of a consent',
  },
  change: {
    heading: 'The authorization server is to be another one',
    lead: 'Accounts go on. New consents wait until you accept the change. Ask who runs the server whether it is meant.',
    before: 'Until now',
    after: 'From now on',
    origins: 'People and secrets go to',
    found: 'First seen',
  },
  waiting: {
    heading: 'Held back',
    lead: 'Agents see none of this before you approve it. Of a changed tool they go on to see the approved form.',
    states: FORM_STATES,
    obstacle: (why: string) => `It cannot be published: ${why}.`,
    findings: 'Striking in its texts',
    kinds: FINDINGS,
    finding: (kind: string, field: string) => `${kind} in ${field}`,
    striking: (count: string) => `${count} striking`,
    blocked: 'Cannot be published',
    unnamed: 'Without a name',
    original: (name: string) => `The server calls it ${name}`,
    effect: (effect: Effect) => EFFECTS[effect],
    otherEffect: (before: Effect, now: Effect) => `${EFFECTS[before]}, now ${EFFECTS[now]}`,
    approved: 'Approved',
    now: 'Now',
    nothing: 'not there',
    unchanged: 'Its texts are those of the approved form.',
    more: (count: string) =>
      `${count} more fields are not shown here. "gatehouse upstreams diff" prints them.`,
    whole: (characters: string) => `All ${characters} characters`,
    cut: (characters: string) => `[${characters} more characters, which "gatehouse upstreams diff" prints]`,
  },
  tools: {
    heading: 'Tools',
    none: 'No account has brought a list of tools yet. Connect the first one.',
    connect: 'See its accounts',
    columns: { tool: 'Tool', state: 'State', effect: 'Effect', pin: 'Fingerprint', decided: 'Approved' },
    sum: (published: string, waiting: string) => `${published} published, ${waiting} waiting`,
    by: (who: string) => `by ${who}`,
    pinNote:
      'The fingerprint is of name, texts, schemas and hints. A form with another one is not published.',
  },
  probe: {
    button: 'Look now',
    heading: 'What a look has found just now',
    nothing: 'Nothing new: the server is as it is shown here.',
  },
  decide: 'Decide',
  approve: {
    title: (server: string) => `Publish tools of ${server}`,
    lead: 'Read what each form says: a model obeys it. What you publish is what you see here, and a later change waits again.',
    publish: 'Publish this form',
    effect: 'What it does',
    effects: { read: 'Reads only', create: 'Creates', update: 'Changes', delete: 'Deletes' },
    name: 'Name',
    ticked: 'Publish what is ticked',
    all: (forms: string) => `Publish all ${forms} of this page`,
    cancel: 'Cancel',
    nothing: 'Nothing waits for approval.',
    back: 'Back to the server',
    nothingTicked: 'Tick at least one form.',
    gone: (tool: string) =>
      `The form of ${tool} that you saw is gone: the server has changed it or taken it back. What waits now is below.`,
    done: (forms: string, published: string) =>
      `Approved ${counted(forms, 'tool', 'tools')}. ${published} are published.`,
  },
  accept: {
    title: (server: string) => `Accept another authorization server for ${server}`,
    lead: 'Whoever runs it can give out accounts of your people at this server. Ask whether the change is meant.',
    before: 'Until now people gave their consent at',
    after: 'From now on they do at',
    origin: 'People and secrets go to',
    stays: ['Accounts that are connected go on.'],
    button: 'Accept the change',
    done: (issuer: string) => `Accepted ${issuer}. Accounts go on; new consents go there.`,
  },
  add: {
    title: 'Add a remote MCP server',
    lead: 'Gatehouse looks at it first, without a credential. Nothing is stored before you confirm what was found.',
    heading: 'The server',
    look: 'Look at it',
    again: 'Look once more, with other values',
    fields: {
      url: 'Address',
      urlHint: 'Empty: that of the public server of this name, as lists have it and not tried.',
      name: 'Name',
      nameHint: 'Of its connector and connection. Empty: made from the address.',
      title: 'Title',
      titleHint: 'What people call it. Empty: made from the name.',
      auth: 'How people bring credentials',
      ways: {
        '': 'As the server says',
        oauth: 'They give their consent (OAuth)',
        bearer: 'They enter a key or token, sent as Authorization: Bearer',
        header: 'They enter a key, sent in the header below',
        none: 'Not at all: everybody is the same to it',
      },
      header: 'Header of the key',
      headerHint: 'Such as X-Api-Key.',
      connector: 'Further keys of a connector.yaml',
      connectorHint: 'A JSON object with auth, mcp, tools, limits and others.',
      connectorWrong: 'Must be a JSON object.',
      trusted: 'Publish its tools and their changes without a person',
      trustedHint: 'For servers of your own only.',
    },
    found: (server: string) => `What was found at ${server}`,
    says: 'What a look has found',
    usable: 'Can be added',
    unusable: 'Cannot be added',
    unusableLead: 'Nothing was stored. Accounts or calls would fail.',
    nothing: 'It answers, and nothing is striking.',
    confirmLead: 'Nothing is stored yet.',
    confirm: (server: string) => `Add ${server}`,
    done: (server: string) => `${server} was added. Its tools come with the first account.`,
    link: 'Make a link for it',
    listed: {
      heading: 'Public servers that lists name',
      lead: 'Nobody has tried them with Gatehouse: address and authorization are as listed.',
      search: 'Search',
      placeholder: 'Name or address',
      nothing: 'No listed server matches this search.',
      more: (servers: string) => `${servers} more: search for them.`,
      remark: (date: string) => `As listed on ${date}, not tried`,
    },
  },
  reregister: {
    link: 'Register another client',
    title: (server: string) => `Register another client at ${server}`,
    goes: ['The next consent registers a new client, and new accounts use it.'],
    stays: ['Accounts go on with the client of their consent.'],
    button: 'Register another client',
    done: (server: string) => `The next consent of ${server} registers a new client.`,
  },
  edit: {
    link: 'Change',
    title: (server: string) => `Change ${server}`,
    lead: 'Its name and its address stay: accounts were connected there.',
    connector: 'Keys of a connector.yaml that change',
    connectorHint: 'A JSON object such as {"description": "…"}; null removes a key. Empty: they stay.',
    save: 'Save',
    cancel: 'Cancel',
    done: (server: string) => `${server} was changed.`,
  },
  remove: {
    link: 'Remove',
    title: (server: string) => `Remove ${server}?`,
    goes: [
      'The server, its connection and its tools go. No account can be connected to it any more.',
      'Approvals of its tools go. If you add the server again, its tools are treated as those of a new server.',
    ],
    stays: ['Records of its calls and the lines of the audit log stay.'],
    button: 'Remove the server',
    done: (server: string) => `${server} was removed.`,
    declared: (server: string) =>
      `A file of the catalog declares ${server}: remove it there. Nothing was deleted.`,
    inUse: (others: string) =>
      `${others} has accounts at the same server. Delete those first; nothing is deleted before that.`,
    goesToo: (accounts: string) => `The access of ${accounts} ends. Tokens are revoked where the server can.`,
    withAccounts: (accounts: string) => `Remove the server and ${accounts}`,
    more: (accounts: string) =>
      `There were too many accounts for one step. Remove the server again: ${accounts} left.`,
  },
  accounts: (count: string) => counted(count, 'account', 'accounts'),
} as const;
