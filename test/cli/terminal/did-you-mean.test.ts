import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { fakeAdmin, gatehouse } from '../cli-support.ts';

const refuse = async () => {
  throw new ServiceError('RESOURCE_NOT_FOUND', 'There is no such thing.');
};
const one = { id: 'x_1', name: 'websearch', connector: 'websearch', warnings: [], scopes: [] };
const service = { get: refuse, update: refuse, rotate: refuse, remove: refuse };
const { openAdmin } = fakeAdmin({
  connections: { ...service, list: async () => [one] },
  mcpServers: { ...service, list: async () => [one] },
  interceptors: { ...service, inOrder: async () => [one] },
  credentials: { ...service, list: async () => [one] },
});

describe('suggestions for an unknown command name', () => {
  it.each([
    ['connections show webserch', 'connections list', 'websearch'],
    ['connections update webserch --scopes a', 'connections list', 'websearch'],
    ['connections delete webserch --yes', 'connections list', 'websearch'],
    ['mcp-servers show webserch', 'mcp-servers list', 'websearch'],
    ['mcp-servers update webserch --read-only', 'mcp-servers list', 'websearch'],
    ['mcp-servers delete webserch --yes', 'mcp-servers list', 'websearch'],
    ['interceptors show webserch', 'interceptors list', 'websearch'],
    ['interceptors delete webserch --yes', 'interceptors list', 'websearch'],
    ['credentials show websearch', 'credentials list', 'x_1'],
    ['credentials rotate websearch', 'credentials list', 'x_1'],
    ['credentials delete websearch --yes', 'credentials list', 'x_1'],
  ])('suggest the most similar name for %s', async (line, command, meant) => {
    const { code, stderr } = await gatehouse(line.split(' '), { app: { openAdmin } });
    expect([code, stderr]).toEqual([
      1,
      `gatehouse: There is no such thing. Did you mean ${meant}? "gatehouse ${command}" shows all.\n`,
    ]);
  });

  it('suggest the command that lists all names where none is similar', async () => {
    const { stderr } = await gatehouse(['connections', 'show', 'mail'], { app: { openAdmin } });
    expect(stderr).toBe('gatehouse: There is no such thing. "gatehouse connections list" shows all.\n');
  });

  it('appear in JSON output as well', async () => {
    const argv = ['connections', 'show', 'webserch', '--json'];
    const { code, stderr } = await gatehouse(argv, { app: { openAdmin } });
    expect([code, JSON.parse(stderr)]).toMatchObject([
      1,
      {
        message: 'There is no such thing. Did you mean websearch? "gatehouse connections list" shows all.',
      },
    ]);
  });
});
