/** What a model gets of the stand-ins' answers: complete ids, no larger than it has to be. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compacted } from '../../../src/mcp/results/compaction.ts';
import { startSandbox, type OAuthConnector, type Sandbox } from '../../../sandbox/sandbox.ts';
import { connect } from '../../sandbox/crm-client.ts';
import { openSandboxTools, standInClient, type SandboxTools } from '../../sandbox/stand-in-client.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { shippedTool } from '../../tools/tool-request.ts';

let sandbox: Sandbox;
const tools = new Map<string, SandboxTools>();

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const tokenOf = async (connector: OAuthConnector): Promise<string> =>
    String((await standInClient(sandbox, connector).connect({ scope: 'refresh_token' })).access_token);
  const { access_token } = await connect(sandbox);
  tools.set('crm', await openSandboxTools(sandbox, 'crm', access_token));
  tools.set('warehouse', await openSandboxTools(sandbox, 'warehouse', await tokenOf('warehouse')));
});

afterAll(async () => {
  for (const opened of tools.values()) await opened.close();
  await sandbox?.close();
});

async function answers(name: string, input: Record<string, unknown>) {
  const tool = shippedTool(name);
  const whole = await tools.get(tool.connector)!.call(name, input);
  const compact = compacted(tool.result!, whole)?.value;
  return { whole, compact, tokens: countTokens(JSON.stringify(compact)) };
}

/** Every text that looks like an id, without those of the workspace and of attributes. */
function idsIn(value: unknown): string[] {
  const text = JSON.stringify(value);
  return [
    ...text.matchAll(
      /"(?:record_id|entry_id|task_id|note_id|thread_id|comment_id|target_record_id)":"([^"]+)"/g,
    ),
  ].map(([, id]) => id!);
}

describe('compact results of the stand-ins', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['crm_list_deals', { limit: 5 }, 950],
    ['crm_list_companies', { limit: 20 }, 1_250],
    ['crm_list_people', { limit: 5 }, 900],
    ['crm_list_attributes', { object: 'people' }, 100],
    ['crm_list_attribute_statuses', { object: 'deals', attribute: 'stage' }, 20],
    ['crm_list_tasks', { limit: 5 }, 230],
    ['crm_list_lists', {}, 60],
    ['crm_list_objects', {}, 280],
    ['warehouse_show_databases_schemas', { object_type: 'databases' }, 110],
    ['warehouse_execute_query', { statement: 'SELECT 1' }, 20],
  ])('costs a model little: %s', async (name, input, most) => {
    const { whole, compact, tokens } = await answers(name, input);
    expect(compact).toBeDefined();
    expect(tokens).toBeLessThanOrEqual(most);
    for (const id of idsIn(whole)) expect(JSON.stringify(compact)).toContain(id);
  });
});
