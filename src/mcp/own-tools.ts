/**
 * Gatehouse's own tools, about the accounts of the caller: which are connected, and a link to connect or replace one.
 *
 * They need no account and send nothing to a provider. The executor's `OwnAccounts` has the rules about accounts.
 */
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import type { Catalog } from '../catalog/model/types.ts';
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server';
import { coerced } from '../catalog/call/coercion.ts';
import type { OwnToolName } from '../catalog/model/tool-selection.ts';
import { invalidArgument, violation, type FieldViolation } from '../core/errors.ts';
import type { OwnAccount } from '../executor/own-accounts.ts';
import { LINK_META_KEY, notice, untrusted } from './result-blocks.ts';
import { shorten } from './results/shorten.ts';
import type { Arguments, CallContext } from './session.ts';
import { errorTexts, toolErrorResult } from './tool-error.ts';

/** Advice for an account that is already connected. */
const HOW_TO_REPLACE =
  'Give replace: true for a link that connects another in its place, or account with a new name for one beside it.';

/** Their published form: the same for every caller. */
export const OWN_TOOLS: Readonly<Record<OwnToolName, McpTool>> = {
  gatehouse_accounts: {
    name: 'gatehouse_accounts',
    title: 'List connected accounts',
    description:
      "The user's accounts at the apps: name, status, and who the user is there. Also today's date and the time zone of this server. " +
      'Call it to learn whom "I" means, or which account to use.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  gatehouse_connect: {
    name: 'gatehouse_connect',
    title: 'Connect an account',
    description:
      'Gives a link with which the user connects an account of an app, or replaces the wrong one. ' +
      'A call of another tool gives that link itself where an account is missing. Only the user opens the link.',
    inputSchema: {
      type: 'object',
      properties: {
        app: { type: 'string', description: "First word of the names of the app's tools, such as crm." },
        account: {
          type: 'string',
          description:
            'Name of the account, as gatehouse_accounts gives it. A new name connects another one.',
        },
        replace: {
          type: 'boolean',
          default: false,
          description: 'true: a link although the account is connected, to connect another in its place.',
        },
      },
      required: ['app'],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false },
  },
};

/** The published own tools of a selection. They follow all other tools. */
export function ownDefinitions(own: readonly OwnToolName[]): McpTool[] {
  return own.map((name) => OWN_TOOLS[name]);
}

/** The own tool with this name, also with a client's prefix; `undefined` if it is not part of the selection. */
export function ownToolNamed(own: readonly OwnToolName[], name: string): OwnToolName | undefined {
  const plain = name.trim().toLowerCase().replaceAll('-', '_');
  return own.find((each) => plain === each || plain.endsWith(`__${each}`) || plain.endsWith(`.${each}`));
}

/** Answers a call of an own tool. Every failure is a result that the model sees. */
export async function callOwnTool(
  call: CallContext,
  name: OwnToolName,
  args: Arguments,
): Promise<CallToolResult> {
  const { parts, session } = call;
  if (session.missingOwner !== undefined) return errorTexts(session.missingOwner);
  session.onCall?.();
  try {
    return name === 'gatehouse_accounts' ? await accounts(call, args) : await connect(call, args);
  } catch (error) {
    const { environmentId } = session.caller;
    return toolErrorResult(error, { toolName: name, environmentId, log: parts.log });
  }
}

/** Lists accounts. The whole answer is marked as data, because a provider chose the names of its accounts. */
async function accounts({ parts, session }: CallContext, args: Arguments): Promise<CallToolResult> {
  const violations = unknownArguments(args, []);
  if (violations.length > 0) throw invalidArgument(violations);
  const { caller, connections } = session;
  const apps = appsOf(session);
  const { connectors } = catalogIn(parts.catalog, caller.environmentId);
  const own = await parts.ownAccounts.list(caller, connections);
  const shown = own.filter(({ connector }) => apps.has(connector));
  const used = new Set(shown.map(({ connector }) => connector));
  const answer = {
    ...dayAt(parts.clock.now(), Intl.DateTimeFormat().resolvedOptions().timeZone),
    accounts: shown.map((account) => ({
      app: account.connector,
      title: connectors.get(account.connector)?.title,
      account: nameAmong(shown, account),
      status: account.status,
      ...(account.displayName !== null && { user: account.displayName }),
    })),
    apps_without_account: [...apps].filter((app) => !used.has(app)),
  };
  const { text, cuts } = shorten(answer, parts.maxResultBytes);
  const cut = cuts.map(({ path, kept, total }) => `\`${path}\` shows the first ${kept} of ${total}.`);
  return { content: [untrusted(text), ...(cut.length === 0 ? [] : [notice(cut.join(' '))])] };
}

