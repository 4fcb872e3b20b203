import { describe, expect, it } from 'vitest';
import {
  serverNameViolations,
  selectionViolations,
  type ServerInput,
} from '../../src/virtual-servers/server-rules.ts';
import { testCatalog } from '../support/test-catalog.ts';

const there = {
  connections: new Map([
    ['notes', 'notes'],
    ['notes-of-sales', 'notes'],
    ['desk', 'desk'],
  ]),
  tools: [...testCatalog.tools.values()],
};

const input = (change: Partial<ServerInput>): ServerInput => ({
  connections: ['notes'],
  toolsets: [],
  tools: [],
  readOnly: false,
  ...change,
});

const found = (change: Partial<ServerInput>) =>
  selectionViolations(input(change), there).map(({ field, constraint }) => [field, constraint]);

describe('virtual MCP server selection', () => {
  it('accepts connections, whole connectors, toolsets and tools', () => {
    expect(found({})).toEqual([]);
    expect(found({ connections: ['notes', 'notes-of-sales', 'desk'] })).toEqual([]);
    expect(found({ toolsets: ['notes', 'notes.all'], tools: ['notes_search'] })).toEqual([]);
  });

  it('names everything that does not exist, at once', () => {
    const change = {
      connections: ['notes', 'Notes', 'conn_1'],
      toolsets: ['notes.none', 'nowhere'],
      tools: ['notes_search', 'notes_serch', ''],
    };
    expect(found(change)).toEqual([
      ['connections.1', 'unknown'],
      ['connections.2', 'unknown'],
      ['toolsets.0', 'unknown'],
      ['toolsets.1', 'unknown'],
      ['tools.1', 'unknown'],
      ['tools.2', 'unknown'],
    ]);
  });

  it('requires a connection for each published tool', () => {
    expect(found({ connections: [] })).toEqual([['connections', 'min_items']]);
    expect(found({ toolsets: ['desk.all'], tools: ['weather_search'] })).toEqual([
      ['toolsets.0', 'connection_missing'],
      ['tools.0', 'connection_missing'],
    ]);
  });
});

describe('virtual MCP server name', () => {
  it.each(['a', '7', 'support-desk', 'a--b', `a${'b'.repeat(62)}`])('accepts the server name %j', (name) => {
    expect(serverNameViolations(name)).toEqual([]);
  });

  it.each(['', '-a', 'A', 'a_b', 'a.b', 'a/b', 'a b', 'é', 'a\n', `a${'b'.repeat(63)}`])(
    'refuses the server name %j',
    (name) => {
      expect(serverNameViolations(name).map(({ field }) => field)).toEqual(['name']);
    },
  );
});
