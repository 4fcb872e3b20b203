/**
 * The filter of crm_list_meetings: its members and the query made from them. Attio filters meetings by single query
 * parameters; participants and a linked record are alternatives to each other there.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/meetings/list-meetings
 */
import { FORMATS } from '../../catalog/model/formats.ts';
import { nearest } from '../../core/text.ts';
import type { FieldViolation } from '../../core/errors.ts';

type Check = (value: unknown) => string | undefined;

/** For each member, the check of its value. */
const MEMBERS: Readonly<Record<string, Check>> = {
  participants: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isAddress)
      ? undefined
      : 'Must be a list of email addresses.',
  linked_object: (value) => (isText(value) ? undefined : 'Must be the slug of an object, such as people.'),
  linked_record_id: (value) => (isText(value) && FORMATS.uuid.matches(value) ? undefined : 'Must be a UUID.'),
  ends_from: timeProblem,
  starts_before: timeProblem,
  timezone: (value) =>
    isText(value) ? undefined : 'Must be the name of a time zone, such as Europe/Berlin.',
  sort: (value) =>
    value === 'start_asc' || value === 'start_desc' ? undefined : 'Must be start_asc or start_desc.',
};

/** Every wrong member of a filter as the caller gave it. */
export function filterViolations(filter: Readonly<Record<string, unknown>>): FieldViolation[] {
  const violations = Object.entries(filter).flatMap(([name, value]) => memberViolations(name, value));
  const isAlone = (name: string, other: string): boolean =>
    Object.hasOwn(filter, name) && !Object.hasOwn(filter, other);
  for (const [name, other] of [
    ['linked_object', 'linked_record_id'],
    ['linked_record_id', 'linked_object'],
  ] as const)
    if (isAlone(name, other))
      violations.push({
        field: `filter.${other}`,
        description: 'Give linked_object and linked_record_id together or not at all.',
        constraint: 'together',
      });
  return violations;
}

/** Violations for members that are given as parameters too: which value is meant cannot be known. */
export function twiceViolations(
  filter: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, unknown>>,
): FieldViolation[] {
  return Object.keys(members)
    .filter((name) => members[name] !== undefined && Object.hasOwn(filter, name))
    .map((name) => ({
      field: name,
      description: 'Is a member of filter too. Give it once.',
      constraint: 'exclusive',
    }));
}

/** Query parameters of the request for a filter without violations. */
export function meetingQuery(filter: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(filter).map(([name, value]) => [name, [value].flat().join(',')]);
}

function memberViolations(name: string, value: unknown): FieldViolation[] {
  const check = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
  if (check === undefined) {
    const names = Object.keys(MEMBERS);
    const close = name.length > 64 ? undefined : nearest(name, names);
    const hint = close === undefined ? `Members: ${names.join(', ')}.` : `Did you mean ${close}?`;
    return [
      { field: 'filter', description: `Has a member that is not known. ${hint}`, constraint: 'unknown' },
    ];
  }
  const problem = check(value);
  return problem === undefined
    ? []
    : [{ field: `filter.${name}`, description: problem, constraint: 'format' }];
}

function timeProblem(value: unknown): string | undefined {
  return isText(value) && (FORMATS.date.matches(value) || FORMATS['date-time'].matches(value))
    ? undefined
    : 'Must be a time such as 2026-11-20T09:30:00.000Z, or a date.';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAddress(value: unknown): boolean {
  return isText(value) && FORMATS.email.matches(value);
}
