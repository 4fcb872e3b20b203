/**
 * The two ends of a time span in the form that calendar tools take, and the zone of the answer. Pure.
 *
 * Graph reads the ends of a calendar view with their offset, without one as UTC, and never in the zone of the
 * answer.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-list-calendarview
 */
import { violation, type FieldViolation } from '../../core/errors.ts';
import { instantOf, readTime } from './calendar-time.ts';

/** Parameters of a span. */
export interface SpanInput {
  start_datetime?: string | undefined;
  end_datetime?: string | undefined;
  timezone?: string | undefined;
}

/** Unix milliseconds. */
export interface Span {
  start: number;
  end: number;
}

/** Names of zones. Nothing else may be written into a header. */
const ZONE = /^[A-Za-z][\w+\-/.() ]{0,99}$/;

const DAY_MS = 86_400_000;

/**
 * The span from the start to the end; a date alone means its first moment, at the end its last one.
 *
 * @param violations collects the problems
 * @returns `undefined` if an end is missing or wrong
 */
export function readSpan(input: SpanInput, violations: FieldViolation[]): Span | undefined {
  const ofZone = zoneViolations(input);
  violations.push(...ofZone);
  if (ofZone.length > 0) return undefined;
  const start = instant('start_datetime', input, violations);
  const end = instant('end_datetime', input, violations);
  if (start === undefined || end === undefined) return undefined;
  if (end > start) return { start, end };
  violations.push(violation('end_datetime', 'Must be after start_datetime.', 'minimum'));
  return undefined;
}

/** Violations of a time zone, which becomes part of a header. */
export function zoneViolations({ timezone }: SpanInput): FieldViolation[] {
  if (timezone === undefined || ZONE.test(timezone)) return [];
  return [violation('timezone', 'Must be the name of a zone, such as Europe/Berlin.', 'format')];
}

/** An end as Graph takes it. @param time Unix milliseconds */
export function instantText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** Headers with the zone that the times of the answer are in. Graph answers in UTC without it. */
export function zoneHeaders({ timezone }: SpanInput): Readonly<Record<string, string>> {
  return timezone === undefined ? {} : { Prefer: `outlook.timezone="${timezone}"` };
}

function instant(
  field: 'start_datetime' | 'end_datetime',
  input: SpanInput,
  violations: FieldViolation[],
): number | undefined {
  const text = input[field];
  if (text === undefined) return undefined;
  const read = readTime(text, input.timezone, true);
  if (read === undefined) {
    const description =
      'Must be a date, or a time such as 2026-12-01T09:00:00 (local, of timezone) or 2026-12-01T09:00:00+01:00.';
    violations.push(violation(field, description, 'format'));
    return undefined;
  }
  const time = instantOf(read.time);
  if (time === undefined) {
    const description = `Must be an IANA name such as Europe/Berlin where ${field} has no offset.`;
    violations.push(violation('timezone', description, 'zone'));
    return undefined;
  }
  const isLastDay = field === 'end_datetime' && text.length === 10;
  if (!isLastDay) return time;
  const next = new Date(Date.parse(text) + DAY_MS).toISOString().slice(0, 10);
  return instantOf({ dateTime: `${next}T00:00:00`, timeZone: read.time.timeZone }) ?? time;
}
