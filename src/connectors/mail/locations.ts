/**
 * Places of an event, given as JSON text. For a wrong member Graph returns an error about its own parser;
 * here each one is named. Pure.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/resources/location
 */
import { isList } from '../../core/json.ts';
import { shownKey, unsafeValues } from '../../core/safe-json.ts';
import type { FieldViolation } from '../../core/errors.ts';

/** Allowed values of a member: text, one of these words, a number, or an object with members of its own. */
type Shape = 'text' | 'number' | readonly string[] | { readonly [member: string]: Shape };

const LOCATION: Shape = {
  displayName: 'text',
  address: { street: 'text', city: 'text', state: 'text', countryOrRegion: 'text', postalCode: 'text' },
  coordinates: {
    latitude: 'number',
    longitude: 'number',
    altitude: 'number',
    accuracy: 'number',
    altitudeAccuracy: 'number',
  },
  locationEmailAddress: 'text',
  locationUri: 'text',
  locationType: [
    'default',
    'conferenceRoom',
    'homeAddress',
    'businessAddress',
    'geoCoordinates',
    'streetAddress',
    'hotel',
    'restaurant',
    'localBusiness',
    'postalAddress',
  ],
  uniqueId: 'text',
  uniqueIdType: ['unknown', 'locationStore', 'directory', 'private', 'bing'],
};

const EXPECTED = 'Must be a JSON list of places, such as [{"displayName": "Room 1"}].';

/**
 * @param violations collects the problems
 * @returns `undefined` if not given, or wrong
 */
export function locations(
  text: string | undefined,
  violations: FieldViolation[],
): readonly unknown[] | undefined {
  if (text === undefined) return undefined;
  const list = parsed(text);
  const found = isList(list)
    ? list.flatMap((place, i) => shapeViolations(place, LOCATION, `locations[${i}]`))
    : [{ field: 'locations', description: EXPECTED, constraint: 'json' }];
  const unsafe = unsafeValues(list, 'locations').slice(0, 1);
  violations.push(...(unsafe.length > 0 ? unsafe : found.slice(0, MAX_SHOWN)));
  return unsafe.length + found.length > 0 || !isList(list) ? undefined : list;
}

/** Most that are listed. Nobody corrects more at once. */
const MAX_SHOWN = 20;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shapeViolations(value: unknown, shape: Shape, field: string): FieldViolation[] {
  const wrong = (description: string, constraint = 'type'): FieldViolation[] => [
    { field, description, constraint },
  ];
  if (shape === 'text') return typeof value === 'string' ? [] : wrong('Must be text.');
  if (shape === 'number') return typeof value === 'number' ? [] : wrong('Must be a number.');
  if (isWords(shape))
    return shape.includes(String(value)) && typeof value === 'string'
      ? []
      : wrong(`Must be one of: ${shape.join(', ')}.`, 'enum');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('Must be an object.');
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const place = `${field}.${shownKey(key)}`;
    if (inner !== undefined) return shapeViolations(member, inner, place);
    const description = `There is no such member. Members: ${Object.keys(shape).join(', ')}.`;
    return [{ field: place, description, constraint: 'unknown' }];
  });
}

function isWords(shape: Exclude<Shape, string>): shape is readonly string[] {
  return Array.isArray(shape);
}
