import { expect, it, vi } from 'vitest';
import type { ToolHandler } from '../../../src/catalog/model/types.ts';
import { handlers } from '../../../src/connectors/index.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { requireValidInput } from '../../../src/executor/call/input-check.ts';
import { shippedTool } from '../../tools/tool-request.ts';

const EVENT = {
  subject: 'Planning',
  start_datetime: '2026-12-01T09:00:00',
  start_timezone: 'Europe/Berlin',
  end_datetime: '2026-12-01T10:00:00',
  end_timezone: 'Europe/Berlin',
};

const check = (name: string, input: unknown) =>
  requireValidInput(async () => handlers, shippedTool(name), input);

async function fieldsOf(name: string, input: unknown): Promise<string[]> {
  const error: unknown = await check(name, input).catch((reason: unknown) => reason);
  if (!(error instanceof ServiceError)) throw new Error(`expected a ServiceError, got ${String(error)}`);
  expect(error.code).toBe('INVALID_ARGUMENT');
  return error.violations.map(({ field, constraint }) => `${field} ${constraint}`);
}

it('returns the tool input unchanged when catalog and code find no violation', async () => {
  expect(await check('mail_create_calendar_event', EVENT)).toEqual(EVENT);
});

it('reports violations of the catalog and of the code together', async () => {
  const { end_timezone: _, ...rest } = EVENT;
  expect(
    await fieldsOf('mail_create_calendar_event', {
      ...rest,
      start_datetime: 'tomorrow',
      importance: 'urgent',
      locations: '{',
    }),
  ).toEqual(['end_timezone required', 'importance enum', 'start_datetime format', 'locations json']);
});

it('reports one parameter of the tool input only once', async () => {
  expect(await fieldsOf('mail_create_calendar_event', { ...EVENT, start_datetime: 7 })).toEqual([
    'start_datetime type',
  ]);
});

it('reports a violation that only the code finds', async () => {
  expect(
    await fieldsOf('mail_create_calendar_event', { ...EVENT, end_datetime: '2026-12-01T08:00:00' }),
  ).toEqual(['end_datetime minimum']);
});

it.each([
  ['mail_update_calendar_event', { event_id: 'e', importance: 'urgent' }, ['importance enum']],
  ['mail_update_calendar_event', { event_id: 'e', subjct: 'x' }, ['subjct unknown']],
  ['mail_update_calendar_event', { event_id: 'e', locations: 'x' }, ['locations json']],
  ['mail_update_calendar_event', { event_id: 'e' }, [' require']],
  ['video_videos_update', { video_id: 'v', embeddable: 'yes' }, ['embeddable type']],
  ['video_videos_update', { video_id: 'v' }, [' at_least_one_of']],
])(
  'says that an update changes nothing only where nothing was given: %s %j',
  async (name, input, expected) => {
    expect(await fieldsOf(name, input)).toEqual(expected);
  },
);

it('makes no call while it checks', async () => {
  const call = vi.fn<ToolHandler['call']>();
  const input = { parent_object: 'people' };
  const given = requireValidInput(
    async () => new Map([['crm/list-lists', { call }]]),
    shippedTool('crm_list_lists'),
    {
      ...input,
      parent_record_id: 'bf071e1f-6035-429d-b874-d83ea64ea13b',
    },
  );
  expect(await given).toMatchObject(input);
  expect(call).not.toHaveBeenCalled();
});

it('gives the code only what is valid so far, without defaults', async () => {
  const check = vi.fn<NonNullable<ToolHandler['check']>>(() => []);
  const handler: ToolHandler = { check, call: async () => null };
  const asked = requireValidInput(
    async () => new Map([['crm/search-records', handler]]),
    shippedTool('crm_search_records'),
    { object: 'people', query: 7 },
  );
  await expect(asked).rejects.toMatchObject({ violations: [{ field: 'query', constraint: 'type' }] });
  expect(check).toHaveBeenCalledExactlyOnceWith({ object: 'people' });
});

it('refuses tool input that is no object with one sentence', async () => {
  expect(await fieldsOf('mail_create_calendar_event', 'x')).toEqual([' type']);
});
