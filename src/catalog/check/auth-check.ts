/**
 * Finds faults of an `auth` entry that its shape cannot show: credential forms, and the block of its
 * authorization type. Pure.
 */
import { AUTHORIZATION_TYPE_NAMES, blockOf, typeOf } from '../../authorization-types/index.ts';
import { HEADER_NAME } from '../grammar/file-words.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import { placeName, placesOf } from '../model/credential-places.ts';
import { addressesIn, rulesOf } from '../../authorization-types/blocks.ts';
import { patternProblem, wholePattern, wholeSource } from '../model/linear-pattern.ts';
import type { Fault } from './fault.ts';
import { addressProblem } from './request-check.ts';
import { badPattern, isPlaceholderHostPattern, placeholdersIn } from './placeholder-check.ts';

type AuthEntry = ConnectorEntry['auth'][number];
type PlaceEntry = Exclude<NonNullable<AuthEntry['attach']>, unknown[]>;
type Path = (string | number)[];

/** @param connector the whole file, without faults in its own hosts */
export function authFaults(connector: ConnectorEntry, auth: AuthEntry, path: Path): Fault[] {
  return [
    ...blockFaults(auth, path),
    ...fieldFaults(auth, path),
    ...attachFaults(auth, path),
    ...halfFaults(auth, path),
    ...ownFaults(auth, path),
    ...addressFaults(connector, auth, path),
  ];
}

function blockFaults(auth: AuthEntry, path: Path): Fault[] {
  const wanted = blockOf(auth.type);
  const faults: Fault[] = [];
  const isOptional = typeOf(auth).isBlockOptional ?? false;
  if (wanted !== undefined && auth[wanted] === undefined && !isOptional)
    faults.push({ path, message: `${auth.type} needs ${wanted}: ${typeOf(auth).purpose}` });
  for (const type of AUTHORIZATION_TYPE_NAMES) {
    const block = blockOf(type);
    if (block === undefined || block === wanted || auth[block] === undefined) continue;
    faults.push({ path: [...path, block], message: `is for ${type} only: remove it from ${auth.type}` });
  }
  return faults;
}

function fieldFaults(auth: AuthEntry, path: Path): Fault[] {
  const { type, fields, fixed = {} } = auth;
  const { requiredFields = [], needsField = false, fields: known } = typeOf(auth);
  const faults: Fault[] = [];
  const names = fields.map(({ name }) => name);
  for (const name of requiredFields)
    if (!names.includes(name) && !Object.hasOwn(fixed, name))
      faults.push({ path, message: `${type} needs a field named ${name}` });
  if (needsField && names.length === 0) faults.push({ path, message: `${type} needs at least one field` });
  if (known?.length === 0 && names.length > 0)
    faults.push({ path: [...path, 'fields'], message: `${type} has no fields` });
  for (const [i, name] of names.entries()) {
    const at = [...path, 'fields', i];
    if (names.indexOf(name) !== i) faults.push({ path: at, message: `${name} is declared twice` });
    else if (known !== undefined && known.length > 0 && !known.includes(name))
      faults.push({ path: at, message: `${type} has the fields ${known.join(' and ')} only` });
  }
  for (const [i, field] of fields.entries()) faults.push(...valueFaults(auth, field, [...path, 'fields', i]));
  return faults;
}

/** Faults of what a field says about its values. */
function valueFaults(
  auth: AuthEntry,
  { name, input, choices, pattern, example }: AuthEntry['fields'][number],
  at: Path,
): Fault[] {
  const faults: Fault[] = [];
  const isSent = placesOf(auth).some(({ field }) => field === name);
  if (input === 'multiline' && (isSent || auth.type !== 'CUSTOM'))
    faults.push({
      path: [...at, 'input'],
      message: 'several lines cannot be sent as a credential: multiline is for further fields of CUSTOM',
    });
  if (choices !== undefined && input !== 'text')
    faults.push({ path: [...at, 'choices'], message: 'are for input text' });
  if (choices !== undefined && (pattern !== undefined || example !== undefined))
    faults.push({ path: [...at, 'choices'], message: 'are all values: remove pattern and example' });
  if (choices !== undefined && new Set(choices).size < choices.length)
    faults.push({ path: [...at, 'choices'], message: 'must not have a value twice' });
  if (pattern === undefined) return faults;
  const problem = patternProblem(wholeSource(pattern));
  if (problem !== undefined) faults.push({ path: [...at, 'pattern'], message: problem });
  else if (example === undefined)
    faults.push({ path: [...at, 'pattern'], message: 'needs an example that people are shown' });
  else if (!wholePattern(pattern).test(example))
    faults.push({ path: [...at, 'example'], message: 'does not match the pattern' });
  return faults;
}

/** Headers that a tool must not set, but that may carry a credential. */
const CREDENTIAL_HEADERS: readonly string[] = ['authorization', 'cookie'];

