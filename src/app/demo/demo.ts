/**
 * `gatehouse demo`: the whole product on a fresh machine, with nothing to register. The server, the MCP client and the
 * pages are real. Only the providers and the customer's app are stand-ins on loopback.
 */
import type { Log } from '../../core/log.ts';
import { shellWord } from '../../core/text.ts';
import { DemoAgent } from './demo-agent.ts';
import { Narration } from './demo-narration.ts';
import { showRecords, showSealedSecrets } from './demo-records.ts';
import { openDemoStage, type DemoStage } from './demo-stage.ts';
import {
  tellConsent,
  tellExpiry,
  tellPolicy,
  tellRevocation,
  tellUpstream,
  tellWebSearch,
  type Scene,
} from './demo-story.ts';
import { DemoVisitor } from './demo-visitor.ts';

/** Options of the demo. */
export interface DemoOptions {
  /** Keeps running afterwards, for your own client and browser, until SIGINT or SIGTERM. */
  keep: boolean;
  /** Port of the server; default: any free one. */
  port?: number;
  /** The command that starts this Gatehouse: the Node executable and the program, absolute. */
  command: readonly string[];
  /** Takes one line of text, without its line break. */
  write: (line: string) => void;
  log: Log;
}

const USER = 'ada';

/** One call of each app that `--keep` suggests for another terminal. */
const EXAMPLES = [
  ['video_search', { q: 'beacon' }],
  ['mail_list_calendar_events', { select: 'subject,start', top: 3 }],
  ['warehouse_execute_query', { statement: 'select status, count(*) from orders group by status' }],
] as const;

/**
 * Runs the demo from start to clean-up; without `keep` it takes a few seconds.
 *
 * @throws Error if a step fails: the demo then fails instead of telling a nice story
 */
export async function runDemo({ keep, port, command, write, log }: DemoOptions): Promise<void> {
  const startedAt = performance.now();
  const narration = new Narration(write);
  const interruption = awaitInterruption();
  narration.heading("Gatehouse demo: an agent works in somebody's CRM with a token that it never sees.");
  try {
    const stage = await openDemoStage(log, { isKept: keep, ...(port !== undefined && { port }) });
    try {
      await Promise.race([tellStory(stage, narration), interruption.happened]);
      if (!interruption.isOver) await conclude(stage, narration, { keep, command, startedAt });
      if (keep) await interruption.happened;
    } finally {
      await stage.close();
    }
  } finally {
    interruption.ignore();
  }
  narration.heading('Everything is stopped, and the data of this demo is removed.');
}

async function conclude(
  stage: DemoStage,
  narration: Narration,
  { keep, command, startedAt }: { keep: boolean; command: readonly string[]; startedAt: number },
): Promise<void> {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  narration.heading(`That was the whole job, in ${seconds} seconds.`);
  if (keep) await invite(stage, narration, command);
  else
    narration.say(
      'With a client and a browser of your own: gatehouse demo --keep (in a checkout: npm run demo -- --keep)',
    );
}

async function tellStory(stage: DemoStage, narration: Narration): Promise<void> {
  const { server, sandbox } = stage;
  narration.step('A Gatehouse starts with an empty data folder.');
  narration.say(
    `It listens at ${server.baseUrl}. Beside it run stand-ins for a CRM, a calendar, YouTube, a data warehouse, a web search and somebody else's MCP server (${sandbox.url}), so nothing leaves this machine and there is nothing to register.`,
  );

  narration.step(`An agent connects over MCP. It works for a user called ${USER}.`);
  const agent = await DemoAgent.connect({
    mcpUrl: `${server.baseUrl}/mcp`,
    token: await stage.accessToken('tools:execute'),
    userId: USER,
  });
  const names = (await agent.tools()).map(({ name }) => name);
  const count = (prefix: string): number => names.filter((name) => name.startsWith(prefix)).length;
  narration.say(
    `It is offered ${names.length} tools: ${count('crm_')} for the CRM, ${count('mail_')} for calendar and mail, ${count('video_')} for YouTube, ${count('warehouse_')} for the data warehouse, ${count('websearch_')} for searching the web, ${count('gatehouse_')} for accounts and links.`,
  );

  const scene: Scene = { stage, narration, agent, visitor: new DemoVisitor(), user: USER };
  const accountId = await tellConsent(scene);
  await tellExpiry(scene);
  await tellRevocation(scene);
  await tellWebSearch(scene);
  await tellPolicy(scene);
  await tellUpstream(scene);
  await agent.close();

  narration.step('What was recorded.');
  await showRecords(stage, narration, accountId);
  narration.step('Where the tokens are now.');
  await showSealedSecrets(stage, narration, { accountId, agent });
}

