import { describe, expect, it } from 'vitest';
import type { SelectionNames } from '../../src/catalog/model/tool-selection.ts';
import type { OAuthRules, Tool } from '../../src/catalog/model/types.ts';
import { askedScopes, scopesBeyond } from '../../src/links/asked-scopes.ts';

const READ: string[][] = [['dates.read', 'dates.write']];

const tool = (name: string, scopes: string[][], more: Partial<Tool> = {}): Tool =>
  ({ name, connector: 'diary', toolset: 'dates', scopes, ...more }) as Tool;

/** A listed tool, one that came later, and one of another connector. */
const TOOLS = {
  list: tool('diary_list', READ),
  send: tool('diary_send', [['post.send'], ...READ], {
    unlisted: true,
    everyday: 'default',
    toolset: 'post',
  }),
  other: tool('board_list', [['board.read']], { connector: 'board' }),
};
const catalog = {
  connectors: new Map(),
  tools: new Map(Object.values(TOOLS).map((each) => [each.name, each])),
};
const rules = { offline_scope: 'offline' } as OAuthRules;

describe('connect link', () => {
  it.each<[string, SelectionNames, string[], string[]]>([
    ['those of the listed tools alone, where the settings name nothing', {}, [], ['dates.read', 'offline']],
    [
      'those of an unlisted tool that the settings name',
      { tools: ['diary_send'] },
      [],
      ['dates.read', 'post.send', 'offline'],
    ],
    [
      'those of an unlisted tool of everyday work, where the settings name default',
      { toolsets: ['default'] },
      [],
      ['dates.read', 'post.send', 'offline'],
    ],
    [
      'those of an unlisted tool whose toolset the settings name',
      { toolsets: ['diary.post'] },
      [],
      ['dates.read', 'post.send', 'offline'],
    ],
    ['those of the operator alone', { toolsets: ['all'] }, ['dates.write'], ['dates.write']],
  ])('asks every account for %s', (_what, selection, scopes, asked) => {
    const connection = { environmentId: 'env_1', connector: 'diary', scopes };
    expect(askedScopes(connection, { defaultScopes: undefined, rules }, { catalog, selection }, [])).toEqual(
      asked,
    );
  });

  it.each<[string, Tool[], SelectionNames, string[], string[]]>([
    ['what an unlisted tool needs', [TOOLS.send], {}, [], ['post.send']],
    ['nothing for a listed tool', [TOOLS.list], {}, [], []],
    ['nothing for a tool that the settings name', [TOOLS.send], { toolsets: ['all'] }, [], []],
    ['nothing for a tool of another connector', [TOOLS.other], {}, [], []],
    ['nothing where the operator has chosen', [TOOLS.send], {}, ['dates.read'], []],
  ])('asks beyond that for %s', (_what, tools, selection, scopes, beyond) => {
    expect(
      scopesBeyond({ environmentId: 'env_1', connector: 'diary', scopes }, { catalog, selection }, tools),
    ).toEqual(beyond);
  });
});
