/** What every shipped tool and parameter says to a model: what it does first, no scopes, and which look-alike to take. */
import { describe, expect, it } from 'vitest';
import { shippedCatalog, shippedTool } from './tool-request.ts';

const tools = [...shippedCatalog.tools.values()];

const FIRST_WORDS = new Set(
  'Adds Answers Changes Creates Deletes Finds Likes Lists Posts Reads Removes Renames Returns Runs Schedules Searches Shows Starts Stops Subscribes Unsubscribes'.split(
    ' ',
  ),
);

describe('descriptions of shipped tools', () => {
  it('start with what the tool does', () => {
    const others = tools.filter(({ description }) => !FIRST_WORDS.has(description.split(' ')[0]!));
    expect(others.map(({ name, description }) => `${name}: ${description}`)).toEqual([]);
  });

  it('name no scope of the connection', () => {
    const named = tools.filter(({ description, scopes }) =>
      scopes.flat().some((scope) => /[:.]/.test(scope) && description.includes(scope)),
    );
    expect(named.map(({ name }) => name)).toEqual([]);
  });

  it('leave no parameter without a text, and say a default as one', () => {
    const silent = tools.flatMap(({ name, parameters }) =>
      Object.entries(parameters)
        .filter(([, { description }]) => description === '' || /\bleft out,/i.test(description))
        .map(([parameter]) => `${name}.${parameter}`),
    );
    expect(silent).toEqual([]);
  });

  it.each([
    ['crm_list_lists', 'crm_list_record_entries'],
    ['crm_create_comment', 'crm_create_note'],
    ['crm_list_notes', 'crm_list_threads'],
    ['crm_list_meetings', 'mail_list_calendar_events'],
    ['websearch_search', 'websearch_research'],
    ['warehouse_get_schemata', 'warehouse_show_databases_schemas'],
    ['warehouse_get_referential_constraints', 'warehouse_show_imported_exported_keys'],
    ['video_comments_list', 'video_comment_threads_list'],
  ])('tell %s and %s apart in both', (one, other) => {
    expect(shippedTool(one).description).toContain(other);
    expect(shippedTool(other).description).toContain(one);
  });
});