/** Prints everything that `--keep` offers to copy for a client and a browser. */
async function invite(stage: DemoStage, narration: Narration, command: readonly string[]): Promise<void> {
  const { server, sandbox, app } = stage;
  const user = 'you';
  app.signIn(user);
  const url = `${server.baseUrl}/mcp`;
  const headers = {
    Authorization: `Bearer ${await stage.accessToken('tools:execute')}`,
    'gatehouse-user-id': user,
  };
  const linkTo = async (connector: string): Promise<string> => {
    const body = { connector, user_id: user };
    return (await stage.api<{ link: string }>('POST', '/connected_accounts/magic_link', body)).link;
  };
  narration.heading('Now yours. It stays up until you press Ctrl-C, and removes its data then.');
  narration.say('An MCP client: add this server to its settings. The token is good for 24 hours.');
  narration.literal('');
  const snippet = { mcpServers: { gatehouse: { type: 'http', url, headers } } };
  for (const line of JSON.stringify(snippet, null, 2).split('\n')) narration.literal(line);
  narration.literal('');
  narration.say(
    'Ask your agent which companies are in your CRM. It answers with a link; open it. Or open this one now:',
  );
  narration.literal(await linkTo('crm'));
  narration.say('The same for the calendar (mail), YouTube (video) and the data warehouse (warehouse):');
  for (const connector of ['mail', 'video', 'warehouse'])
    narration.literal(`${connector}: ${await linkTo(connector)}`);
  narration.say(
    'At the stand-ins you can expire or remove what you allowed (the newest comes first), and see what the agent says then:',
  );
  narration.literal(`${sandbox.url}/apps`);
  narration.say("The same for somebody else's MCP server, which the demo has added:");
  narration.literal(`notes: ${await linkTo('notes')}`);
  narration.say('Searching the web asks for an API key instead. The stand-in accepts this one:');
  narration.literal(sandbox.apiKey);
  narration.say('What is connected can be tried in another terminal, too:');
  narration.literal(`gatehouse() { ${command.map(shellWord).join(' ')} "$@"; }`);
  for (const [name, value] of Object.entries(stage.environment)) narration.literal(`export ${name}=${value}`);
  for (const [tool, input] of EXAMPLES)
    narration.literal(`gatehouse tools call ${tool} --user ${user} --input '${JSON.stringify(input)}'`);
  narration.heading('What to do next:');
  nextSteps(stage).forEach((step, index) => narration.literal(`${index + 1}. ${step}`));
}

/** Ten steps, one line each. They name what was printed before them. */
function nextSteps({ server: { baseUrl }, sandbox, credential }: DemoStage): string[] {
  const { clientId, clientSecret } = credential;
  const asked = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
  const webhook = {
    name: 'mine',
    url: 'http://127.0.0.1:8080/',
    events: ['connected_account.status_updated'],
  };
  const authorization = `-H "Authorization: Bearer $TOKEN"`;
  return [
    'Add the MCP server above to your client, and ask your agent which companies are in your CRM.',
    'Open the link that it answers with, allow it, and ask the same once more.',
    `Expire or remove what you allowed at ${sandbox.url}/apps, and ask again.`,
    `Get a token for the API: curl -sS ${baseUrl}/oauth/token -d '${asked}'`,
    'Keep its access_token for the next steps: TOKEN=eyJ…',
    `List what is connected: curl -sS ${baseUrl}/api/v1/connected_accounts ${authorization}`,
    `Get events of accounts at a port of this machine: curl -sS ${baseUrl}/api/v1/webhooks ${authorization} -H 'content-type: application/json' -d '${JSON.stringify(webhook)}'`,
    'Read who did what: gatehouse audit list',
    `Look at the pages and the routes: ${baseUrl}/ and ${baseUrl}/openapi.json`,
    'Make a Gatehouse of your own: gatehouse init, and gatehouse sandbox for the same stand-ins.',
  ];
}

/** SIGINT and SIGTERM end the demo through its clean-up, even if npm passes them on twice. */
function awaitInterruption(): { happened: Promise<void>; readonly isOver: boolean; ignore(): void } {
  const state = { isOver: false };
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    state.isOver = true;
    resolve();
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  return {
    happened: promise,
    get isOver() {
      return state.isOver;
    },
    ignore: () => {
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
    },
  };
}
