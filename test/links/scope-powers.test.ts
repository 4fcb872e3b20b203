import { describe, expect, it } from 'vitest';
import { isIncluded, powerOf } from '../../src/links/scope-powers.ts';
import type { Tool } from '../../src/catalog/model/types.ts';

const tool = (effect: Tool['effect'], ...scopes: string[][]): Pick<Tool, 'effect' | 'scopes'> => ({
  effect,
  scopes,
});

/** As Attio has them: reading objects is needed for writing records too. */
const TOOLS = [
  tool('read', ['object:read', 'object:write']),
  tool('read', ['record:read', 'record:write'], ['object:read', 'object:write']),
  tool('create', ['record:write'], ['object:read', 'object:write']),
  tool('delete', ['record:write']),
  tool('update', ['object:write']),
  // The one scope of comments reads and deletes.
  tool('read', ['comment:all']),
  tool('delete', ['comment:all']),
];

describe('power of scopes on a connect page', () => {
  it.each([
    ['object:read', 'read'],
    ['record:read', 'read'],
    ['record:write', 'delete'],
    ['object:write', 'change'],
    ['comment:all', 'delete'],
    ['offline', 'other'],
  ] as const)('follows from the tools that need the scope: %s allows %s', (scope, power) => {
    expect(powerOf(scope, TOOLS)).toBe(power);
  });
});

describe('scopes included in others on a connect page', () => {
  it.each([
    ['record:read', ['record:read', 'record:write'], true],
    ['object:read', ['object:read', 'object:write'], true],
    ['record:read', ['record:read', 'object:write'], false],
    ['record:write', ['record:read', 'record:write'], false],
    ['comment:all', ['comment:all', 'record:write'], false],
    ['offline', ['offline', 'record:write'], false],
  ] as const)(
    'need another one that covers every use of theirs: %s among %j is %j',
    (scope, asked, expected) => {
      expect(isIncluded(scope, asked, TOOLS)).toBe(expected);
    },
  );
});
