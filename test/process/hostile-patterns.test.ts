/** Patterns of an operator's catalog that backtrack in other engines, tried on hostile text by the real program. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern } from '../mcp/fixtures.ts';
import { toolResultOf } from '../mcp/messages.ts';
import { serve, type Served } from '../mcp/real-processes.ts';
import { makeShelfProject, shelfTool, type ShelfProject } from '../mcp/shelf-project.ts';

/** Both double the time of a backtracking engine with every few characters. */
const PATTERNS = ['^(a+)+$', '^(([a-z0-9-_ ]|[^\\x00-\\x7F])+.(json|yaml|yml))$'] as const;

const HOSTILE = `${'a'.repeat(9_000)}!`;

describe.each(PATTERNS)('catalog pattern %s and a hostile input', (pattern) => {
  let project: ShelfProject;
  let served: Served;

  beforeAll(async () => {
    project = await makeShelfProject();
    const text = shelfTool('shelf', 'shelf_find', 'Find').replace(
      '        to: body.query',
      () => `        pattern: '${pattern}'\n        to: body.query`,
    );
    project.replaceFile('shelf/find.yaml', text);
    served = await serve(project, []);
  });

  afterAll(async () => {
    await served.stop();
    await project.close();
  });

  const call = async (query: string) => {
    const headers = { authorization: `Bearer ${served.token}`, 'gatehouse-user-id': 'ada' };
    const params = { name: 'shelf_find', arguments: { query } };
    return toolResultOf((await modern(served.mcpUrl, 'tools/call', params, { headers })).body);
  };

  it('names the pattern to every one of 20 callers, and answers /healthz in between', async () => {
    const calls = Array.from({ length: 20 }, async () => call(HOSTILE));
    const health = await fetch(new URL('/healthz', served.mcpUrl));
    expect(health.status).toBe(200);
    for (const { isError, content } of await Promise.all(calls)) {
      expect(isError).toBe(true);
      expect(content[0]!.text).toContain(`query: Must match the pattern /${pattern}/u.`);
    }
  });
});
