/**
 * Converts values as requests write them into stored values: the forms of each attribute type, required
 * attributes, and unique ones.
 */
import { z, type ZodType } from 'zod';
import {
  timestamp,
  type Actor,
  type Attribute,
  type AttributeType,
  type StoredValue,
  type Target,
  type Values,
} from './model.ts';
import { CrmRefusal, invalid, valueNotFound } from './refusal.ts';
import { readLocation, readPhone } from './value-shapes.ts';
import { mainText, PROPERTIES } from './value-text.ts';
import type { Workspace } from './workspace.ts';

type Json = Record<string, unknown>;

/** One way to write a value; its result is stored. */
type Reader = (item: unknown, attribute: Attribute, place: { workspace: Workspace; target: Target }) => Json;

const plainValue = <Value>(value: ZodType<Value>): Reader => {
  const shape = z.strictObject({ value });
  return (item, attribute) => check(shape, item, attribute) as Json;
};

const domainShape = z.strictObject({ domain: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i) });
const emailShape = z.strictObject({ email_address: z.email() });
const currencyShape = z.strictObject({ currency_value: z.number() });
const nameShape = z.strictObject({
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  full_name: z.string().optional(),
});
const statusShape = z.strictObject({ status: z.string().min(1) });
const optionShape = z.strictObject({ option: z.string().min(1) });
const referenceShape = z.strictObject({ target_object: z.string(), target_record_id: z.string() });
const actorShape = z.union([
  z.strictObject({ referenced_actor_type: z.literal('workspace-member'), referenced_actor_id: z.string() }),
  z.strictObject({ workspace_member_email_address: z.string() }),
]);
const timeShape = z.strictObject({
  value: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}/)
    .refine((text) => !Number.isNaN(Date.parse(text)), 'is no time'),
});

/** By attribute type. A type without a reader cannot be written. */
const READERS: Partial<Record<AttributeType, Reader>> = {
  text: plainValue(z.string()),
  number: plainValue(z.number()),
  checkbox: plainValue(z.boolean()),
  rating: plainValue(z.int().min(0).max(5)),
  date: (item, attribute) => ({ value: check(timeShape, item, attribute).value.slice(0, 10) }),
  timestamp: (item, attribute) => ({
    value: timestamp(Date.parse(check(timeShape, item, attribute).value)),
  }),
  currency: (item, attribute) => ({
    ...check(currencyShape, item, attribute),
    currency_code: attribute.config.currency.default_currency_code,
  }),
  domain: (item, attribute) => {
    const domain = check(domainShape, item, attribute).domain.toLowerCase();
    return { domain, root_domain: rootDomain(domain) };
  },
  'email-address': (item, attribute) => {
    const original = check(emailShape, item, attribute).email_address;
    const email = original.toLowerCase();
    const [local = '', domain = ''] = email.split('@');
    return {
      original_email_address: original,
      email_address: email,
      email_domain: domain,
      email_root_domain: rootDomain(domain),
      email_local_specifier: local,
    };
  },
  'phone-number': readPhone,
  location: readLocation,
  'personal-name': (item, attribute) => {
    const { first_name, last_name, full_name } = check(nameShape, item, attribute);
    const full = full_name ?? [first_name, last_name].filter((part) => part !== undefined).join(' ');
    if (full === '') throw invalid(`${attribute.api_slug}: give first_name, last_name or full_name.`);
    const [first = '', ...rest] = full.split(' ');
    return { first_name: first_name ?? first, last_name: last_name ?? rest.join(' '), full_name: full };
  },
  status: (item, attribute, { target }) => {
    const { status } = check(statusShape, item, attribute);
    const found = target.statuses
      .get(attribute.id.attribute_id)
      ?.find(({ title, id }) => title === status || id.status_id === status);
    if (found === undefined) throw valueNotFound(`${attribute.api_slug}: there is no status "${status}".`);
    return { status: found };
  },
  select: (item, attribute, { target }) => {
    const { option } = check(optionShape, item, attribute);
    const found = target.options
      .get(attribute.id.attribute_id)
      ?.find(({ title, id }) => title === option || id.option_id === option);
    if (found === undefined) throw valueNotFound(`${attribute.api_slug}: there is no option "${option}".`);
    return { option: found };
  },
  'record-reference': (item, attribute, { workspace }) => {
    const { target_object, target_record_id } = check(referenceShape, item, attribute);
    const object = workspace.objects.find(({ slug, id }) => slug === target_object || id === target_object);
    if (object === undefined || workspace.records.get(target_record_id)?.id.object_id !== object.id)
      throw valueNotFound(
        `${attribute.api_slug}: there is no record "${target_record_id}" of "${target_object}".`,
      );
    const allowed = attribute.config.record_reference.allowed_object_ids;
    if (allowed !== null && !allowed.includes(object.id))
      throw invalid(`${attribute.api_slug}: records of "${target_object}" cannot be referenced here.`);
    return { target_object: object.slug, target_record_id };
  },
  'actor-reference': (item, attribute, { workspace }) => {
    const actor = check(actorShape, item, attribute);
    const wanted =
      'referenced_actor_id' in actor ? actor.referenced_actor_id : actor.workspace_member_email_address;
    const member = workspace.members.find(
      ({ id, email_address }) => id.workspace_member_id === wanted || email_address === wanted,
    );
    if (member === undefined)
      throw valueNotFound(`${attribute.api_slug}: there is no workspace member "${wanted}".`);
    return { referenced_actor_type: 'workspace-member', referenced_actor_id: member.id.workspace_member_id };
  },
};

/** The writer and the time. */
export interface Writer {
  workspace: Workspace;
  actor: Actor;
  /** Time in the form of answers. */
  at: string;
}

