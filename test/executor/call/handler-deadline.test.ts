/** All requests of a handler share the time of one call: walking many pages of a slow provider must end as any call does. */
import { describe, expect, it } from 'vitest';
import type { UsableCredential } from '../../../src/credentials/usable-credential.ts';
import type { ToolHandler } from '../../../src/catalog/model/types.ts';
import { OWN_MEMBER } from '../../../src/catalog/call/mended-input.ts';
import { CallCredential } from '../../../src/executor/call/call-credential.ts';
import { OwnMembers } from '../../../src/executor/call/own-members.ts';
import { performCall, type PreparedCall } from '../../../src/executor/call/perform-call.ts';
import type { OutboundRequest } from '../../../src/outbound/outbound.ts';
import { ProviderClient } from '../../../src/outbound/provider-client.ts';
import { testAccount } from '../../support/accounts.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { shippedCatalog, shippedTool } from '../../tools/tool-request.ts';

const TOTAL_MS = 30_000;

/** Walks for ever. */
const walk: ToolHandler = {
  call: async ({ http }) => {
    for (;;) await http.send({ method: 'GET', host: 0, path: '/v2/threads', query: [], headers: {} });
  },
};

const CRM = shippedCatalog.connectors.get('crm')!;

/** The input says `me` for this parameter, and the provider knows who that is. */
const WITH_ME: Partial<PreparedCall> = {
  input: { author_actor_id: OWN_MEMBER },
  me: ['author_actor_id'],
  findOwnMember: async (read) => new OwnMembers().idOf(testAccount(), CRM.auth[0]!, read),
};

/** Calls a tool with this handler; each answer of the provider takes `answerMs`. Returns the time allowed for each request. */
async function allowedTimes(
  answerMs: number,
  tool = shippedTool('crm_list_threads'),
  changes: Partial<PreparedCall> = {},
): Promise<number[]> {
  const clock = fixedClock();
  const allowed: number[] = [];
  const send = async ({ totalTimeoutMs }: OutboundRequest) => {
    allowed.push(totalTimeoutMs ?? 0);
    clock.advance(answerMs);
    return { status: 200, headers: {}, body: Buffer.from('{"authorized_by_workspace_member_id":"m1"}') };
  };
  const provider = new ProviderClient({ send, totalTimeoutMs: TOTAL_MS }, { clock });
  const credential = {
    headers: {},
    query: [],
    secrets: [],
    details: {},
    account: testAccount(),
  } as unknown as UsableCredential;
  const call = performCall(provider, async () => new Map([['crm/list-threads', walk]]), {
    tool,
    connector: CRM,
    input: {},
    credential: new CallCredential(credential, async () => undefined),
    executionId: 'exe_1',
    signal: undefined,
    settings: {},
    traceparent: undefined,
    ...changes,
  });
  await expect(call).rejects.toMatchObject({ status: 504, toolError: { code: 'PROVIDER_TIMEOUT' } });
  return allowed;
}

describe('deadline of a tool handler with many requests', () => {
  it('covers all its requests together', async () => {
    expect(await allowedTimes(12_000)).toEqual([30_000, 18_000, 6_000]);
  });

  it('covers the read that finds the person of the account', async () => {
    expect(await allowedTimes(12_000, shippedTool('crm_list_threads'), WITH_ME)).toEqual([
      30_000, 18_000, 6_000,
    ]);
  });

  it('follows the longer deadline that its tool declares', async () => {
    const tool = { ...shippedTool('crm_list_threads'), deadline: { headersMs: 50_000, totalMs: 55_000 } };
    expect(await allowedTimes(20_000, tool)).toEqual([55_000, 35_000, 15_000]);
  });
});