async function connect({ parts, session }: CallContext, args: Arguments): Promise<CallToolResult> {
  const violations = unknownArguments(args, ['app', 'account', 'replace']);
  const apps = appsOf(session);
  const app = appNamed(args.app, apps, catalogIn(parts.catalog, session.caller.environmentId));
  if (app === undefined)
    violations.push(violation('app', `Name one of these: ${[...apps].join(', ')}.`, 'unknown'));
  const { account = null } = args;
  if (account !== null && typeof account !== 'string')
    violations.push(violation('account', 'Must be the name of an account.', 'type'));
  const replace = coerced({ type: 'boolean' }, args.replace ?? false);
  if (typeof replace !== 'boolean') violations.push(violation('replace', 'Must be true or false.', 'type'));
  if (app === undefined || violations.length > 0) throw invalidArgument(violations);

  const { caller, connections, publishedTools } = session;
  const { named, tools } = publishedTools.selected;
  const { account: chosen, connect: given } = await parts.ownAccounts.connect(caller, {
    connector: app,
    replace: replace === true,
    connections,
    tools: named ? tools.filter((tool) => tool.connector === app) : [],
    ...(typeof account === 'string' && account.trim() !== '' && { account }),
  });
  const who = `${catalogIn(parts.catalog, caller.environmentId).connectors.get(app)?.title ?? app} (account ${chosen.identifier})`;
  if (given === undefined) return { content: [notice(`${who} is connected. ${HOW_TO_REPLACE}`)] };
  if (!('link' in given)) return errorTexts(`${who}: ${given.unavailable}`);
  const effect =
    chosen.status === 'ACTIVE'
      ? 'Until the user confirms there, the account that is connected now stays.'
      : 'Afterwards its tools work.';
  const vain =
    replace === true && ['PENDING_AUTH', 'DISCONNECTED'].includes(chosen.status)
      ? 'It is not connected, so nothing is replaced. '
      : '';
  const sentence = `Ask the user to open this link to connect ${who}: ${given.link} (valid until ${given.expiry}). ${vain}${effect}`;
  return { content: [notice(sentence)], _meta: { [LINK_META_KEY]: given.link } };
}

/** The connectors of the selection, in catalog order. */
function appsOf({ publishedTools }: CallContext['session']): ReadonlySet<string> {
  return new Set(publishedTools.selected.tools.map(({ connector }) => connector));
}

/** The connector with this name or title. */
function appNamed(name: unknown, apps: ReadonlySet<string>, { connectors }: Catalog): string | undefined {
  if (typeof name !== 'string') return undefined;
  const wanted = name.trim().replace(/_$/, '').toLowerCase();
  return [...apps].find((app) => app === wanted || connectors.get(app)?.title.toLowerCase() === wanted);
}

/** The account's name, in the form that the parameter `account` of other tools takes. */
function nameAmong(all: readonly OwnAccount[], { connector, connection, identifier }: OwnAccount): string {
  const isAtOther = all.some((other) => other.connector === connector && other.connection !== connection);
  return isAtOther ? `${connection}/${identifier}` : identifier;
}

/**
 * The day and the time of a place.
 *
 * @param now Unix milliseconds
 * @param timeZone IANA name
 */
export function dayAt(
  now: number,
  timeZone: string,
): Readonly<Record<'now' | 'weekday' | 'time_zone', string>> {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((each) => each.type === type)?.value ?? '';
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
  return {
    now: `${date}T${part('hour')}:${part('minute')}:${part('second')}${offset}`,
    weekday: part('weekday'),
    time_zone: timeZone,
  };
}

/** Arguments that the tool does not have. @param known its parameters */
export function unknownArguments(args: Arguments, known: readonly string[]): FieldViolation[] {
  const there = known.length === 0 ? 'This tool has none.' : `There are: ${known.join(', ')}.`;
  return Object.keys(args)
    .filter((name) => !known.includes(name))
    .map((name) => violation(name, `There is no such parameter. ${there}`, 'unknown'));
}
