/** The text formats that a parameter may declare. Checks shape and calendar, nothing that needs a network. */
import type { Parameter } from './types.ts';

export type Format = NonNullable<Parameter['format']>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const EMAIL = /^[^\s@"<>(),;:\\]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+$/;
const URI = /^[a-z][a-z0-9+.-]*:[!-~]+$/i;

/** Description of valid values, as the end of "must be …". */
export const FORMATS: Readonly<Record<Format, { expected: string; matches: (text: string) => boolean }>> = {
  uuid: { expected: 'a UUID', matches: (text) => UUID.test(text) },
  date: { expected: 'a date such as 2026-11-20', matches: isDate },
  'date-time': {
    expected: 'a time with its zone, such as 2026-11-20T09:30:00.000Z',
    matches: (text) => text[10] === 'T' && isDate(text.slice(0, 10)) && TIME.test(text.slice(11)),
  },
  uri: {
    expected: 'a full address such as https://example.com/page',
    matches: (text) => URI.test(text) && URL.canParse(text),
  },
  email: { expected: 'an email address', matches: (text) => EMAIL.test(text) },
};

/**
 * A day that exists (RFC 3339 full-date): a day past the end of its month would be parsed as one of the next
 * month.
 */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() + 1 === Number(month);
}
