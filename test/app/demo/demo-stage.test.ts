/** The stand-ins of the demo as its server reaches them: consent, a call, and the renewal of a token that expired. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStage, type DemoStage } from '../../../src/app/demo/demo-stage.ts';
import { DemoVisitor } from '../../../src/app/demo/demo-visitor.ts';
import { silentLog } from '../../../src/core/log.ts';

const USER = 'ada';

describe('demo with stand-in providers', () => {
  let stage: DemoStage;

  beforeAll(async () => {
    stage = await openDemoStage(silentLog);
    stage.app.signIn(USER);
  });

  afterAll(async () => {
    await stage?.close();
  });

  it.each([
    ['crm', 'crm_list_companies', { limit: 1 }, 'marrowlight.example'],
    ['mail', 'mail_list_calendar_events', { filter: "subject eq 'Dentist'" }, 'Dentist'],
    ['video', 'video_search', { q: 'beacon' }, 'How a harbour beacon works'],
    ['warehouse', 'warehouse_execute_query', { statement: 'select max(id) from orders' }, '"620"'],
  ] as const)('connects %s, calls it, and renews its token', async (connector, tool, input, expected) => {
    const body = { connector, user_id: USER };
    const { link } = await stage.api<{ link: string }>('POST', '/connected_accounts/magic_link', body);
    const visitor = new DemoVisitor();
    await visitor.open(link);
    await visitor.follow('Continue to');
    expect(await visitor.submit([], 'Allow')).toMatchObject({
      heading: expect.stringContaining(' is connected'),
    });

    const call = { tool_name: tool, tool_input: input, identifier: USER, user_id: USER };
    expect(JSON.stringify(await stage.api('POST', '/execute_tool', call))).toContain(expected);
    expect(stage.sandbox.providers[connector].expireAccessTokens()).toBe(1);
    expect(JSON.stringify(await stage.api('POST', '/execute_tool', call))).toContain(expected);
    const { token } = stage.sandbox.providers[connector].paths;
    const exchanges = stage.sandbox.requests().filter(({ path }) => path === token);
    expect(exchanges.map(({ status }) => status)).toEqual([200, 200]);
  });
});
