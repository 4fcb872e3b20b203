/** For any input of any shipped tool: what leniency may change, and what it must leave alone. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputViolations } from '../../../src/catalog/call/input.ts';
import {
  emptyFilterViolations,
  mendedInput,
  withoutLeftOut,
} from '../../../src/catalog/call/mended-input.ts';
import { inputSchema } from '../../../src/catalog/model/input-schema.ts';
import type { Parameter, Tool } from '../../../src/catalog/model/types.ts';
import { handlers } from '../../../src/connectors/index.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { requireMendedInput, type LenientInput } from '../../../src/executor/call/lenient-input.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { shippedCatalog, shippedTool } from '../../tools/tool-request.ts';

/** Seeded, so that a failure is the same on every machine. */
const SEED = 20_261_124;

const TOOLS = [...shippedCatalog.tools.values()];

/** Values as models write them: right, in another type, empty, and free text that looks like something else. */
function valueOf({ type, enum: words, format }: Parameter): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(
      null,
      '',
      ' ',
      '10',
      ' 7 ',
      'true',
      'False',
      '[1]',
      '["a.com"]',
      '{"a": 1}',
      'a.com, b.org',
    ),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(...(words ?? ['me']).flatMap((word) => [word, word.toUpperCase(), ` ${word} `])),
    format === 'uuid'
      ? fc.uuid()
      : fc.constantFrom('2026-12-01', ' 2026-12-01T09:00:00Z ', 'ada@example.com'),
    fc.constant(type === 'integer' ? 3 : 'text '),
  );
}

const inputOf = (tool: Tool): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(tool.parameters).map(([name, parameter]) => [name, valueOf(parameter)]),
    ),
    { requiredKeys: Object.keys(tool.parameters).filter((name) => tool.parameters[name]!.required) },
  );

async function leniently(tool: Tool, input: unknown): Promise<LenientInput | undefined> {
  try {
    return await requireMendedInput(async () => handlers, tool, input, []);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

const isFreeText = ({ type, enum: words, format, pattern, comma_separated, me }: Parameter): boolean =>
  type === 'string' && [words, format, pattern, comma_separated, me].every((form) => form === undefined);
const isOpenObject = ({ type, members }: Parameter): boolean => type === 'object' && members === undefined;

describe('leniency towards input of tools', () => {
  it('gives valid input and names exactly the parameters that differ', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TOOLS).chain((tool) => inputOf(tool).map((input) => ({ tool, input }))),
        async ({ tool, input }) => {
          const result = await leniently(tool, input);
          if (result === undefined) return;
          const { mended } = result;
          expect(inputViolations(tool, mended.input)).toEqual([]);
          const names = new Set([...Object.keys(input), ...Object.keys(mended.input)]);
          const changed = [...names].filter((name) => input[name] !== mended.input[name]);
          expect([...mended.coerced].sort()).toEqual(changed.sort());
        },
      ),
      { seed: SEED, numRuns: ROUNDS.anyInput },
    );
  });

  it('leaves free text, open objects and everything of a deletion as it was given', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TOOLS).chain((tool) => inputOf(tool).map((input) => ({ tool, input }))),
        ({ tool, input }) => {
          const mended = mendedInput(tool, input, inputViolations(tool, input))?.input ?? input;
          for (const [name, parameter] of Object.entries(tool.parameters)) {
            const isFixed =
              tool.effect === 'delete' ||
              isFreeText(parameter) ||
              (isOpenObject(parameter) && typeof input[name] === 'object');
            if (isFixed) expect(mended[name]).toBe(input[name]);
          }
        },
      ),
      { seed: SEED, numRuns: ROUNDS.anyInput },
    );
  });

  it.each(['create', 'update', 'delete'] as const)(
    'never leaves out an empty filter of a tool with the effect %s',
    async (effect) => {
      const filters = Object.fromEntries(
        ['filter', 'where', 'record_query'].map((name) => [
          name,
          { type: 'string', required: false, description: 'Which records.' } as const,
        ]),
      );
      const tool: Tool = {
        ...shippedTool('crm_create_note'),
        effect,
        parameters: filters,
        inputSchema: inputSchema(filters),
        constraints: [],
      };
      for (const name of Object.keys(filters))
        for (const empty of [null, '']) {
          expect(withoutLeftOut(tool, { [name]: empty }).input).toEqual({ [name]: empty });
          expect(await leniently(tool, { [name]: empty })).toBeUndefined();
          expect(await leniently(tool, { [name.toUpperCase()]: empty })).toBeUndefined();
        }
      expect(emptyFilterViolations(tool, { filter: '' })).toMatchObject([{ field: 'filter' }]);
    },
  );

  it.each([
    ['mail_update_calendar_event', { event_id: ['AAMk1'], subject: 'x' }],
    ['mail_update_calendar_event', { eventId: '["AAMk1"]', subject: 7 }],
    ['warehouse_cancel_query', { statement_handle: ' 01b9e2a6-0000-4000-8000-000000000001 ' }],
    ['crm_delete_note', { note_id: ' 01b9e2a6-0000-4000-8000-000000000001 ' }],
    ['crm_delete_note', { noteId: '01b9e2a6-0000-4000-8000-000000000001' }],
    ['video_videos_delete', { video_id: ['dQw4w9WgXcQ'] }],
    [
      'mail_update_calendar_event',
      { event_id: 'AAMk1', start_datetime: '2026-12-01', start_timezone: 'Asia/Tokyo' },
    ],
    ['video_videos_update', { video_id: 'dQw4w9WgXcQ', title: 'x', category_id: '22', tags: '' }],
  ])('refuses to guess what %s changes: %j', async (name, input) => {
    expect(await leniently(shippedTool(name), input)).toBeUndefined();
  });

  it.each(['old_filter', 'oldFilter'])(
    'treats an empty value under the former name %s as under the name',
    async (name) => {
      const filter = {
        type: 'string',
        required: false,
        description: 'Which.',
        aliases: ['old_filter'],
      } as const;
      const title = { ...filter, aliases: ['old_title'] };
      const parameters = { filter, title };
      const tool: Tool = {
        ...shippedTool('crm_create_note'),
        parameters,
        inputSchema: inputSchema(parameters),
        constraints: [],
      };
      expect((await leniently(tool, { old_title: '' }))?.checked).toEqual({});
      expect(await leniently(tool, { [name]: '' })).toBeUndefined();
      const reading: Tool = { ...tool, effect: 'read' };
      expect((await leniently(reading, { [name]: '' }))?.checked).toEqual({});
    },
  );

  it('knows the person of the account again in input that was mended before, as a further page has it', async () => {
    const tool = shippedTool('crm_list_tasks');
    const first = await leniently(tool, { assignee: 'me' });
    const next = await leniently(tool, { ...first?.mended.input, offset: 20 });
    expect([first?.mended.me, next?.mended.me]).toEqual([['assignee'], ['assignee']]);
  });

  it('counts numbers only as far as they are exact', async () => {
    const limitOf = async (limit: string) =>
      (await leniently(shippedTool('crm_list_tasks'), { limit }))?.checked['limit'];
    expect(await limitOf('10')).toBe(10);
    expect(await limitOf('10.0')).toBe(10);
    expect(await limitOf('0x10')).toBeUndefined();
    expect(await limitOf('1e2')).toBeUndefined();
    expect(await limitOf('10 tasks')).toBeUndefined();
    expect(await limitOf('12345678901234567')).toBeUndefined();
  });
});
