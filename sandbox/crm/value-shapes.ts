/**
 * The two kinds of values with special rules: phone numbers, whose country has to be known, and locations.
 */
import { z } from 'zod';
import type { Attribute } from './model.ts';
import { invalid } from './refusal.ts';

/** Country by the prefix of an international number, for the countries that the stand-in knows. */
const COUNTRIES: Readonly<Record<string, string>> = {
  '+1': 'US',
  '+27': 'ZA',
  '+31': 'NL',
  '+32': 'BE',
  '+33': 'FR',
  '+34': 'ES',
  '+351': 'PT',
  '+353': 'IE',
  '+358': 'FI',
  '+39': 'IT',
  '+41': 'CH',
  '+43': 'AT',
  '+44': 'GB',
  '+45': 'DK',
  '+46': 'SE',
  '+47': 'NO',
  '+48': 'PL',
  '+49': 'DE',
  '+55': 'BR',
  '+61': 'AU',
  '+81': 'JP',
  '+91': 'IN',
  '+234': 'NG',
};

const phone = z.strictObject({
  original_phone_number: z.string().min(3),
  country_code: z.string().length(2).nullable().optional(),
});

const part = z.string().nullable();
const location = z.strictObject({
  line_1: part,
  line_2: part,
  line_3: part,
  line_4: part,
  locality: part,
  region: part,
  postcode: part,
  country_code: z.string().length(2).nullable(),
  latitude: part,
  longitude: part,
});

/**
 * @throws CrmRefusal validation_type, also if the country is neither given nor recognizable from the number
 */
export function readPhone(item: unknown, attribute: Attribute): Record<string, unknown> {
  const result = phone.safeParse(item);
  if (!result.success)
    throw invalid(
      `${attribute.api_slug}: give original_phone_number, and country_code where it is not international.`,
    );
  const { original_phone_number, country_code } = result.data;
  const digits = original_phone_number.replaceAll(/[^+\d]/g, '');
  const prefix = Object.keys(COUNTRIES).find((candidate) => digits.startsWith(candidate));
  const country = country_code ?? COUNTRIES[prefix ?? ''];
  if (country === undefined)
    throw invalid(
      `${attribute.api_slug}: the country of "${original_phone_number}" is not known. Give country_code.`,
    );
  return { original_phone_number, country_code: country, phone_number: digits };
}

/** All ten members are required; unknown ones are null. @throws CrmRefusal validation_type */
export function readLocation(item: unknown, attribute: Attribute): Record<string, unknown> {
  const result = location.safeParse(item);
  if (result.success) return result.data;
  const members = [...new Set(result.error.issues.map((issue) => issue.path.join('.') || issue.message))];
  throw invalid(
    `${attribute.api_slug}: a location needs all its ten members, null where unknown. Wrong: ${members.join(', ')}`,
  );
}
