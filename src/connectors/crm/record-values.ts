/**
 * Values of records and list entries as language models write them: `"name": "Ada"` instead of `"name":
 * [{"full_name": "Ada"}]`.
 *
 * Only for lenient calls, and only after Attio has refused the given values: then the attributes are read, every
 * value is brought into the form of its attribute's type, and every wrong one is named.
 *
 * @see https://docs.attio.com/docs/attribute-types
 */
import { coerced } from '../../catalog/call/coercion.ts';
import { FORMATS } from '../../catalog/model/formats.ts';
import type { HandlerCall, JsonObject, ProviderRequest } from '../../catalog/model/types.ts';
import { invalidArgument, ServiceError, violation, type FieldViolation } from '../../core/errors.ts';
import { membersOf, valueAt } from '../../core/json.ts';
import { shownKey } from '../../core/safe-json.ts';
import { nearest } from '../../core/text.ts';
import { textAt } from '../answer-value.ts';
import { get, refusalCode, refusalStatus, type ProviderHttp } from '../provider-call.ts';
import { itemsOf } from './attio-list.ts';
import { withTitles } from './record-choices.ts';

/** The member that holds a plain value, by attribute type. Types that are missing here have no plain form. */
const MEMBERS: Readonly<Partial<Record<string, string>>> = {
  text: 'value',
  number: 'value',
  checkbox: 'value',
  rating: 'value',
  date: 'value',
  timestamp: 'value',
  currency: 'currency_value',
  domain: 'domain',
  'email-address': 'email_address',
  'phone-number': 'original_phone_number',
  'personal-name': 'full_name',
  status: 'status',
  select: 'option',
  'actor-reference': 'referenced_actor_id',
  'record-reference': 'target_record_id',
};

/** JSON types of plain values other than text. */
const TYPES: Readonly<Partial<Record<string, 'number' | 'boolean'>>> = {
  number: 'number',
  currency: 'number',
  rating: 'number',
  checkbox: 'boolean',
};

/** Attio's codes for invalid values. A conflict with another record is not one of them. */
const INPUT_CODES: ReadonlySet<string> = new Set(['validation_type', 'value_not_found', 'missing_value']);

/** Names of attributes that may stand in a sentence of ours: a model cannot read them as instructions. */
const PLAIN_SLUG = /^[\w-]{1,64}$/;

/** The values of a write. */
export interface ValuesWrite {
  /** The parameter that holds them, for violations. */
  parameter: string;
  /** Whether the record or entry exists before. A new one needs every required attribute. */
  subject: 'new' | 'existing' | 'new or existing';
  /** The values as the caller wrote them. */
  values: JsonObject;
  /** Path of the object or list, whose `/attributes` describes them. */
  target: string;
  request: (values: JsonObject) => ProviderRequest;
}

interface Attribute {
  type: string;
  isMultiselect: boolean;
}

/**
 * Sends the write. If Attio refuses its input and the call is lenient, it is sent once more with corrected values;
 * a refused write has changed nothing. If the attributes cannot be read, Attio's refusal of the write is the
 * answer.
 *
 * @throws ServiceError INVALID_ARGUMENT naming every wrong attribute; Attio's own refusal if nothing can be said
 *   about it
 */
export async function writeValues(
  { http, onCoerced }: Pick<HandlerCall<unknown>, 'http' | 'onCoerced'>,
  { parameter, subject, values, target, request }: ValuesWrite,
): Promise<unknown> {
  try {
    return await http.send(request(values));
  } catch (error) {
    const code = refusalCode(error) ?? '';
    const isMendable = refusalStatus(error) === 400 && INPUT_CODES.has(code);
    if (onCoerced === undefined || !isMendable) throw error;
    const known = await readTarget(http, target, values);
    if (known === undefined) throw error;
    const { attributes, me } = known;
    const violations: FieldViolation[] = [];
    const mended = Object.entries(values).map(([name, written]) => {
      const attribute = attributeNamed(attributes, name);
      const field = `${parameter}.${shownKey(name)}`;
      // Attio empties an attribute by an empty list.
      if (written === null && subject === 'existing') return [name, []] as const;
      if (attribute !== undefined)
        return [name, mendedValue(attribute, written, me, field, violations)] as const;
      violations.push(violation(field, unknownAttribute(attributes, name), 'unknown'));
      return [name, written] as const;
    });
    // Attio refuses a new record that lacks one; an existing record has them already.
    const isNew = subject === 'new' || (subject === 'new or existing' && code === 'missing_value');
    if (isNew) violations.push(...missing(attributes, values, parameter));
    if (violations.length > 0) throw invalidArgument(violations);
    const whole = await withChoices(http, target, attributes, Object.fromEntries(mended), parameter);
    if (JSON.stringify(whole) === JSON.stringify(values)) throw error;
    onCoerced(parameter);
    return http.send(request(whole));
  }
}

/** The values with statuses and options as Attio calls them. @throws ServiceError INVALID_ARGUMENT */
async function withChoices(
  http: ProviderHttp,
  target: string,
  attributes: readonly unknown[],
  values: JsonObject,
  parameter: string,
): Promise<JsonObject> {
  const violations: FieldViolation[] = [];
  const named: JsonObject = { ...values };
  for (const [name, items] of Object.entries(values)) {
    const type = attributeNamed(attributes, name)?.type ?? '';
    const field = `${parameter}.${shownKey(name)}`;
    const found = await withTitles(http, { target, name, type, field }, items);
    violations.push(...found.violations);
    named[name] = found.items;
  }
  if (violations.length > 0) throw invalidArgument(violations);
  return named;
}

