/** What a call of a tool that does not exist is told, with the shipped tools. */
import { describe, expect, it } from 'vitest';
import { unknownToolAdvice } from '../../src/mcp/tool-names.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

describe('unknown tool names over MCP', () => {
  it.each([
    ['a list that something is added to', 'crm_list_add', 'Did you mean crm_add_to_list or crm_create_list?'],
    [
      'a thing that SQL can make',
      'warehouse_create_table',
      'About this there are: warehouse_describe_table, warehouse_get_table_constraints, warehouse_get_tables and warehouse_show_tables.',
    ],
    ['a name longer than any tool', `crm_list_people${'e'.repeat(50)}`, ''],
    ['a long prefix of a client', `mcp__${'a'.repeat(60)}__crm_list_poeple`, 'Did you mean crm_list_people?'],
  ])('get advice that is true for %s', (_, name, advice) => {
    expect(unknownToolAdvice([...shippedCatalog.tools.values()], name)).toBe(advice);
  });

  it('gets the tools that change something in the app where none of them has its thing', () => {
    const everyday = [...shippedCatalog.tools.values()].filter((tool) => tool.everyday !== undefined);
    expect(unknownToolAdvice(everyday, 'crm_update_deal')).toBe(
      'About this there are: crm_list_deals. What changes something there: crm_update_list_entry, crm_update_note, ' +
        'crm_update_record and crm_update_task. Never delete something in order to change it.',
    );
  });
});
