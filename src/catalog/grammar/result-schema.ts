/**
 * The shape of the key `result` of a connector, a toolset file or a tool: the form of an answer that a model gets.
 *
 * The grammar is closed. It can pick, rename, leave out, lift and unwrap members, and decode the cells of rows; it
 * cannot compute. result-check.ts finds faults beyond the shape, mcp/results/compaction.ts applies the rules.
 */
import * as z from 'zod';
import { listPath } from './file-words.ts';

const pathText = z.string().regex(/^[^\s.]+(\.[^\s.]+)*$/, { error: 'must be a dotted path without blanks' });
const path = (meaning: string) => pathText.describe(meaning);
const memberName = z
  .string()
  .regex(/^[A-Za-z_@$][\w@$.-]{0,63}$/, { error: 'must be the name of a member of an answer' });
const members = (meaning: string) =>
  z
    .union([z.record(memberName, pathText), z.array(pathText).min(1)], {
      error: 'must be a list of dotted paths, or a table of names with a dotted path each',
    })
    .describe(meaning);
const names = (meaning: string) => z.array(pathText).min(1).describe(meaning);

/** Ways to turn the text of a cell into a value. A cell that does not fit stays as it is. */
export const CELL_DECODERS = [
  'number',
  'boolean',
  'json',
  'epoch_days',
  'epoch_seconds',
  'epoch_seconds_offset',
  'local_epoch_seconds',
  'seconds_of_day',
] as const;

/** Forms that the records of a list can take together. */
export const RECORD_FORMS = ['objects', 'values', 'map', 'table'] as const;

const unwrap = z.strictObject({
  by: z.string().min(1).describe('Member of a value object that names its kind.'),
  take: z
    .record(
      z.string().min(1),
      z.union([pathText, z.array(pathText).min(2)], {
        error: 'must be a dotted path, or a list of at least two',
      }),
    )
    .describe(
      'By kind, the path of the value in the object; with several paths an object of their last names. Other kinds stay.',
    ),
});

const rows = z.strictObject({
  columns: path('Where the list of columns stands.'),
  name: path('Member of a column with its name.').default('name'),
  type: path('Member of a column with its type.').optional(),
  decode: z
    .record(z.string().min(1), z.enum(CELL_DECODERS))
    .default({})
    .describe('By type of a column, how its cells are read.'),
  count: path('Where the number of all rows stands.').optional(),
  more: z
    .strictObject({
      if: path('What is there when there are more rows elsewhere.'),
      keep: z.record(memberName, pathText).describe('What is kept of the answer then, by its new name.'),
    })
    .optional()
    .describe('What a later call for further rows needs.'),
});

/**
 * The rules. Those of a tool take precedence over those of its file, and these over those of the connector, key by
 * key.
 */
export const resultRules = z.strictObject({
  list: listPath(
    'Where the list of records stands in the answer; `.` if the answer is the list. Left out: paging.list.',
  ).optional(),
  record: path('Where the only record stands in the answer. Left out: the answer is the record.').optional(),
  ids: members(
    'What later calls take. It is always kept; where a record lacks it, the answer stays whole.',
  ).optional(),
  keep: members(
    'What else is kept of a record, under the last name of a path or the name in the table. Left out: everything.',
  ).optional(),
  keep_given: z
    .string()
    .min(1)
    .optional()
    .describe('An object parameter, by name: what is kept of a record besides are members of its names.'),
  drop: names(
    'Members that are left out at any depth: by name, or by the end of the path (snippet.localized).',
  ).optional(),
  lift: names('Objects, by name or end of the path, whose members take their place.').optional(),
  flags: names('Members that are left out unless they are true, by name or end of the path.').optional(),
  unwrap: unwrap
    .optional()
    .describe('Objects that hold a value beside other things; a list of one such value becomes the value.'),
  as: z
    .enum(RECORD_FORMS)
    .optional()
    .describe(
      'Form of the list. values: each record is its only kept member. map: one object, by key. table: columns and rows.',
    ),
  key: path('For map: member of a record that its entry is called by.').optional(),
  rows: rows.optional().describe('The list holds rows: lists of cells that columns describe.'),
  text: path('Member of a record with a long text, which the parameter offset reads on in.').optional(),
});

/** The key `result`. `whole` undoes rules of the file or the connector. */
export const resultSchema = z
  .union([z.literal('whole'), resultRules], { error: 'must be whole, or a table of rules' })
  .describe('What a model gets of the answer; REST gets it whole.');

export type ResultEntry = z.infer<typeof resultSchema>;
export type ResultRulesEntry = z.infer<typeof resultRules>;