/** The attributes, and who `me` is if the values name it; `undefined` if a read fails. */
async function readTarget(
  http: HandlerCall<unknown>['http'],
  target: string,
  values: JsonObject,
): Promise<{ attributes: readonly unknown[]; me: string | undefined } | undefined> {
  try {
    const attributes = itemsOf(await http.send(get(`${target}/attributes`)));
    const me = JSON.stringify(values).includes('"me"') ? await http.ownMember?.() : undefined;
    return { attributes, me };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function attributeNamed(attributes: readonly unknown[], name: string): Attribute | undefined {
  const found = attributes.find(
    (attribute) => textAt(attribute, 'api_slug') === name || textAt(attribute, 'id', 'attribute_id') === name,
  );
  if (found === undefined) return undefined;
  return {
    type: textAt(found, 'type') ?? '',
    isMultiselect: valueAt(found, 'is_multiselect') === true,
  };
}

function unknownAttribute(attributes: readonly unknown[], name: string): string {
  const slugs = attributes
    .flatMap((attribute) => textAt(attribute, 'api_slug') ?? [])
    .filter((slug) => PLAIN_SLUG.test(slug));
  const close = name.length > 64 ? undefined : nearest(name, slugs);
  return `There is no such attribute. ${close === undefined ? 'crm_list_attributes lists them.' : `Did you mean ${close}?`}`;
}

function missing(attributes: readonly unknown[], values: JsonObject, parameter: string): FieldViolation[] {
  return attributes.flatMap((attribute) => {
    const slug = textAt(attribute, 'api_slug') ?? '';
    const id = textAt(attribute, 'id', 'attribute_id') ?? '';
    const isNeeded =
      valueAt(attribute, 'is_required') === true &&
      valueAt(attribute, 'is_writable') !== false &&
      (valueAt(attribute, 'default_value') ?? null) === null;
    const isGiven = Object.hasOwn(values, slug) || Object.hasOwn(values, id);
    if (!isNeeded || isGiven) return [];
    return PLAIN_SLUG.test(slug)
      ? [violation(`${parameter}.${slug}`, 'Is required.', 'required')]
      : [
          violation(
            parameter,
            'A required attribute is missing; crm_list_attributes lists them.',
            'required',
          ),
        ];
  });
}

/** The value as a list of objects; the value itself if it has that form or a violation. */
function mendedValue(
  { type, isMultiselect }: Attribute,
  written: unknown,
  me: string | undefined,
  field: string,
  violations: FieldViolation[],
): unknown {
  const member = MEMBERS[type];
  if (member === undefined || written === null) return written;
  const items = [written].flat();
  if (items.length > 1 && !isMultiselect) {
    violations.push(violation(field, 'Takes one value only.', 'max_items'));
    return written;
  }
  return items.map((item) => {
    const mended = typeof item === 'object' ? withMe(item, me) : plainItem(type, member, item, me);
    const isForm = typeof mended === 'object' && mended !== null && hasForm(type, member, mended);
    if (!isForm) violations.push(violation(field, `Must be written as ${formOf(type, member)}.`, 'type'));
    return mended;
  });
}

/** @returns the object, or `undefined` if the value has another type than the attribute */
function plainItem(type: string, member: string, item: unknown, me: string | undefined): unknown {
  const wanted = TYPES[type] ?? 'string';
  const value = wanted === 'string' ? item : coerced({ type: wanted }, item);
  if (typeof value !== wanted) return undefined;
  const text = String(value);
  if (type === 'actor-reference') {
    if (FORMATS.email.matches(text)) return { workspace_member_email_address: text };
    const id = text === 'me' ? me : text;
    return id === undefined
      ? undefined
      : { referenced_actor_type: 'workspace-member', referenced_actor_id: id };
  }
  if (type === 'personal-name') {
    const [first = '', ...rest] = text.trim().split(/\s+/);
    return { first_name: first, last_name: rest.join(' '), full_name: text.trim() };
  }
  // The object of a referenced record cannot be known from its id.
  return type === 'record-reference' ? undefined : { [member]: value };
}

function withMe(item: unknown, me: string | undefined): unknown {
  const isMe = me !== undefined && textAt(item, 'referenced_actor_id') === 'me';
  return isMe ? { ...membersOf(item), referenced_actor_id: me } : item;
}

/**
 * Whether an object has the member of its type. Attio checks its value. A record may be named by any unique
 * attribute instead of its id.
 */
function hasForm(type: string, member: string, item: object): boolean {
  if (type === 'record-reference') return true;
  const others: Readonly<Partial<Record<string, readonly string[]>>> = {
    'actor-reference': ['workspace_member_email_address'],
    'personal-name': ['first_name', 'last_name'],
  };
  return [member, ...(others[type] ?? [])].some((name) => Object.hasOwn(item, name));
}

function formOf(type: string, member: string): string {
  if (type === 'actor-reference')
    return '[{"referenced_actor_type": "workspace-member", "referenced_actor_id": "…"}]';
  if (type === 'record-reference') return '[{"target_object": "…", "target_record_id": "…"}]';
  const wanted = TYPES[type];
  const value = wanted === undefined ? '"…"' : wanted === 'number' ? '1000' : 'true';
  return `[{"${member}": ${value}}]`;
}
