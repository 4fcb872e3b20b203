/** Every call of wrong-calls.yaml over MCP, through a real installation, against the stand-ins. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildMcp } from '../../src/app/serve/build-mcp.ts';
import { openServices, type Services } from '../../src/app/services/services.ts';
import { SCOPES, type Caller } from '../../src/core/caller.ts';
import { silentLog } from '../../src/core/log.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { connect } from '../sandbox/crm-client.ts';
import { standInClient } from '../sandbox/stand-in-client.ts';
import { ALL_SCOPES } from '../sandbox/video-client.ts';
import { listen, modern } from './fixtures.ts';
import type { ToolResult } from './messages.ts';

interface WrongCall {
  does: string;
  name: string;
  arguments: Record<string, unknown>;
  toolsets?: string;
  coerced?: string[];
  notice?: string;
  says?: string;
}

const WRONG_CALLS = parse(readFileSync(new URL('wrong-calls.yaml', import.meta.url), 'utf8')) as WrongCall[];

const CONNECTORS = ['crm', 'mail', 'video'] as const;

let folder: string;
let sandbox: Sandbox;
let services: Services;
let url: string;
let stop: () => Promise<void>;
let ids: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-wrong-calls-'));
  sandbox = await startSandbox();
  const overrides = { base_url: sandbox.url };
  const config = join(folder, 'gatehouse.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      data_dir: '.',
      outbound: { allow_private_hosts: [new URL(sandbox.url).host] },
      connections: [
        ...CONNECTORS.map((connector) => {
          const { clientId: client_id, clientSecret: client_secret } = sandbox.providers[connector].app;
          return { name: connector, connector, client_id, client_secret, overrides };
        }),
        { name: 'websearch', connector: 'websearch', overrides },
      ],
    }),
  );
  services = await openServices({
    settings: loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder }),
    log: silentLog,
  });
  const caller: Caller = {
    kind: 'operator',
    environmentId: services.environments.byName('development').id,
    actor: 'local',
    scopes: new Set(SCOPES),
    source: 'mcp',
    owner: { userId: 'ada', organizationId: '' },
    ip: '',
  };
  const tokens = {
    crm: await connect(sandbox),
    mail: await standInClient(sandbox, 'mail').connect({ scope: 'Calendars.ReadWrite offline_access' }),
    video: await standInClient(sandbox, 'video').connect({ scope: ALL_SCOPES }),
  };
  for (const connector of CONNECTORS)
    await services.accounts.create(caller, {
      connector,
      identifier: 'ada',
      user_id: 'ada',
      connected_account: {
        authorization_details: { oauth_token: { access_token: String(tokens[connector].access_token) } },
      },
    });
  await services.accounts.create(caller, {
    connector: 'websearch',
    identifier: 'ada',
    user_id: 'ada',
    connected_account: { authorization_details: { static_auth: { details: { api_key: sandbox.apiKey } } } },
  });
  const first = async (toolName: string, list: string, id: readonly string[]): Promise<string> => {
    const { data } = await services.executor.execute({ caller, toolName, input: {}, account: {} });
    const [found] = (data as Record<string, unknown[]>)[list]!;
    return String(id.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], found));
  };
  ids = {
    $person: await first('crm_list_people', 'data', ['id', 'record_id']),
    $task: await first('crm_list_tasks', 'data', ['id', 'task_id']),
    $member: await first('crm_list_workspace_members', 'data', ['id', 'workspace_member_id']),
    $event: await first('mail_list_calendar_events', 'value', ['id']),
  };
  const { parts } = buildMcp(services);
  ({ url, close: stop } = await listen(parts, { callerOf: () => caller }));
}, 60_000);

afterAll(async () => {
  await stop();
  await services.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The text of an answer, and the result if the call led to one. */
async function call(
  name: string,
  given: Record<string, unknown>,
  toolsets?: string,
): Promise<{ text: string; result?: ToolResult }> {
  const filled = JSON.stringify(given).replace(/\$[a-z]+(?=[\s"])/g, (mark) => ids[mark] ?? mark);
  const address = toolsets === undefined ? url : `${url}?toolsets=${toolsets}`;
  const { body } = await modern(address, 'tools/call', { name, arguments: JSON.parse(filled) });
  if (body.error !== undefined) return { text: body.error.message };
  const result = body.result as unknown as ToolResult;
  return { text: result.content.map(({ text }) => text).join('\n'), result };
}

describe('MCP calls that language models get wrong', () => {
  it.each(WRONG_CALLS.filter(({ says }) => says === undefined))(
    'runs a call that $does',
    async ({ name, arguments: given, toolsets, coerced = [], notice = '' }) => {
      const { text, result } = await call(name, given, toolsets);
      expect(result?.isError, text).toBeFalsy();
      expect(result?._meta?.['gatehouse/coerced'] ?? []).toEqual(coerced);
      expect(text).toContain(notice);
    },
  );

  it.each(WRONG_CALLS.filter(({ says }) => says !== undefined))(
    'refuses a call and $does',
    async ({ name, arguments: given, toolsets, says = '' }) => {
      const { text, result } = await call(name, given, toolsets);
      expect(result?.isError ?? true).toBe(true);
      expect(text).toContain(says);
    },
  );

  it('asks only once per credential who me is', async () => {
    const asked = () => sandbox.requests().filter(({ path }) => path === '/v2/self').length;
    const comment = { author_actor_id: 'me', content: 'x', record_object: 'people', record_id: '$person' };
    await call('crm_create_comment', comment);
    const before = asked();
    await call('crm_create_comment', comment);
    expect(asked()).toBe(before);
  });
});
