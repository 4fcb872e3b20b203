/** Reads a stored value as one plain value, for filters, sorting, searching and uniqueness. */
import type { AttributeType, StoredValue } from './model.ts';

/** By attribute type: the main member of the value, and the others that can be requested by name. */
export const PROPERTIES: Readonly<Record<AttributeType, readonly [main: string, ...others: string[]]>> = {
  text: ['value'],
  number: ['value'],
  checkbox: ['value'],
  rating: ['value'],
  date: ['value'],
  timestamp: ['value'],
  currency: ['currency_value', 'currency_code'],
  status: ['status'],
  select: ['option'],
  'record-reference': ['target_record_id', 'target_object'],
  'actor-reference': ['referenced_actor_id', 'referenced_actor_type'],
  location: ['locality', 'line_1', 'line_2', 'line_3', 'line_4', 'region', 'postcode', 'country_code'],
  domain: ['domain', 'root_domain'],
  'email-address': [
    'email_address',
    'original_email_address',
    'email_domain',
    'email_root_domain',
    'email_local_specifier',
  ],
  'phone-number': ['phone_number', 'original_phone_number', 'country_code'],
  interaction: ['interacted_at', 'interaction_type'],
  'personal-name': ['full_name', 'first_name', 'last_name'],
};

/** A value that can be compared. */
export type Plain = string | number | boolean | null;

/** @param property one of PROPERTIES; statuses and options are represented by their title */
export function plainValue(value: StoredValue, property: string): Plain {
  const found = value[property];
  if (typeof found === 'object' && found !== null && 'title' in found) return String(found.title);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? found : null;
}

/** The value as text. */
export function mainText(value: StoredValue): string {
  return String(plainValue(value, PROPERTIES[value.attribute_type][0]) ?? '');
}
