/** What every shipped tool and parameter says to a model: what it does first, no scopes, and which look-alike to take. */
import { describe, expect, it } from 'vitest';
import { outputSchemaOf } from '../../src/catalog/model/result-rules.ts';
import { shippedCatalog, shippedTool } from './tool-request.ts';

const tools = [...shippedCatalog.tools.values()];

const FIRST_WORDS = new Set(
  'Accepts Adds Answers Cancels Changes Counts Creates Declines Deletes Files Finds Forwards Gives Likes Lists Marks Merges Moves Posts Reads Removes Renames Replies Returns Runs Schedules Searches Sends Shows Starts Stops Subscribes Suggests Turns Unsubscribes'.split(
    ' ',
  ),
);

/** Ids that the caller makes up, or that stand outside the app. */
const OWN_IDS = new Set(['request_id', 'external_id', 'for_handle']);

/** Texts that list values of a set that is not closed, or that the app takes in any case. */
const OPEN_SETS = new Set(['warehouse_get_table_constraints.constraint_type', 'websearch_search.category']);

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

  it('take at most 400 characters for a tool and 220 for a parameter', () => {
    const long = tools.flatMap(({ name, description, parameters }) => [
      ...(description.length > 400 ? [name] : []),
      ...Object.entries(parameters)
        .filter(([, parameter]) => parameter.description.length > 220)
        .map(([parameter]) => `${name}.${parameter}`),
    ]);
    expect(long).toEqual([]);
  });

  it('name the tool that gives an id, in the text or in `from`, which a refusal names', () => {
    const unnamed = tools.flatMap(({ name, parameters }) =>
      Object.entries(parameters)
        .filter(([parameter]) => /(^|_)(id|handle)$/.test(parameter) && !OWN_IDS.has(parameter))
        .filter(([, { from, description }]) => {
          const named = description.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
          return (
            from === undefined &&
            !description.includes('this tool') &&
            !named.some((word) => shippedCatalog.tools.has(word))
          );
        })
        .map(([parameter]) => `${name}.${parameter}`),
    );
    expect(unnamed).toEqual([]);
  });

  it('leave closed sets of values to the schema', () => {
    const told = tools.flatMap(({ name, parameters }) =>
      Object.entries(parameters)
        .filter(([, parameter]) => parameter.type === 'string' && parameter.enum === undefined)
        .filter(([, { description }]) => /^One of |^[A-Z ]+(, [A-Z ]+)* or [A-Z]/.test(description))
        .map(([parameter]) => `${name}.${parameter}`),
    );
    expect(new Set(told)).toEqual(OPEN_SETS);
  });

  it.each([
    ['crm_list_lists', 'crm_list_record_entries'],
    ['crm_create_comment', 'crm_create_note'],
    ['crm_list_notes', 'crm_list_threads'],
    ['crm_list_meetings', 'mail_list_calendar_events'],
    ['websearch_search', 'websearch_research'],
    ['warehouse_get_columns', 'warehouse_describe_table'],
    ['warehouse_get_schemata', 'warehouse_show_databases_schemas'],
    ['warehouse_get_referential_constraints', 'warehouse_show_imported_exported_keys'],
    ['video_comments_list', 'video_comment_threads_list'],
    ['video_comment_threads_list', 'video_comments_set_moderation_status'],
  ])('tell %s and %s apart in both', (one, other) => {
    expect(shippedTool(one).description).toContain(other);
    expect(shippedTool(other).description).toContain(one);
  });
});

describe('results of shipped tools', () => {
  it('have a schema wherever a tool that reads answers with records', () => {
    const without = tools.filter((tool) => tool.effect === 'read' && outputSchemaOf(tool) === undefined);
    expect(without.map(({ name }) => name)).toEqual(['crm_get_current_token_info']);
  });
});
