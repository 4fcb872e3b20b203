/**
 * `gatehouse connect`: connects an account from a terminal. Secrets are not shown while they are typed. A link is
 * shown to the user of the command, which then waits until somebody has finished it.
 */
import type { ConnectedAccount, FormConnect, LinkConnect } from '../terminal/app.ts';
import { askFields } from '../terminal/ask.ts';
import { command } from '../terminal/command.ts';
import { commandLog, OWNER_OPTIONS, ownerOrDefault, readSettings } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';
import { say, type Terminal } from '../terminal/terminal.ts';

/** The command `connect`. */
export const connectCommand = command({
  name: 'connect',
  description:
    'Connects an account. Where people consent at the provider, prints a link and waits until somebody has opened it and finished. ' +
    'Otherwise asks for the credentials that the connector needs, such as an API key, and stores them sealed; without a terminal, each is one line of stdin. ' +
    'Without --user or --organization it connects the account that stdio sessions use.',
  args: { connector: 'the connection, such as crm or websearch' },
  options: {
    '--identifier <text>': 'name of the account; default: the id of its owner',
    ...OWNER_OPTIONS,
  },
  example: [
    'gatehouse connect crm',
    'gatehouse connect websearch',
    'gatehouse connect websearch --user alice < key.txt',
  ],
  run: async ({ terminal, args: { connector }, options, out }) => {
    const { settings, environment } = readSettings(terminal, options);
    const target = {
      environment: environment.name,
      connector,
      identifier: options.identifier,
      ...ownerOrDefault(options, settings),
    };
    const session = await terminal.app.openConnect({ settings, log: commandLog(settings), target });
    try {
      const { accountId, identifier, status, warnings } =
        session.kind === 'form' ? await fillIn(terminal, session) : await finishLink(terminal, session);
      if (out.isJson)
        return out.json({
          connected_account_id: accountId,
          identifier,
          status,
          ...(warnings && { warnings }),
        });
      out.print(`${session.title} is connected for ${identifier}: ${accountId}, ${status}`);
      if (warnings !== undefined) {
        if (warnings.length === 0) out.say(`${session.title} accepts what you entered.`);
        for (const warning of warnings) out.say(warning);
      } else if (session.kind === 'form' && session.fields.length > 0)
        out.say(
          `What you entered has not been tried yet: the first call shows whether ${session.title} takes it. If that call is refused, run this command again and enter it again.`,
        );
    } finally {
      await session.close();
    }
  },
});

async function fillIn(terminal: Terminal, session: FormConnect): Promise<ConnectedAccount> {
  say(terminal, `Connecting ${session.title}.`);
  const { fields } = session;
  const answers = await askFields(
    terminal,
    fields.map(({ label, hint, input, required }) => ({
      label,
      hint,
      secret: input !== 'text',
      required,
    })),
  );
  const values = fields
    .map(({ name }, index): [string, string] => [name, answers[index] ?? ''])
    .filter(([, value]) => value !== '');
  const doing = fields.length === 0 ? 'Storing the account' : 'Storing the credentials';
  return withProgress(terminal, doing, async () => session.submit(Object.fromEntries(values)));
}

async function finishLink(terminal: Terminal, session: LinkConnect): Promise<ConnectedAccount> {
  const { title, identifier, link, expiry } = session;
  say(
    terminal,
    `Connecting ${title} for ${identifier}. Open this link in a browser and allow access there:\n`,
  );
  say(terminal, `  ${link}\n`);
  if (!session.isServedHere)
    say(terminal, `It is served by the Gatehouse at ${new URL(link).host}, which has to be running.`);
  say(terminal, `It works once, until ${expiry}. Ctrl-C stops waiting.`);
  const texts = {
    open: 'Waiting for the link to be opened',
    away: `A browser is on its way to ${title} and back`,
    returned: 'The browser came back without access and says why. The link still works; waiting',
    verifying: 'Access is given. Waiting for the app to confirm who gave it',
  };
  let shown: keyof typeof texts = 'open';
  return withProgress(terminal, texts[shown], async (now) =>
    session.finished((state) => {
      if (state !== shown) now(texts[(shown = state)]);
    }),
  );
}
