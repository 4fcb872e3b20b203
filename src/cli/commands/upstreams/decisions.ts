/**
 * `gatehouse upstreams diff|approve|accept`: shows what waits for a decision, and decides.
 */
import { confirmed } from '../../terminal/ask.ts';
import { adminCommand, type Operator } from '../../terminal/command.ts';
import { withHint } from '../../terminal/did-you-mean.ts';
import { CommandFailed, UsageError } from '../../terminal/failure.ts';
import { oneOf, YES_OPTION } from '../../terminal/options.ts';
import type { Output } from '../../terminal/output.ts';
import { LISTED, named, UPSTREAM, type Diff } from './named-upstream.ts';

/** `upstreams diff`. */
export const diffCommand = adminCommand({
  name: 'diff',
  description:
    'Shows what waits for approval: each new or changed tool beside the approved one, with characters that cannot be seen as code points.',
  args: UPSTREAM,
  example: 'gatehouse upstreams diff notion',
  run: async ({ args, out, ...operator }) => {
    const tools = await waiting(operator, args.upstream);
    if (out.isJson) return out.json({ tools });
    if (tools.length === 0)
      return out.say((await missingList(operator, args.upstream)) ?? `Nothing of ${args.upstream} waits.`);
    for (const tool of tools) printDiff(out, tool);
  },
});

/** `upstreams approve`. */
export const approveCommand = adminCommand({
  name: 'approve',
  description: 'Publishes tools as they are shown. Without names of tools it needs --all.',
  args: { ...UPSTREAM, 'tools...': 'names, as the server writes them or as they will be published' },
  options: {
    '--all': 'everything that can be published',
    '--effect <effect>': {
      ...oneOf('read', 'create', 'update', 'delete'),
      about: 'what it does: read, create, update or delete; default: what its hints and its name stand for',
    },
    '--as <name>': 'the name under which it is published; for one tool',
    ...YES_OPTION,
  },
  example: [
    'gatehouse upstreams approve notion --all',
    'gatehouse upstreams approve notion notion-search --yes',
  ],
  input: async ({ args, options }) => {
    if ((args.tools.length === 0) === (options.all === undefined))
      throw new UsageError('Name the tools, or give --all.');
    if (options.as !== undefined && args.tools.length !== 1) throw new UsageError('--as is for one tool.');
  },
  run: async ({ terminal, args, options, out, ...operator }) => {
    const chosen = chosenTools(await waiting(operator, args.upstream), args, options.as !== undefined);
    if (chosen.length === 0)
      throw new CommandFailed(
        (await missingList(operator, args.upstream)) ?? `Nothing of ${args.upstream} can be approved.`,
      );
    if (!out.isJson) for (const tool of chosen) printDiff(out, tool);
    const count = chosen.length === 1 ? '1 tool' : `${chosen.length} tools`;
    if (options.yes !== true && !(await confirmed(terminal, `Publish ${count}?`)))
      throw new CommandFailed('Nothing was approved.');
    const { admin, caller } = operator;
    const upstream = await admin.upstreams.operators.approve(
      caller,
      args.upstream,
      chosen.map(({ tool, hash }) => ({ tool, hash, effect: options.effect, name: options.as })),
    );
    if (out.isJson) return out.json(upstream);
    out.say(`Approved ${count}. ${upstream.tools.approved} are published.`);
  },
});

/** `upstreams accept`. */
export const acceptCommand = adminCommand({
  name: 'accept',
  description: 'Takes the authorization server that a remote MCP server names now. New consents go there.',
  args: UPSTREAM,
  options: YES_OPTION,
  example: 'gatehouse upstreams accept notion',
  run: async ({ terminal, args, options, out, ...operator }) => {
    const upstream = await named(operator, args.upstream);
    const { issuer, authorization_server_change: change } = upstream;
    if (change === null)
      throw new CommandFailed(`No change of the authorization server of ${upstream.name} waits.`);
    const where = change.origins.join(', ');
    if (!out.isJson)
      out.say(
        `Until now: ${issuer ?? 'nobody'}\nFrom now on: ${change.issuer}\nPeople and secrets go to: ${where}`,
      );
    if (options.yes !== true && !(await confirmed(terminal, 'Accept the new authorization server?')))
      throw new CommandFailed('Nothing was accepted.');
    const { admin, caller } = operator;
    const accepted = await admin.upstreams.operators.accept(caller, args.upstream, {
      issuer: change.issuer,
      origins: change.origins,
    });
    if (out.isJson) return out.json(accepted);
    out.say(`Accepted ${change.issuer}. Accounts go on; new consents go there.`);
  },
});

async function waiting(operator: Operator, name: string): Promise<Diff[]> {
  const { admin, caller } = operator;
  return withHint(operator, name, LISTED, async () =>
    admin.upstreams.operators.diff(caller.environmentId, name),
  );
}

/** The sentence about a server whose tools nobody knows yet. */
async function missingList(operator: Operator, name: string): Promise<string | undefined> {
  const { state } = await named(operator, name);
  return state === 'no_list'
    ? `No account of ${name} has brought a list of tools yet. Connect one with "gatehouse connect ${name}".`
    : undefined;
}

/** @throws UsageError for a name that no waiting form has */
function chosenTools(
  all: readonly Diff[],
  { tools }: { tools: readonly string[] },
  isNamed: boolean,
): Diff[] {
  const publishable = all.filter(({ obstacle }) => obstacle === null || isNamed);
  if (tools.length === 0) return publishable;
  const unknown = tools.filter((wanted) => !all.some(({ tool, name }) => wanted === tool || wanted === name));
  if (unknown.length > 0)
    throw new UsageError(
      `Nothing waits as ${unknown.join(', ')}. Waiting: ${all.map(({ tool }) => tool).join(', ') || 'nothing'}.`,
    );
  const chosen = all.filter(({ tool, name }) => tools.some((wanted) => wanted === tool || wanted === name));
  if (isNamed && new Set(chosen.map(({ tool }) => tool)).size > 1)
    throw new UsageError(`--as is for one tool, and ${tools.join(', ')} is the name of several.`);
  return chosen;
}

function printDiff(out: Output, tool: Diff): void {
  const { name, state, effect, approved_effect: before, obstacle, findings, changes } = tool;
  const change = before === null || before === effect ? effect : `${before}, now ${effect}`;
  out.print(`${name ?? '(no name)'}, ${state}: ${tool.tool}, effect ${change}`);
  if (obstacle !== null) out.print(`  cannot be published: ${obstacle}`);
  for (const { field, kind, shown } of findings)
    out.print(`  ! ${kind.replaceAll('_', ' ')} in ${field}: ${oneLine(shown)}`);
  for (const { field, before: old, after } of changes) {
    if (old !== null) out.print(`  - ${field}: ${oneLine(old)}`);
    if (after !== null) out.print(`  + ${field}: ${oneLine(after)}`);
  }
}

/** Text in one line, without control characters, which would move the cursor. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
