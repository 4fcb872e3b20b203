/** `gatehouse upstreams`: remote MCP servers, whose tools are published together with those of the catalog. */
import { ServiceError } from '../../../core/errors.ts';
import type { Settings } from '../../../settings/settings.ts';
import { confirmed, deleteConfirmed } from '../../terminal/ask.ts';
import { adminCommand, commandGroup, type Operator } from '../../terminal/command.ts';
import { withHint } from '../../terminal/did-you-mean.ts';
import { CommandFailed, UsageError } from '../../terminal/failure.ts';
import { readJsonObject } from '../../terminal/json-input.ts';
import {
  OWNER_OPTIONS,
  ownerOrDefault,
  YES_OPTION,
  type OptionSpecs,
  type OptionValues,
  type OwnerOptions,
} from '../../terminal/options.ts';
import type { Output } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { acceptCommand, approveCommand, diffCommand } from './decisions.ts';
import { LISTED, named, UPSTREAM, type NewUpstream, type Upstream } from './named-upstream.ts';

const NEW_OPTIONS = {
  '--name <name>': 'of connector and connection; default: made from the address',
  '--title <text>': 'what people call it; default: made from the name',
  '--auth <way>':
    'how people bring credentials: oauth, bearer, none or header:NAME; default: as the server says',
  '--connector <json>': 'further keys as in a connector.yaml: JSON or @FILE',
  '--trusted': 'publish its tools and their changes without a person; for servers of your own',
} satisfies OptionSpecs;

const list = adminCommand({
  name: 'list',
  description: 'Lists remote MCP servers.',
  example: 'gatehouse upstreams list',
  run: async ({ admin, caller, out }) => {
    const upstreams = await admin.upstreams.operators.list(caller.environmentId);
    out.list({
      answer: { upstreams },
      rows: upstreams.map(({ tools, ...upstream }) => ({
        ...upstream,
        published: tools.approved,
        waiting: tools.waiting,
      })),
      columns: ['name', 'url', 'authorization_type', 'state', 'accounts', 'published', 'waiting'],
      empty: 'There is no remote MCP server. "gatehouse upstreams add" adds one.',
    });
  },
});

const show = adminCommand({
  name: 'show',
  description:
    'Shows a remote MCP server: its era, who asks for consent, its tools by state, and what to do.',
  args: UPSTREAM,
  example: 'gatehouse upstreams show notion',
  run: async ({ args, out, ...operator }) => present(out, await named(operator, args.upstream)),
});

const add = adminCommand({
  name: 'add',
  description:
    'Looks at a remote MCP server without a credential, says what was found, and adds it once that is confirmed. ' +
    'Afterwards it prints a link for the first account: its list of tools waits for approval.',
  args: { server: 'its address, or the name of a public server that lists have' },
  options: { ...NEW_OPTIONS, ...OWNER_OPTIONS, ...YES_OPTION },
  example: [
    'gatehouse upstreams add https://mcp.example.com/mcp',
    'gatehouse upstreams add notion --yes',
    'gatehouse upstreams add https://mcp.example.com/mcp --name tracker --auth header:X-Api-Key',
  ],
  input: async ({ terminal, args, options }) => given(terminal, args.server, options),
  run: async ({ terminal, admin, caller, settings, options, input, out }) => {
    const { operators } = admin.upstreams;
    const found = await withProgress(terminal, 'Looking at the server', async () =>
      operators.add(caller, input),
    );
    const isUsable = found.findings.every(({ severity }) => severity !== 'error');
    // An operator who is asked sees what was found. With --yes they see what was added, below.
    if (!out.isJson && (options.yes !== true || !isUsable)) out.fields(factsOf(found));
    sayFindings(out, found);
    if (!isUsable && out.isJson) out.json({ upstream: found });
    if (!isUsable) throw new CommandFailed('Nothing was added: see the errors above.');
    if (options.yes !== true && !(await confirmed(terminal, `Add ${found.name}?`)))
      throw new CommandFailed('Nothing was added.');
    const upstream = await operators.add(caller, { ...input, confirm: true, seen: found });
    const link = await firstLink({ admin, caller, settings }, upstream, options);
    if (out.isJson) return out.json({ upstream, ...link });
    if (options.yes === true) out.fields(factsOf(upstream));
    out.say(`Added ${upstream.name}.`);
    sayHowToConnect(out, upstream, link);
  },
});

