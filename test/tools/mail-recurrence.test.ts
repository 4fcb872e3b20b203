/** Series of the mail tools: what Graph needs for each pattern comes from the first day, and only that is sent. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('mail');

/** @param day first day of the series */
const startingOn = (day: string) => ({
  subject: 'Review',
  start_datetime: `${day}T09:00:00`,
  start_timezone: 'Europe/Berlin',
  end_datetime: `${day}T10:00:00`,
  end_timezone: 'Europe/Berlin',
});

async function recurrenceOf(input: object): Promise<{ pattern: object; range: object }> {
  const request = await requestOf('mail_create_calendar_event', input);
  expectRequestMatches(description, request);
  return (request.body as { recurrence: { pattern: object; range: object } }).recurrence;
}

describe('mail tools: recurrence patterns', () => {
  it.each([
    ['2026-12-01', { recurrence_type: 'daily' }, { type: 'daily', interval: 1 }],
    [
      '2026-12-01',
      { recurrence_type: 'daily', recurrence_interval: 3, recurrence_days_of_week: 'monday' },
      { type: 'daily', interval: 3 },
    ],
    ['2026-12-01', { recurrence_type: 'weekly' }, { type: 'weekly', interval: 1, daysOfWeek: ['tuesday'] }],
    [
      '2026-12-01',
      {
        recurrence_type: 'weekly',
        recurrence_interval: 2,
        recurrence_days_of_week: ' Tuesday,thursday, tuesday',
      },
      { type: 'weekly', interval: 2, daysOfWeek: ['tuesday', 'thursday'] },
    ],
    [
      '2026-12-06',
      { recurrence_type: 'weekly', recurrence_days_of_week: '["sunday", "monday"]' },
      { type: 'weekly', interval: 1, daysOfWeek: ['sunday', 'monday'] },
    ],
    [
      '2026-12-31',
      { recurrence_type: 'absoluteMonthly' },
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 },
    ],
    [
      '2026-12-01',
      { recurrence_type: 'absoluteMonthly', recurrence_days_of_week: 'monday', recurrence_interval: 3 },
      { type: 'absoluteMonthly', interval: 3, dayOfMonth: 1 },
    ],
    [
      '2026-12-07',
      { recurrence_type: 'relativeMonthly' },
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'first' },
    ],
    [
      '2026-12-08',
      { recurrence_type: 'relativeMonthly', recurrence_days_of_week: 'tuesday' },
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['tuesday'], index: 'second' },
    ],
    [
      '2026-12-21',
      { recurrence_type: 'relativeMonthly' },
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'third' },
    ],
    [
      '2026-12-28',
      { recurrence_type: 'relativeMonthly' },
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'fourth' },
    ],
    [
      '2026-12-29',
      { recurrence_type: 'relativeMonthly' },
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['tuesday'], index: 'last' },
    ],
    [
      '2028-02-29',
      { recurrence_type: 'absoluteYearly' },
      { type: 'absoluteYearly', interval: 1, dayOfMonth: 29, month: 2 },
    ],
    [
      '2026-11-26',
      { recurrence_type: 'relativeYearly', recurrence_days_of_week: 'thursday' },
      { type: 'relativeYearly', interval: 1, daysOfWeek: ['thursday'], index: 'fourth', month: 11 },
    ],
    [
      '2026-01-01',
      { recurrence_type: 'relativeYearly', recurrence_interval: 2 },
      { type: 'relativeYearly', interval: 2, daysOfWeek: ['thursday'], index: 'first', month: 1 },
    ],
  ])('begin at %s for the input %j', async (day, input, pattern) => {
    expect((await recurrenceOf({ ...startingOn(day), ...input })).pattern).toEqual(pattern);
  });
});

describe('mail tools: recurrence ranges', () => {
  const weekly = { ...startingOn('2026-12-01'), recurrence_type: 'weekly' };

  it.each([
    [{}, { type: 'noEnd', startDate: '2026-12-01' }],
    [{ recurrence_range_type: 'noEnd' }, { type: 'noEnd', startDate: '2026-12-01' }],
    [
      { recurrence_end_date: '2026-12-31' },
      { type: 'endDate', startDate: '2026-12-01', endDate: '2026-12-31' },
    ],
    [
      { recurrence_range_type: 'endDate', recurrence_end_date: '2026-12-01' },
      { type: 'endDate', startDate: '2026-12-01', endDate: '2026-12-01' },
    ],
    [{ recurrence_occurrences: 5 }, { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 5 }],
    [
      { recurrence_range_type: 'numbered', recurrence_occurrences: 1, recurrence_end_date: '2026-12-31' },
      { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 1 },
    ],
    [
      {
        recurrence_range_type: 'endDate',
        recurrence_occurrences: 1,
        recurrence_end_date: '2026-12-31',
        recurrence_start_date: '2026-12-01',
      },
      { type: 'endDate', startDate: '2026-12-01', endDate: '2026-12-31' },
    ],
  ])('follow from the input %j', async (input, range) => {
    expect((await recurrenceOf({ ...weekly, ...input })).range).toEqual(range);
  });

  it('begins with the day of the start in its time zone', async () => {
    const input = { ...weekly, start_datetime: '2026-11-30T23:30:00Z' };
    const { pattern, range } = await recurrenceOf(input);
    expect(pattern).toEqual({ type: 'weekly', interval: 1, daysOfWeek: ['tuesday'] });
    expect(range).toEqual({ type: 'noEnd', startDate: '2026-12-01' });
  });
});

describe('mail tools: invalid recurrence', () => {
  const weekly = { ...startingOn('2026-12-01'), recurrence_type: 'weekly' };

  it.each([
    [['recurrence_days_of_week enum'], { recurrence_days_of_week: 'mon' }],
    [['recurrence_days_of_week enum'], { recurrence_days_of_week: 'monday;tuesday' }],
    [['recurrence_days_of_week enum'], { recurrence_days_of_week: '[1]' }],
    [['recurrence_start_date start_date'], { recurrence_start_date: '2026-12-02' }],
    [['recurrence_end_date minimum'], { recurrence_end_date: '2026-11-30' }],
    [['recurrence_range_type require'], { recurrence_end_date: '2026-12-31', recurrence_occurrences: 3 }],
    [
      ['start_timezone zone'],
      { start_datetime: '2026-12-01T09:00:00+01:00', start_timezone: 'W. Europe Standard Time' },
    ],
    [
      ['start_datetime format', 'recurrence_days_of_week enum'],
      { start_datetime: 'soon', recurrence_days_of_week: 'someday', recurrence_start_date: '2026-12-02' },
    ],
  ])('reports the violations %j: %j', async (expected, input) => {
    expect(await callRefusals('mail_create_calendar_event', { ...weekly, ...input })).toEqual(expected);
  });
});
