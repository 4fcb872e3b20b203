/**
 * The shape of a tool's keys `paging` and `pending`: how a result continues. paging-check.ts finds faults
 * beyond the shape.
 */
import * as z from 'zod';
import { listPath, word } from './file-words.ts';

const parameter = (meaning: string) =>
  word(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'a parameter name: a letter, then letters, digits and _', meaning);
const path = (meaning: string) =>
  z
    .string()
    .regex(/^[^\s.]+(\.[^\s.]+)*$/, { error: 'must be a dotted path without blanks' })
    .describe(meaning);
const first = (what: string) =>
  z.int().min(0).max(1).default(0).describe(`What the first ${what} counts as.`);
const defaultSize = z
  .int()
  .min(1)
  .optional()
  .describe("Size of the provider's own pages, where the caller names none.");
const toolName = z.string().min(1);
const taken = z
  .record(z.string(), path('Where the value stands in the result.'))
  .describe('Arguments of that tool, each with the dotted path of its value in the result.');

const WAYS = ['offset', 'cursor', 'number'] as const;

/** The key `paging` of a tool. */
export const pagingSchema = z
  .strictObject({
    list: listPath('Dotted path of the list of records in the result; `.` if the result is the list.'),
    size: parameter('Parameter that says how many records a page has.').optional(),
    offset: z
      .strictObject({
        parameter: parameter('Parameter that says where a page starts.'),
        first: first('record'),
        default_size: defaultSize,
        more: path(
          'What is there, and not false, when there is more. Left out: a full page may go on.',
        ).optional(),
        link_query: z
          .string()
          .min(1)
          .optional()
          .describe('Where more is a link to the next page: its query parameter that holds the next start.'),
      })
      .optional(),
    cursor: z
      .strictObject({
        parameter: parameter('Parameter that takes the cursor.'),
        next: path(
          'Where the cursor of the next page stands. Left out: in the link `next` of the header Link.',
        ).optional(),
        link_query: z
          .string()
          .min(1)
          .optional()
          .describe('Where that is a link to the next page: its query parameter that holds the cursor.'),
      })
      .optional(),
    number: z
      .strictObject({
        parameter: parameter('Parameter that takes the number of a page.'),
        first: first('page'),
        of: path(
          'The number of pages in the result, or a list with one entry for each; not every page needs to have it.',
        ).optional(),
        more: path(
          'Without of: what is there, and not false, when there is more. Left out: the header Link says it, or a full page may go on.',
        ).optional(),
        default_size: defaultSize,
      })
      .optional(),
    tool: toolName.optional().describe('Tool that has the further pages; left out: the same.'),
    arguments: taken.optional(),
  })
  .superRefine((rule, context) => {
    if (WAYS.filter((way) => rule[way] !== undefined).length !== 1)
      context.addIssue(`must have exactly one of ${WAYS.join(', ')}`);
    if ((rule.tool === undefined) !== (rule.arguments === undefined))
      context.addIssue('needs tool and arguments together');
    if (rule.cursor !== undefined && rule.cursor.next === undefined && rule.cursor.link_query === undefined)
      context.addIssue('needs next, or link_query for the header Link');
    if (rule.number?.of !== undefined && (rule.number.more ?? rule.number.default_size) !== undefined)
      context.addIssue('can have more and default_size of numbered pages only without of');
    if (rule.tool !== undefined && rule.number !== undefined && rule.number.of === undefined)
      context.addIssue('needs of, where further pages are in another tool');
    if (rule.offset?.link_query !== undefined && rule.offset.more === undefined)
      context.addIssue('can have link_query only together with more');
  });

/** The key `pending` of a tool. */
export const pendingSchema = z.strictObject({
  until: path('Dotted path of what only a finished result has.'),
  tool: toolName.describe('Tool that has the result later.'),
  arguments: taken,
});