const probe = adminCommand({
  name: 'probe',
  description:
    'Looks at a remote MCP server as it is now, and reads the tools of one of its accounts. Of an address, or the name of a public server, nothing is stored.',
  args: { server: 'its name, its address, or the name of a public server that lists have' },
  options: NEW_OPTIONS,
  example: ['gatehouse upstreams probe notion', 'gatehouse upstreams probe https://mcp.example.com/mcp'],
  input: async ({ terminal, args, options }) => given(terminal, args.server, options),
  run: async ({ terminal, admin, caller, args: { server }, input, out }) => {
    const { operators } = admin.upstreams;
    const known = await operators.list(caller.environmentId);
    const stored = known.find(
      ({ name, connector, url }) =>
        name === server || connector === server || (input.name === undefined && isSameAddress(url, server)),
    );
    const found = await withProgress(terminal, 'Looking at the server', async () =>
      stored === undefined
        ? operators.add(caller, input)
        : operators.probe(caller.environmentId, stored.name),
    );
    present(out, found);
    if (found.findings.some(({ severity }) => severity === 'error')) throw new CommandFailed('');
  },
});

const reregister = adminCommand({
  name: 'reregister',
  description: 'Has the next consent register a new client. Accounts go on with the client of their consent.',
  args: UPSTREAM,
  example: 'gatehouse upstreams reregister notion',
  run: async ({ args, out, ...operator }) => {
    const { admin, caller } = operator;
    const upstream = await withHint(operator, args.upstream, LISTED, async () =>
      admin.upstreams.operators.reregister(caller, args.upstream),
    );
    if (out.isJson) return out.json(upstream);
    out.say(`The next consent of ${upstream.name} registers a new client.`);
  },
});

const remove = adminCommand({
  name: 'remove',
  description: 'Removes a remote MCP server with its connection.',
  args: UPSTREAM,
  options: { '--with-accounts': 'delete its accounts too, and revoke their tokens', ...YES_OPTION },
  example: 'gatehouse upstreams remove notion --with-accounts',
  run: async (context) => {
    const { admin, caller, args, options } = context;
    const upstream = await named(context, args.upstream);
    const { name, accounts } = upstream;
    const isWhole = options.withAccounts === true;
    // Checked before anything is deleted, because the server may not be removable.
    if (isWhole) await requireRemovable(context, upstream);
    await deleteConfirmed(context, {
      question: isWhole && accounts > 0 ? `Remove ${name} with ${accounts} accounts?` : `Remove ${name}?`,
      name,
      remove: async () => {
        if (isWhole) await removeAccounts(context, name);
        await admin.upstreams.operators.remove(caller, name).catch(refuseWithAccounts(name));
      },
    });
  },
});

const verify = adminCommand({
  name: 'verify',
  description:
    'Looks at the public servers that lists have, without a credential, and says which answer as listed. Needs the internet. Exit code 1 if one fails.',
  args: { 'names...': 'only these; default: all' },
  example: ['gatehouse upstreams verify notion linear', 'gatehouse upstreams verify --json'],
  run: async ({ terminal, admin, args: { names }, out }) => {
    let done = 0;
    const servers = await withProgress(terminal, 'Looking at the servers', async (now) =>
      admin.upstreams.operators.verify(names, ({ name }) =>
        now(`${(done += 1)} done, the last one is ${name}`),
      ),
    );
    out.list({
      answer: { servers },
      rows: servers,
      columns: ['name', 'url', 'listed_on', 'outcome', 'found', 'message'],
      empty: 'No server is listed.',
    });
    const failed = servers.filter(({ outcome }) => outcome === 'failed').length;
    if (failed > 0) throw new CommandFailed(`${failed} of ${servers.length} cannot be used as listed.`);
  },
});

/** The command `upstreams` with its subcommands. */
export const upstreamsCommand = commandGroup({
  name: 'upstreams',
  description:
    'Manages remote MCP servers: each person connects an account of their own, and approved tools are published.',
  commands: [list, show, add, probe, diffCommand, approveCommand, acceptCommand, reregister, remove, verify],
});

