/** What a model reads before any tool: the apps that are published, and a bound on the length. */
import { describe, expect, it } from 'vitest';
import { instructionsFor } from '../../src/mcp/answers.ts';
import { selectTools } from '../../src/mcp/selection.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

const shipped = [...shippedCatalog.tools.values()];

describe('MCP instructions', () => {
  it.each([
    [
      {},
      'crm_ = Attio CRM, mail_ = Microsoft Outlook, video_ = YouTube, warehouse_ = Snowflake, websearch_ = Exa web search.',
    ],
    [{ connectors: ['mail', 'crm'] }, 'crm_ = Attio CRM, mail_ = Microsoft Outlook.'],
  ])('name the app of each prefix that is published (%o)', (selection, apps) => {
    const selected = selectTools(shipped, { readOnly: false, discovery: 'off', ...selection });
    expect(instructionsFor(selected, shippedCatalog.connectors)).toContain(` is its app: ${apps}\n`);
  });

  it('have at most 2,000 characters, however many apps there are', () => {
    const tool = shipped.find(({ effect }) => effect === 'read');
    const many = Array.from({ length: 300 }, (_, i) => ({ ...tool!, connector: `app${i}` }));
    const selected = selectTools(many, { readOnly: true, discovery: 'on' });
    const text = instructionsFor(selected, new Map());
    expect(text).toMatch(/is its app: app0_ = app0, .*, app\d+_ = app\d+ and \d+ others\.\n/);
    expect(text.length).toBeLessThanOrEqual(2_000);
  });
});