/**
 * The values of a new record or entry.
 *
 * @param input by attribute slug or id, each an array of objects
 * @param others values of existing records or entries, for unique attributes
 * @throws CrmRefusal validation_type, value_not_found, missing_value, uniqueness_conflict
 */
export function readValues(target: Target, input: Json, writer: Writer, others: readonly Values[]): Values {
  const values: Values = {};
  for (const [key, written] of Object.entries(input)) {
    const attribute = namedAttribute(target, key);
    values[attribute.api_slug] = readAttribute(attribute, written, target, writer);
  }
  for (const attribute of target.attributes) {
    const { api_slug, type, default_value, is_required } = attribute;
    if ((values[api_slug] ?? []).length > 0) continue;
    if (api_slug === 'created_at') values[api_slug] = [stored({ value: writer.at }, type, writer)];
    else if (api_slug === 'created_by') values[api_slug] = [stored(actorValue(writer.actor), type, writer)];
    else if (default_value !== null)
      values[api_slug] = default_value.template.map((value) => stored(value, type, writer));
    else if (is_required) throw missingValue(api_slug);
  }
  refuseConflicts(target, values, others);
  return values;
}

/**
 * The values of a record or entry after a change. Values that end are kept as history.
 *
 * @param mode what happens to the values of an attribute that holds several; by attribute slug for exceptions
 * @param others values of the other records or entries, for unique attributes
 * @throws CrmRefusal validation_type, value_not_found, missing_value, uniqueness_conflict
 */
export function changedValues(
  target: Target,
  before: Values,
  input: Json,
  writer: Writer,
  { mode, others }: { mode: (slug: string) => 'add' | 'replace'; others: readonly Values[] },
): Values {
  const written: Values = {};
  for (const [key, value] of Object.entries(input)) {
    const attribute = namedAttribute(target, key);
    written[attribute.api_slug] = readAttribute(attribute, value, target, writer);
  }
  refuseConflicts(target, written, others);
  const changed = Object.entries(written).map(([slug, given]) => {
    const { is_multiselect, is_required } = namedAttribute(target, slug);
    const [current, past] = [true, false].map((isCurrent) =>
      (before[slug] ?? []).filter(({ active_until }) => (active_until === null) === isCurrent),
    ) as [StoredValue[], StoredValue[]];
    const sameAs = (value: StoredValue, among: StoredValue[]): StoredValue | undefined =>
      among.find((one) => mainText(one) === mainText(value));
    const isAdded = is_multiselect && mode(slug) === 'add';
    const after = isAdded
      ? [...given.filter((value) => sameAs(value, current) === undefined), ...current]
      : given.map((value) => sameAs(value, current) ?? value);
    if (after.length === 0 && is_required) throw missingValue(slug);
    const ended = current
      .filter((value) => !after.includes(value))
      .map((value) => ({ ...value, active_until: writer.at }));
    return [slug, [...past, ...ended, ...after]] satisfies [string, StoredValue[]];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

function namedAttribute(target: Target, key: string): Attribute {
  const found = target.attributes.find(({ api_slug, id }) => api_slug === key || id.attribute_id === key);
  if (found === undefined) throw valueNotFound(`There is no attribute with the slug or ID "${key}".`);
  return found;
}

function missingValue(slug: string): CrmRefusal {
  return new CrmRefusal(400, 'missing_value', `The attribute "${slug}" needs a value.`);
}

function readAttribute(
  attribute: Attribute,
  written: unknown,
  target: Target,
  writer: Writer,
): StoredValue[] {
  const { api_slug, type } = attribute;
  const read = READERS[type];
  if (!attribute.is_writable || read === undefined)
    throw invalid(`The attribute "${api_slug}" cannot be written.`);
  if (!Array.isArray(written)) throw invalid(`${api_slug}: an array of values is needed.`);
  if (written.length > 1 && !attribute.is_multiselect) throw invalid(`${api_slug}: takes one value only.`);
  return written.map((item: unknown) =>
    stored(read(asObject(item, type), attribute, { workspace: writer.workspace, target }), type, writer),
  );
}

/** A bare value, which the provider also accepts, is the main member. */
function asObject(item: unknown, type: AttributeType): unknown {
  if (typeof item === 'object') return item;
  return { [type === 'phone-number' ? 'original_phone_number' : PROPERTIES[type][0]]: item };
}

function stored(value: Json, type: AttributeType, { at, actor }: Writer): StoredValue {
  return { active_from: at, active_until: null, created_by_actor: actor, ...value, attribute_type: type };
}

function actorValue({ type, id }: Actor): Json {
  return { referenced_actor_type: type, referenced_actor_id: id };
}

function refuseConflicts(target: Target, values: Values, others: readonly Values[]): void {
  for (const { api_slug, is_unique } of target.attributes) {
    if (!is_unique) continue;
    for (const value of values[api_slug] ?? []) {
      const text = mainText(value);
      const isTaken = others.some((other) => (other[api_slug] ?? []).some((kept) => mainText(kept) === text));
      if (isTaken)
        throw new CrmRefusal(
          400,
          'uniqueness_conflict',
          `The value "${text}" of the attribute "${api_slug}" belongs to another record already.`,
        );
    }
  }
}

/** @throws CrmRefusal validation_type naming the attribute and every wrong member */
function check<Value>(shape: ZodType<Value>, item: unknown, attribute: Attribute): Value {
  const result = shape.safeParse(item);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => [...issue.path, issue.message].join(' '));
  throw invalid(`${attribute.api_slug}: not a value of the type ${attribute.type}: ${problems.join('; ')}`);
}

/** The last two labels, which is enough for invented domains. */
function rootDomain(domain: string): string {
  return domain.split('.').slice(-2).join('.');
}