async function given(
  terminal: Terminal,
  server: string,
  { name, title, auth, connector, trusted }: OptionValues<typeof NEW_OPTIONS>,
): Promise<NewUpstream> {
  const isAddress = /[:/.]/.test(server);
  if (!isAddress && name !== undefined)
    throw new UsageError('--name is for an address: a public server has the name of its list.');
  return {
    ...(isAddress ? { url: server, name } : { name: server }),
    title,
    auth,
    connector: connector === undefined ? undefined : await readJsonObject(terminal, '--connector', connector),
    trusted,
  };
}

function isSameAddress(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return one === other;
  return new URL(one).href === new URL(other).href;
}

/** @throws CommandFailed for a server of a file, and for one that other connections use */
async function requireRemovable({ admin, caller }: Operator, upstream: Upstream): Promise<void> {
  if (upstream.added_at === null)
    throw new CommandFailed(
      `A file of the catalog declares ${upstream.name}: remove it there. Nothing was deleted.`,
    );
  const others = await admin.upstreams.operators.othersInUse(caller.environmentId, upstream);
  if (others.length > 0)
    throw new CommandFailed(
      `${others.map((other) => other.name).join(', ')} has accounts at the same server: delete them first. Nothing was deleted.`,
    );
}

/** Names the option that the API has not. */
function refuseWithAccounts(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ServiceError) || error.violations[0]?.constraint !== 'in_use') throw error;
    throw new CommandFailed(
      `${name} has connected accounts: give --with-accounts to delete them too. "gatehouse accounts list --connector ${name}" lists them.`,
    );
  };
}

async function removeAccounts({ admin, caller }: Operator, connector: string): Promise<void> {
  for (;;) {
    const { connected_accounts: page } = await admin.accounts.list(caller, { connector, page_size: 100 });
    if (page.length === 0) return;
    for (const { id } of page) await admin.disconnection.remove(caller, { id });
  }
}

interface FirstLink {
  link?: string;
  expiry?: string;
}

/**
 * A link for the owner named by the options, or for the user of stdio sessions. There is no link without an
 * address.
 */
async function firstLink(
  { admin, caller, settings }: Operator & { settings: Settings },
  { name, authorization_type: type }: Upstream,
  options: OwnerOptions,
): Promise<FirstLink> {
  if (type === 'NO_AUTH') return {};
  const { userId, organizationId } = ownerOrDefault(options, settings);
  const identifier = userId ?? organizationId;
  try {
    return await admin.links.create(caller, {
      connector: name,
      identifier,
      ...(userId !== undefined && { user_id: userId }),
      ...(organizationId !== undefined && { organization_id: organizationId }),
    });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'UNAVAILABLE') return {};
    throw error;
  }
}

function sayHowToConnect(
  out: Output,
  { name, title, approval }: Upstream,
  { link, expiry }: FirstLink,
): void {
  if (link === undefined) out.say(`Connect the first account with "gatehouse connect ${name}".`);
  else
    out.say(
      `Connect the first account with this link, until ${expiry ?? ''}; Gatehouse has to be running:\n\n  ${link}\n`,
    );
  out.say(
    `Every person gets a link of their own, from "gatehouse connect ${name} --user ID", over REST, or from an agent that calls a tool.`,
  );
  if (approval === 'manual')
    out.say(
      `Tools of ${title} are published once you approve them: "gatehouse upstreams diff ${name}", then "gatehouse upstreams approve ${name} --all".`,
    );
}

/** What a look at a server finds, without members that only a stored server has. */
function factsOf({ name, title, url, state, authorization_type, ...others }: Upstream): object {
  const { era, issuer, scopes, redirect_uri, server } = others;
  const known = Object.entries({ authorization_type, era, issuer, scopes, redirect_uri, server });
  const isThere = ([, value]: [string, unknown]): boolean =>
    value !== null && !(Array.isArray(value) && value.length === 0);
  return { name, title, url, state, ...Object.fromEntries(known.filter(isThere)) };
}

/** Prints an upstream as data; for people its findings as sentences. */
function present(out: Output, upstream: Upstream): void {
  if (out.isJson) return out.json(upstream);
  const { findings: _, ...fields } = upstream;
  out.fields(upstream.state === 'not_added' ? factsOf(upstream) : fields);
  sayFindings(out, upstream);
}

function sayFindings(out: Output, { findings }: Upstream): void {
  if (out.isJson) return;
  for (const { severity, field, message } of findings)
    out.say(
      severity === 'info' ? message : `${severity === 'error' ? 'Error' : 'Warning'}, ${field}: ${message}`,
    );
}
