/** `gatehouse sessions`: who is signed in, in browsers, through apps and through applications that vouch for them. */
import { deleteConfirmed } from '../../terminal/ask.ts';
import { adminCommand, commandGroup } from '../../terminal/command.ts';
import { PAGE_OPTIONS, pageOf, YES_OPTION } from '../../terminal/options.ts';

const SESSION = { id: 'ses_…' };

const list = adminCommand({
  name: 'list',
  description: 'Lists sessions, newest first, ended ones too.',
  options: {
    '--user <id>': 'of this user only, usr_…',
    '--organization <id>': 'in this organization only, org_…',
    ...PAGE_OPTIONS,
  },
  example: 'gatehouse sessions list --user usr_01k9',
  run: async ({ admin, caller, options, out }) => {
    const filter = { user_id: options.user, organization_id: options.organization };
    const page = await admin.apiSessions.list(caller, filter, pageOf(options));
    out.list({
      answer: page,
      rows: page.sessions,
      columns: [
        'id',
        'kind',
        'user_id',
        'organization_id',
        'client_id',
        'status',
        'created_at',
        'expires_at',
      ],
      empty: 'No session matches, or nobody has signed in yet.',
    });
    out.nextPage(page);
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows a session.',
  args: SESSION,
  example: 'gatehouse sessions show ses_01k9',
  run: async ({ admin, caller, args, out }) => out.fields(await admin.apiSessions.get(caller, args.id)),
});

const remove = adminCommand({
  name: 'delete',
  description: 'Ends a session. Its tokens are refused within 5 seconds.',
  args: SESSION,
  options: YES_OPTION,
  example: 'gatehouse sessions delete ses_01k9',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { user_id: user } = await admin.apiSessions.get(caller, args.id);
    await deleteConfirmed(context, {
      question: `End this session of ${user}?`,
      name: args.id,
      remove: async () => admin.apiSessions.end(caller, args.id),
    });
  },
});

/** The command `sessions` with its subcommands. */
export const sessionsCommand = commandGroup({
  name: 'sessions',
  description: 'Lists, shows and ends sessions of people.',
  commands: [list, show, remove],
});
