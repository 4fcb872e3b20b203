/**
 * `gatehouse demo`: the whole job on a fresh machine, with nothing to register. A real server, a real MCP
 * client, the real pages; only the provider and the customer's app are stand-ins on loopback.
 */
import type { Log } from '../core/log.ts';
import { DemoAgent, type AgentAnswer } from './demo-agent.ts';
import { Narration } from './demo-narration.ts';
import { openDemoStage, type DemoStage } from './demo-stage.ts';
import { DemoVisitor, type SeenPage } from './demo-visitor.ts';

/** How the demo runs. */
export interface DemoOptions {
  /** Stay up afterwards, for a client and a browser of your own, until SIGINT or SIGTERM. */
  keep: boolean;
  /** Takes one line of text, without its end. */
  write: (line: string) => void;
  log: Log;
}

const USER = 'ada';
const TOOL = 'websearch_search';
const QUESTION = { query: 'how do I read a tide table?', num_results: 3 };

/**
 * Runs the demo from start to clean-up; without `keep` it takes a few seconds.
 *
 * @throws Error when a step does not go as told: the demo then ends with a failure instead of a nice story
 */
export async function runDemo({ keep, write, log }: DemoOptions): Promise<void> {
  const startedAt = performance.now();
  const narration = new Narration(write);
  const interruption = awaitInterruption();
  narration.heading('Gatehouse demo: an agent searches the web with a key that it never sees.');
  try {
    const stage = await openDemoStage(log);
    try {
      await Promise.race([tellStory(stage, narration), interruption.happened]);
      if (!interruption.isOver) await conclude(stage, narration, { keep, startedAt });
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
  { keep, startedAt }: { keep: boolean; startedAt: number },
): Promise<void> {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  narration.heading(`That was the whole job, in ${seconds} seconds.`);
  if (keep) await invite(stage, narration);
  else
    narration.say(
      'With a client and a browser of your own: gatehouse demo --keep (in a checkout: npm run demo -- --keep)',
    );
}

async function tellStory(stage: DemoStage, narration: Narration): Promise<void> {
  const { server, sandbox, app } = stage;
  narration.step('A Gatehouse starts with an empty data folder.');
  narration.say(
    `It listens at ${server.baseUrl}. Beside it runs a stand-in for the web-search provider (${sandbox.url}), so nothing leaves this machine and there is nothing to register.`,
  );

  narration.step(`An agent connects over MCP. It works for a user called ${USER}.`);
  const agent = await DemoAgent.connect({
    mcpUrl: `${server.baseUrl}/mcp`,
    token: await stage.accessToken('tools:execute'),
    userId: USER,
  });
  const tools = await agent.toolNames();
  narration.say(`It is offered ${tools.length} tools: ${tools.join(', ')}.`);

  narration.step(`The agent calls ${TOOL}, but ${USER} has never connected that app.`);
  narration.say(`Call: ${TOOL} ${JSON.stringify(QUESTION)}`);
  const prompt = await agent.call(TOOL, QUESTION);
  const { link, connected_account_id: accountId } = connectFacts(prompt);
  narration.say('No error page and no dead end: the answer tells the agent what to say to its user.');
  narration.quote(prompt.texts[0] ?? '');

  narration.step(`${USER} opens the link in a browser.`);
  const visitor = new DemoVisitor();
  showPage(narration, await visitor.open(link));

  narration.step(`${USER} enters the key and presses the button.`);
  app.signIn(USER);
  const last = await visitor.submit([sandbox.apiKey]);
  narration.say(
    `The key is stored sealed, and waits. The browser goes on to the app that ${USER} uses the agent with. That app knows who is signed in and confirms it: POST /api/v1/connected_accounts/user/verify with the identifier "${USER}". Only then may the key be used. A link that reached the wrong person therefore connects nothing.`,
  );
  narration.say(`The browser ends at ${last.url}:`);
  narration.quote(last.heading);

  narration.step('The agent repeats the very same call.');
  const answer = await agent.call(TOOL, QUESTION);
  if (answer.isError) throw new Error(`the call after connecting was refused: ${answer.texts.join(' ')}`);
  const { results } = JSON.parse(answer.texts[0] ?? '{}') as { results: { title: string; url: string }[] };
  narration.say(`${results.length} results:`);
  for (const result of results) narration.literal(`  ${result.title}  <${result.url}>`);
  await agent.close();

  narration.step('What was recorded.');
  await showRecords(stage, narration, accountId);

  narration.step('Where the key is now.');
  await showSealedKey(stage, narration, accountId);
}

function showPage(narration: Narration, page: SeenPage): void {
  narration.say('The page says:');
  narration.quote(page.heading);
  for (const [name, value] of page.facts) narration.quote(`${name}: ${value}`);
  narration.say(`It asks for one thing: ${page.labels.join(', ')}.`);
}

/** The second block of the prompt, made for programs. @throws Error when the answer is no prompt */
function connectFacts(answer: AgentAnswer): { link: string; connected_account_id: string } {
  const facts = JSON.parse(answer.texts[1] ?? '{}') as { link?: string; connected_account_id?: string };
  if (facts.link === undefined || facts.connected_account_id === undefined) {
    throw new Error(`expected an invitation to connect, got: ${answer.texts.join(' ')}`);
  }
  return { link: facts.link, connected_account_id: facts.connected_account_id };
}

interface Execution {
  tool_name: string;
  status: string;
  error_code: string | null;
  duration_ms: number;
  source: string;
}

interface AccountEvent {
  from: string | null;
  to: string;
  cause: string;
}

async function showRecords(stage: DemoStage, narration: Narration, accountId: string): Promise<void> {
  const { executions } = await stage.api<{ executions: Execution[] }>('GET', '/executions');
  narration.say('Every call, without its input and output (GET /api/v1/executions):');
  for (const execution of executions.toReversed()) {
    const outcome = execution.error_code ?? execution.status;
    narration.literal(
      `  ${execution.tool_name}  ${execution.source}  ${execution.duration_ms} ms  ${outcome}`,
    );
  }
  const { events } = await stage.api<{ events: AccountEvent[] }>(
    'GET',
    `/connected_accounts/${accountId}/events`,
  );
  narration.say(`Every change of the account (GET /api/v1/connected_accounts/${accountId}/events):`);
  for (const event of events) narration.literal(`  ${event.from ?? 'new'} -> ${event.to}  (${event.cause})`);
}

async function showSealedKey(stage: DemoStage, narration: Narration, accountId: string): Promise<void> {
  const { sandbox, server } = stage;
  const received = sandbox.requests().filter((request) => request.headers['x-api-key'] === sandbox.apiKey);
  narration.say(
    `The provider received it in ${received.length} request, as the header x-api-key. The agent never did.`,
  );
  const { found, searched } = await stage.filesWith(sandbox.apiKey);
  if (found > 0) throw new Error(`the key stands readable in ${found} files of the data folder`);
  const row = await server.installation.db.read
    .selectFrom('accounts')
    .select('credentials_sealed')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const sealed = row.credentials_sealed ?? '';
  narration.say(
    `In the ${searched} files of the data folder it stands readable 0 times. The database holds ${sealed.length} characters that only the key file opens:`,
  );
  narration.literal(`  ${sealed.slice(0, 72)}…`);
}

/** `--keep`: everything to copy for a client and a browser. */
async function invite(stage: DemoStage, narration: Narration): Promise<void> {
  const { server, sandbox, app } = stage;
  const user = 'you';
  app.signIn(user);
  const url = `${server.baseUrl}/mcp`;
  const headers = {
    Authorization: `Bearer ${await stage.accessToken('tools:execute')}`,
    'gatehouse-user-id': user,
  };
  const { link } = await stage.api<{ link: string }>('POST', '/connected_accounts/magic_link', {
    connector: 'websearch',
    user_id: user,
  });
  narration.heading('Now yours. It stays up until you press Ctrl-C, and removes its data then.');
  narration.say('An MCP client: add this server to its settings. The token is good for 24 hours.');
  narration.literal('');
  const snippet = { mcpServers: { gatehouse: { type: 'http', url, headers } } };
  for (const line of JSON.stringify(snippet, null, 2).split('\n')) narration.literal(line);
  narration.literal('');
  narration.say(
    'Ask your agent to search the web for "espresso". It answers with a link; open it. Or open this one now:',
  );
  narration.literal(link);
  narration.say('The page asks for an API key. The stand-in provider accepts this one:');
  narration.literal(sandbox.apiKey);
  narration.say(`More in the browser: ${server.baseUrl}/ and ${server.baseUrl}/openapi.json`);
}

/** Ctrl-C and a polite kill end the demo through its clean-up instead of at once, also where npm passes them on twice. */
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
