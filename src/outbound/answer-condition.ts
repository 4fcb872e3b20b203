/** Conditions under which the JSON of a successful answer means something other than success. Pure. */
import { isObject, valueAt } from '../core/json.ts';

type Value = string | number | boolean | null;

/**
 * Text: a dotted path at which there is a value that is neither `false` nor empty. Object: the required value, or
 * one of several, by dotted path; all entries have to match.
 */
export type AnswerCondition = string | Readonly<Record<string, Value | readonly Value[]>>;

/** Whether an answer meets one of the conditions. */
export function fits(conditions: AnswerCondition | readonly AnswerCondition[], json: unknown): boolean {
  return [conditions].flat().some((condition) => {
    if (typeof condition === 'string') return isThere(valueAt(json, ...condition.split('.')));
    return Object.entries(condition).every(([path, values]) =>
      [values].flat().some((value) => valueAt(json, ...path.split('.')) === value),
    );
  });
}

function isThere(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}
