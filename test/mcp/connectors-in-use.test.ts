import { describe, expect, it } from 'vitest';
import { ConnectorsInUse } from '../../src/mcp/connectors-in-use.ts';

describe('connectors in use for tools/list', () => {
  it('adds connectors that are connected later', async () => {
    let now = new Set(['crm']);
    const inUse = new ConnectorsInUse(async () => now);
    expect([...(await inUse.of('env_1'))]).toEqual(['crm']);
    now = new Set(['crm', 'web']);
    expect([...(await inUse.of('env_1'))]).toEqual(['crm', 'web']);
  });

  it('keeps removed connectors, so that a list never shrinks while the process runs', async () => {
    let now = new Set(['crm', 'web']);
    const inUse = new ConnectorsInUse(async () => now);
    await inUse.of('env_1');
    now = new Set(['crm']);
    expect([...(await inUse.of('env_1'))]).toEqual(['crm', 'web']);
  });

  it('stays "none" once none was in use, so that a first call does not shrink the list of all', async () => {
    let now = new Set<string>();
    const inUse = new ConnectorsInUse(async () => now);
    await inUse.of('env_1');
    now = new Set(['web']);
    expect([...(await inUse.of('env_1'))]).toEqual([]);
  });

  it('keeps the connectors of each environment apart', async () => {
    const inUse = new ConnectorsInUse(async (id) => new Set(id === 'env_1' ? [] : ['crm']));
    expect([...(await inUse.of('env_1'))]).toEqual([]);
    expect([...(await inUse.of('env_2'))]).toEqual(['crm']);
  });
});
