/**
 * crm_aggregate_records: counts and sums records in groups. Attio has no such operation, so the records are read page by
 * page, within the bounds of `all_pages`.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/list-records
 * @see https://docs.attio.com/rest-api/endpoint-reference/attributes/list-attributes
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import { invalidArgument, ServiceError, violation, type FieldViolation } from '../../core/errors.ts';
import { shownKey } from '../../core/safe-json.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get, given, post, refusalCode, refusalStatus, type ProviderHttp } from '../provider-call.ts';
import { itemsOf } from './attio-list.ts';
import {
  DATED,
  GROUPED,
  PERIODS,
  RecordGroups,
  SUMMED,
  type Group,
  type NamedAttribute,
  type Question,
} from './record-groups.ts';

type AggregateInput = ToolInputs['crm_aggregate_records'];

/** Maximum records of one call, and Attio's own page size. */
const MAX_RECORDS = 2_000;
const PAGE_SIZE = 500;

/**
 * Failures of a page after which the records read so far still count: Attio's limit, its outage, and a call out of
 * time.
 */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'PROVIDER_TIMEOUT',
  'PROVIDER_UNREACHABLE',
  'PROVIDER_CONNECTION_LOST',
]);

/** Names of attributes that may stand in a sentence of ours: a model cannot read them as instructions. */
const PLAIN_SLUG = /^[\w-]{1,64}$/;

/** The answer of the tool. */
interface Aggregate {
  groups: readonly Partial<Group>[];
  records_read: number;
  /** Whether these are all records that the filter finds. */
  is_all: boolean;
  notice?: string;
}

export const aggregateRecords: ToolHandler<AggregateInput> = {
  check: ({ object }) => pathViolations(object, 'object'),
  call: async ({ input, http }) => {
    const target = `/v2/objects/${pathSegment(input.object, 'object')}`;
    const question = questionOf(input, itemsOf(await http.send(get(`${target}/attributes`))));
    const groups = new RecordGroups(question);
    const { count, end } = await readRecords(http, `${target}/records/query`, input.filter, (record) =>
      groups.add(record),
    );
    const notices = [
      ...(end === 'all' ? [] : [`Only the first ${count} records are counted. ${ENDS[end]}`]),
      ...(groups.hasOverlap ? ['A record with several values is in several groups.'] : []),
    ];
    const answer: Aggregate = {
      groups: groups.rows().map(({ count: size, ...row }) => (input.count ? { ...row, count: size } : row)),
      records_read: count,
      is_all: end === 'all',
      ...(notices.length > 0 && { notice: notices.join(' ') }),
    };
    return answer;
  },
};

const ENDS = {
  limit: 'One call reads no more; a filter makes them fewer.',
  failed: 'The next page failed: call again a little later.',
  limited: 'The calls that a minute allows are used up: call again a little later.',
};

/** Reads every record that the filter finds, up to one more than counts, to know whether these are all. */
async function readRecords(
  http: ProviderHttp,
  path: string,
  filter: AggregateInput['filter'],
  take: (record: unknown) => void,
): Promise<{ count: number; end: 'all' | keyof typeof ENDS }> {
  let count = 0;
  for (;;) {
    const limit = Math.min(PAGE_SIZE, MAX_RECORDS + 1 - count);
    let page: readonly unknown[];
    try {
      if (count > 0) await http.countPage?.();
      page = itemsOf(await http.send(post(path, given({ filter, limit, offset: count }))));
    } catch (error) {
      if (count > 0 && error instanceof ServiceError && error.code === 'RATE_LIMITED')
        return { count, end: 'limited' };
      if (count === 0 || !isPassing(error)) throw error;
      return { count, end: 'failed' };
    }
    const counted = page.slice(0, MAX_RECORDS - count);
    for (const record of counted) take(record);
    count += counted.length;
    if (counted.length < page.length) return { count, end: 'limit' };
    if (page.length < limit) return { count, end: 'all' };
  }
}

function isPassing(error: unknown): boolean {
  const status = refusalStatus(error);
  return status === 429 || (status ?? 0) >= 500 || PASSING_CODES.has(refusalCode(error) ?? '');
}

/** @throws ServiceError INVALID_ARGUMENT naming every wrong attribute, with the existing ones */
function questionOf(
  { group_by: groupBy, sum = [] }: AggregateInput,
  attributes: readonly unknown[],
): Question {
  const violations: FieldViolation[] = [];
  const named = (field: string, name: string, types: ReadonlySet<string>): NamedAttribute[] => {
    const found = attributes.find((one) =>
      [textAt(one, 'api_slug'), textAt(one, 'id', 'attribute_id')].includes(name),
    );
    const attribute = { slug: textAt(found, 'api_slug') ?? '', type: textAt(found, 'type') ?? '' };
    if (found !== undefined && types.has(attribute.type)) return [attribute];
    const fault =
      found === undefined ? `There is no attribute ${shownKey(name)}` : `${shownKey(name)} has another type`;
    violations.push(violation(field, `${fault}. ${choice(attributes, types)}`, 'unknown'));
    return [];
  };
  const sums = [...new Set(sum)].flatMap((name, i) => named(`sum[${i}]`, name, SUMMED));
  const [, name = '', period] = /^(.*?)(?::(\w+))?$/s.exec(groupBy ?? '') ?? [];
  const [attribute] = groupBy === undefined ? [] : named('group_by', name, GROUPED);
  if (attribute !== undefined && period !== undefined && !isPeriodOf(attribute, period))
    violations.push(
      violation('group_by', `After ":" comes one of ${PERIODS.join(', ')}, for dates only.`, 'enum'),
    );
  if (violations.length > 0) throw invalidArgument(violations);
  const part = PERIODS.find((one) => one === period) ?? 'day';
  return { groupBy: attribute && { ...attribute, period: part }, sums };
}

function isPeriodOf({ type }: NamedAttribute, period: string): boolean {
  return DATED.has(type) && PERIODS.some((one) => one === period);
}

function choice(attributes: readonly unknown[], types: ReadonlySet<string>): string {
  const slugs = attributes
    .filter((attribute) => types.has(textAt(attribute, 'type') ?? ''))
    .flatMap((attribute) => textAt(attribute, 'api_slug') ?? [])
    .filter((slug) => PLAIN_SLUG.test(slug));
  return slugs.length === 0 ? 'No attribute fits.' : `There are: ${slugs.join(', ')}.`;
}
