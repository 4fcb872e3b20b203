/** The end of the demo: shows what Gatehouse recorded, and where the secrets are. */
import type { DemoAgent } from './demo-agent.ts';
import type { Narration } from './demo-narration.ts';
import type { DemoStage } from './demo-stage.ts';

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

/** Calls of every account, and the status history of one account. */
export async function showRecords(stage: DemoStage, narration: Narration, accountId: string): Promise<void> {
  const { executions } = await stage.api<{ executions: Execution[] }>('GET', '/executions');
  narration.say('Every call, without its input and output (GET /api/v1/executions):');
  for (const execution of executions.toReversed()) {
    const outcome = execution.error_code ?? execution.status;
    narration.literal(
      `  ${execution.tool_name}  ${execution.source}  ${execution.duration_ms} ms  ${outcome}`,
    );
  }
  const path = `/connected_accounts/${accountId}/events`;
  const { events } = await stage.api<{ events: AccountEvent[] }>('GET', path);
  narration.say(`Every change of the CRM account (GET /api/v1${path}):`);
  for (const event of events) narration.literal(`  ${event.from ?? 'new'} -> ${event.to}  (${event.cause})`);
}

/** @throws Error if a secret is readable somewhere, or the agent got one */
export async function showSealedSecrets(
  stage: DemoStage,
  narration: Narration,
  { accountId, agent }: { accountId: string; agent: DemoAgent },
): Promise<void> {
  const { sandbox, server } = stage;
  const tokens = sandbox.crm.everIssued();
  const others = sandbox.notes.provider.everIssued();
  const secrets = [
    ...tokens,
    ...others,
    sandbox.apiKey,
    sandbox.crm.app.clientSecret,
    sandbox.notes.provider.app.clientSecret,
  ];
  const { found, searched } = await stage.filesWith(secrets);
  if (found > 0) throw new Error(`a secret stands readable in ${found} files of the data folder`);
  if (agent.hasHeard(secrets)) throw new Error('the agent was given a secret');
  narration.say(
    `The CRM issued ${tokens.length} codes and tokens, and the MCP server ${others.length}. These, the key of the web search and both client secrets were searched for in the ${searched} files of the data folder: they stand readable 0 times. They are in 0 of the answers that the agent was given.`,
  );
  const { db, environments } = server.services;
  const row = await db.read
    .selectFrom('accounts')
    .select('credentials_sealed')
    .where('environment_id', '=', environments.byName('development').id)
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const sealed = row.credentials_sealed ?? '';
  narration.say(`The database holds ${sealed.length} characters for the CRM that only the key file opens:`);
  narration.literal(`  ${sealed.slice(0, 72)}…`);
}