function attachFaults(auth: AuthEntry, path: Path): Fault[] {
  const { type } = auth;
  const { attach: by } = typeOf(auth);
  const places = placesOf(auth);
  const at = [...path, 'attach'];
  const faults: Fault[] = [];
  if (by === 'fields' && places.length === 0)
    faults.push({ path, message: `${type} needs attach: where the credential goes` });
  if (by === undefined && places.length > 0)
    faults.push({ path: at, message: `${type} has a fixed place: remove attach` });
  const names = places.map(placeName);
  for (const [i, place] of places.entries()) {
    const here = Array.isArray(auth.attach) ? [...at, i] : at;
    faults.push(...placeFaults(auth, place, here));
    if (names.indexOf(placeName(place)) !== i)
      faults.push({ path: [...here, 'name'], message: `${place.name} carries another value already` });
  }
  if (places.length > 0 && places.every(({ secret }) => secret === false))
    faults.push({ path: at, message: 'carries no secret: remove secret from the place that does' });
  return faults;
}

function placeFaults(auth: AuthEntry, { in: where, name, field }: PlaceEntry, path: Path): Fault[] {
  const faults: Fault[] = [];
  if (where === 'header' && !HEADER_NAME.test(name))
    faults.push({ path: [...path, 'name'], message: 'must be a header name' });
  else if (
    !CREDENTIAL_HEADERS.includes(name.toLowerCase()) &&
    addressProblem(`${where}.${name}`) !== undefined
  )
    faults.push({ path: [...path, 'name'], message: `${name} is set by Gatehouse` });
  if (typeOf(auth).attach === 'token') {
    if (field !== undefined)
      faults.push({
        path: [...path, 'field'],
        message: `has no effect: ${auth.type} sends its access token. Remove it`,
      });
  } else if (field === undefined) faults.push({ path: [...path, 'field'], message: 'is required' });
  else if (!auth.fields.some((declared) => declared.name === field))
    faults.push({ path: [...path, 'field'], message: `names ${field}, which is not a field` });
  return faults;
}

/** Faults of the half of user name and password that is the same for every account. */
function halfFaults({ type, fields, fixed }: AuthEntry, path: Path): Fault[] {
  if (fixed === undefined) return [];
  const at = [...path, 'fixed'];
  if (typeOf({ type }).mayFixHalf !== true)
    return [{ path: at, message: `is for BASIC_AUTH and BASIC: remove it from ${type}` }];
  const names = Object.keys(fixed);
  const faults = names
    .filter((name) => fields.some((field) => field.name === name))
    .map((name) => ({ path: [...at, name], message: 'is a field too: the form asks for it' }));
  if (names.length !== 1) faults.push({ path: at, message: 'must have either username or password' });
  // The first colon ends the user name (RFC 7617 section 2).
  if (fixed.username?.includes(':') === true)
    faults.push({ path: [...at, 'username'], message: 'must not have a colon' });
  return faults;
}

/** Mistakes in the block that its shape does not exclude. */
function ownFaults(auth: AuthEntry, path: Path): Fault[] {
  const block = blockOf(auth.type);
  const rules = rulesOf(auth);
  if (block === undefined || rules === undefined) return [];
  const faults = typeOf(auth).faults?.(rules, auth.scopes ?? {}) ?? [];
  return faults.map(({ path: below, message }) => ({ path: [...path, block, ...below], message }));
}

/** Faults of the addresses in the block and their placeholders. */
function addressFaults(connector: ConnectorEntry, auth: AuthEntry, path: Path): Fault[] {
  const block = blockOf(auth.type);
  const rules = rulesOf(auth);
  if (block === undefined || rules === undefined) return [];
  const at = [...path, block];
  const ofHosts = new Set(connector.hosts.flatMap(({ placeholders }) => Object.keys(placeholders)));
  const own = rules.placeholders ?? {};
  const addresses = addressesIn(auth);
  const faults: Fault[] = [];
  for (const [key, url] of addresses) {
    for (const name of placeholdersIn([url]))
      if (!ofHosts.has(name) && !Object.hasOwn(own, name))
        faults.push({
          path: [...at, ...key.split('.')],
          message: `has the placeholder {${name}}, which placeholders does not describe`,
        });
    if (!URL.canParse(url.replaceAll(/\{[^{}]*\}/g, 'x')))
      faults.push({
        path: [...at, ...key.split('.')],
        message: 'must be a web address without user name and fragment',
      });
  }
  const used = placeholdersIn(addresses.map(([, url]) => url));
  for (const [name, pattern] of Object.entries(own)) {
    const place = [...at, 'placeholders', name];
    if (!used.has(name)) faults.push({ path: place, message: 'is not in an address' });
    if (ofHosts.has(name)) faults.push({ path: place, message: 'is described by a host already: remove it' });
    if (!isPlaceholderHostPattern(pattern)) faults.push(badPattern(place));
  }
  return faults;
}
