/** `gatehouse audit`: the audit log of an environment. */
import { adminCommand, commandGroup } from '../terminal/command.ts';
import { COMMON_OPTIONS, positiveInteger, timeOf, type OptionValues } from '../terminal/options.ts';

const FILTER_OPTIONS = {
  '--actor <id>': 'who: usr_…, cred_…, or local',
  '--action <action>': 'such as connection.update, or connection. for all of them',
  '--target <id>': 'what was acted on',
  '--from <time>': { about: 'not before this time, such as 2026-01-31T12:00:00Z', parse: timeOf },
  '--until <time>': { about: 'before this time', parse: timeOf },
};

const list = adminCommand({
  name: 'list',
  description: 'Lists the newest lines.',
  options: {
    '--limit <count>': { about: 'how many, at most 100', parse: positiveInteger, fallback: 30 },
    ...COMMON_OPTIONS,
    ...FILTER_OPTIONS,
  },
  example: 'gatehouse audit list --action connection.',
  run: async ({ admin, caller, options, out }) => {
    const answer = await admin.auditLog.list(caller, filterOf(options), {
      pageSize: Math.min(options.limit, 100),
    });
    out.list({
      answer,
      rows: answer.audit,
      columns: ['at', 'actor', 'action', 'target', 'ip'],
      empty: 'There is no such line.',
    });
  },
});

const exportAll = adminCommand({
  name: 'export',
  description: 'Writes all lines as JSON lines, newest first.',
  options: { ...COMMON_OPTIONS, ...FILTER_OPTIONS },
  json: false,
  example: 'gatehouse audit export > audit.jsonl',
  run: async ({ admin, caller, options, out }) => {
    for await (const lines of admin.auditLog.lines(caller, filterOf(options))) out.print(lines.trimEnd());
  },
});

/** The command `audit` with its subcommands. */
export const auditCommand = commandGroup({
  name: 'audit',
  description: 'Shows the audit log. Nothing of it can be changed or removed.',
  commands: [list, exportAll],
});

function filterOf({ actor, action, target, from, until }: OptionValues<typeof FILTER_OPTIONS>) {
  return { actor, action, target, from, until };
}
