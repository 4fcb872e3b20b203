/** The answer to a call of a tool that does not exist, with the shipped tools. */
import { describe, expect, it } from 'vitest';
import { unknownToolAdvice } from '../../src/mcp/tool-names.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

describe('unknown tool names over MCP', () => {
  it.each([
    ['a list that something is added to', 'crm_list_add', 'Did you mean crm_add_to_list?'],
    [
      'the same verb without a word of the name',
      'mail_cancel_event',
      'Did you mean mail_cancel_calendar_event?',
    ],
    [
      'a verb that several tools have, the shortest name first',
      'mail_list_events',
      'Did you mean mail_list_calendar_events or mail_list_calendar_event_occurrences?',
    ],
    [
      'an answer to something',
      'video_reply_to_comment',
      'Did you mean video_comment_threads_insert or video_comments_insert?',
    ],
    ['a task that is done', 'crm_mark_task_done', 'Did you mean crm_update_task?'],
    [
      'the thing alone, without the tool that deletes it',
      'video_subscriptions',
      'Did you mean video_subscriptions_insert or video_subscriptions_list?',
    ],
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
