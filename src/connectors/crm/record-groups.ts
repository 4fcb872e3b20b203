/**
 * Groups and sums of records by the type of an attribute. Pure.
 *
 * @see https://docs.attio.com/docs/attribute-types
 */
import { valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import { DecimalSum } from './decimal-sum.ts';

/**
 * Members of a value that make a group, by attribute type: the one that distinguishes groups, then the one that is
 * shown.
 */
const KEYS: Readonly<Partial<Record<string, readonly [key: readonly string[], shown?: readonly string[]]>>> =
  {
    select: [
      ['option', 'id', 'option_id'],
      ['option', 'title'],
    ],
    status: [
      ['status', 'id', 'status_id'],
      ['status', 'title'],
    ],
    'record-reference': [['target_record_id']],
    'actor-reference': [['referenced_actor_id']],
    text: [['value']],
    number: [['value']],
    rating: [['value']],
    checkbox: [['value']],
    domain: [['domain']],
    'email-address': [['email_address']],
    'phone-number': [['phone_number']],
    'personal-name': [['full_name']],
    location: [['country_code']],
    date: [['value']],
    timestamp: [['value']],
    interaction: [['interacted_at']],
  };

/** Parts of a date that make a group. */
export const PERIODS = ['day', 'month', 'quarter', 'year'] as const;
export type Period = (typeof PERIODS)[number];

/** Types whose values have a date. */
export const DATED: ReadonlySet<string> = new Set(['date', 'timestamp', 'interaction']);

/** Types whose values have a sum. */
export const SUMMED: ReadonlySet<string> = new Set(['number', 'currency', 'rating']);

/** Types whose values make groups. */
export const GROUPED: ReadonlySet<string> = new Set(Object.keys(KEYS));

/** The label of a group; null for records without a value. */
type Label = string | number | boolean | null;

/** Key of the group of records without a value, and of all records together. */
const NONE = Symbol('none');

/** Currency of sums whose currency is not known. */
const UNKNOWN_CURRENCY = 'unknown';

/** An attribute as the caller named it. */
export interface NamedAttribute {
  /** Key of its values in a record. */
  slug: string;
  type: string;
}

/** A question about records: their groups, and what is computed. */
export interface Question {
  groupBy: (NamedAttribute & { period: Period }) | undefined;
  sums: readonly NamedAttribute[];
}

/** A sum: by currency for amounts of money. */
type Sum = number | string | Readonly<Record<string, number | string>>;

/** One row of the answer. */
export interface Group {
  /** Absent for all records together, and for those without a value. */
  group?: string | number | boolean;
  count: number;
  sum?: Readonly<Record<string, Sum>>;
  /** By attribute, how many of the records have no amount; absent if all have one. */
  without?: Readonly<Record<string, number>>;
}

/** Counts and sums records. Groups are ordered by size, those of dates by date. */
export class RecordGroups {
  readonly #question: Question;
  readonly #groups = new Map<unknown, GroupTotals>();
  /** Whether a record is in several groups. */
  hasOverlap = false;

  constructor(question: Question) {
    this.#question = question;
    if (question.groupBy === undefined) this.#groups.set(NONE, new GroupTotals(null, question.sums));
  }

  add(record: unknown): void {
    const groups = this.#groupsOf(record);
    if (groups.size > 1) this.hasOverlap = true;
    for (const [key, shown] of groups) {
      const totals = this.#groups.get(key) ?? new GroupTotals(shown, this.#question.sums);
      this.#groups.set(key, totals);
      totals.add(record);
    }
  }

  rows(): readonly Group[] {
    const { groupBy } = this.#question;
    const totals = [...this.#groups.values()];
    if (groupBy === undefined) return totals.map((group) => group.row());
    const isDated = DATED.has(groupBy.type);
    return totals
      .toSorted((a, b) => (isDated ? 0 : b.count - a.count) || compare(a.shown, b.shown))
      .map((group) => ({ ...(group.shown !== null && { group: group.shown }), ...group.row() }));
  }

  /** Keys of the groups of a record, with their labels. */
  #groupsOf(record: unknown): Map<unknown, Label> {
    const { groupBy } = this.#question;
    if (groupBy === undefined) return new Map([[NONE, null]]);
    const [path = [], shown = path] = KEYS[groupBy.type] ?? [];
    const found = valuesOf(record, groupBy.slug).flatMap((value) => {
      const label = labelOf(valueAt(value, ...shown));
      if (label === null) return [];
      const part = DATED.has(groupBy.type) ? periodOf(label, groupBy.period) : label;
      return [[DATED.has(groupBy.type) ? part : (valueAt(value, ...path) ?? label), part] as const];
    });
    return new Map(found.length === 0 ? [[NONE, null]] : found);
  }
}

class GroupTotals {
  readonly shown: Label;
  count = 0;
  readonly #sums: readonly (NamedAttribute & { byCurrency: Map<string, DecimalSum>; missing: number })[];

  constructor(shown: Label, sums: readonly NamedAttribute[]) {
    this.shown = shown;
    this.#sums = sums.map((attribute) => ({ ...attribute, byCurrency: new Map(), missing: 0 }));
  }

  add(record: unknown): void {
    this.count += 1;
    for (const sum of this.#sums) {
      const added = valuesOf(record, sum.slug).filter((value) => {
        const isMoney = sum.type === 'currency';
        const currency = isMoney ? currencyOf(value) : '';
        const total = sum.byCurrency.get(currency) ?? new DecimalSum();
        const isAdded = total.add(valueAt(value, isMoney ? 'currency_value' : 'value'));
        if (isAdded) sum.byCurrency.set(currency, total);
        return isAdded;
      });
      if (added.length === 0) sum.missing += 1;
    }
  }

  row(): Group {
    const sums = this.#sums.map(({ slug, type, byCurrency }) => {
      const values = [...byCurrency].map(([currency, sum]) => [currency, sum.value()] as const);
      return [slug, type === 'currency' ? Object.fromEntries(values) : (values[0]?.[1] ?? 0)] as const;
    });
    const without = this.#sums
      .filter(({ missing }) => missing > 0)
      .map(({ slug, missing }): [string, number] => [slug, missing]);
    return {
      count: this.count,
      ...(sums.length > 0 && { sum: Object.fromEntries(sums) }),
      ...(without.length > 0 && { without: Object.fromEntries(without) }),
    };
  }
}

function valuesOf(record: unknown, slug: string): readonly unknown[] {
  const values = valueAt(record, 'values', slug);
  return Array.isArray(values) ? values : [];
}

function labelOf(value: unknown): Label {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function currencyOf(value: unknown): string {
  const code = textAt(value, 'currency_code') ?? '';
  return /^[A-Z]{3}$/.test(code) ? code : UNKNOWN_CURRENCY;
}

/** `2026-11-24`, `2026-11`, `2026-Q4` or `2026` of a date, or of a time in UTC; the value itself if it is neither. */
function periodOf(value: Label, period: Period): Label {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)/.exec(String(value)) ?? [];
  if (year === '') return value;
  const quarter = Math.ceil(Number(month) / 3);
  return { day: `${year}-${month}-${day}`, month: `${year}-${month}`, quarter: `${year}-Q${quarter}`, year }[
    period
  ];
}

/** Compares labels. Groups without a value come last. */
function compare(a: Label, b: Label): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}
