/**
 * Finds faults of an `auth` entry that its shape cannot show: credential forms, and the block of its
 * authorization type. Pure.
 */
import { AUTHORIZATION_TYPE_NAMES, blockOf, typeOf } from '../../authorization-types/index.ts';
import { HEADER_NAME } from '../grammar/file-words.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import { addressesIn, rulesOf } from '../../authorization-types/blocks.ts';
import { patternProblem, wholePattern, wholeSource } from '../model/linear-pattern.ts';
import type { Fault } from './fault.ts';
import { badPattern, isPlaceholderHostPattern, placeholdersIn } from './placeholder-check.ts';

type AuthEntry = ConnectorEntry['auth'][number];
type Path = (string | number)[];

/** @param connector the whole file, without faults in its own hosts */
export function authFaults(connector: ConnectorEntry, auth: AuthEntry, path: Path): Fault[] {
  return [
    ...blockFaults(auth, path),
    ...fieldFaults(auth, path),
    ...attachFaults(auth, path),
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
  const { type, fields } = auth;
  const { requiredFields = [], needsField = false, fields: known } = typeOf(auth);
  const faults: Fault[] = [];
  const names = fields.map(({ name }) => name);
  for (const name of requiredFields)
    if (!names.includes(name)) faults.push({ path, message: `${type} needs a field named ${name}` });
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
  { type, attach }: AuthEntry,
  { name, input, choices, pattern, example }: AuthEntry['fields'][number],
  at: Path,
): Fault[] {
  const faults: Fault[] = [];
  if (input === 'multiline' && (attach?.field === name || type !== 'CUSTOM'))
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

function attachFaults(auth: AuthEntry, path: Path): Fault[] {
  const { type, fields, attach } = auth;
  const { needsAttach = false } = typeOf(auth);
  const faults: Fault[] = [];
  if (needsAttach && attach === undefined)
    faults.push({ path, message: `${type} needs attach: where the credential goes` });
  if (!needsAttach && attach !== undefined)
    faults.push({ path: [...path, 'attach'], message: `${type} has a fixed place: remove attach` });
  if (attach?.in === 'header' && !HEADER_NAME.test(attach.name))
    faults.push({ path: [...path, 'attach', 'name'], message: 'must be a header name' });
  if (attach !== undefined && !fields.some(({ name }) => name === attach.field))
    faults.push({
      path: [...path, 'attach', 'field'],
      message: `names ${attach.field}, which is not a field`,
    });
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
