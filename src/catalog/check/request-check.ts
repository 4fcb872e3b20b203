/**
 * Finds faults of a tool's request and of the addresses of its parameters: every value has exactly one place,
 * every place one value. Pure.
 */
import { HEADER_NAME } from '../grammar/file-words.ts';
import { parseDuration } from '../../core/clock.ts';
import { conditionNames, ruleNames } from '../model/constraints.ts';
import { unknownNames, type Fault } from './fault.ts';
import type { ParameterEntry, RequestEntry, ToolEntry } from '../grammar/toolset-schema.ts';
import { credentialPlaces } from '../model/credential-places.ts';
import type { Connector, Constraint } from '../model/types.ts';

/** Maximum total deadline of a provider call, in milliseconds (docs/contract.md#limits-and-lifetimes). */
const MAX_DEADLINE_MS = 55_000;

/** Headers set by the HTTP client or the credential; a tool cannot set them. */
const OWN_HEADERS = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** JSON media types that may replace application/json. */
const JSON_TYPE = /^application\/([\w.-]+\+)?(x-amz-)?json(-1\.[01])?$/;

/** @returns faults with paths below the tool entry */
export function requestFaults(tool: ToolEntry, connector: Connector | undefined): Fault[] {
  const templates = tool.request === undefined ? [] : [tool.request].flat();
  const several = Array.isArray(tool.request);
  return [
    ...templates.flatMap((template, i) => {
      const path = several ? ['request', i] : ['request'];
      return templateFaults(tool, template, path, connector).concat(
        several && i < templates.length - 1 && template.when === undefined
          ? [
              {
                path,
                message: 'applies always, so that the variants after it are never used: give it a when',
              },
            ]
          : [],
      );
    }),
    ...(templates.length > 0 ? addressFaults(tool, templates, connector) : []),
    ...deadlineFaults(tool),
  ];
}

function templateFaults(
  tool: ToolEntry,
  template: RequestEntry,
  path: (string | number)[],
  connector: Connector | undefined,
): Fault[] {
  const faults: Fault[] = [];
  if (template.when !== undefined) {
    faults.push(...unknownNames(conditionNames(template.when), tool, [...path, 'when']));
    if (typeof template.when === 'string' && tool.parameters[template.when]?.default !== undefined)
      faults.push({
        path: [...path, 'when'],
        message: `${template.when} has a default and is therefore always given`,
      });
  }
  if (connector !== undefined && template.host >= connector.hosts.length)
    faults.push({
      path: [...path, 'host'],
      message: `${connector.name} has ${connector.hosts.length} hosts, counted from 0`,
    });
  for (const [to, value] of Object.entries(template.fixed)) {
    const problem = isJsonType(to, value)
      ? undefined
      : (addressProblem(to) ?? credentialProblem(to, connector));
    if (problem !== undefined) faults.push({ path: [...path, 'fixed', to], message: problem });
  }
  faults.push(...accountFaults(template, path, connector));
  if (climbs(template.path))
    faults.push({
      path: [...path, 'path'],
      message: 'must not have "." or ".." as a part, or start with //',
    });
  if (/[{}]/.test(template.path.replaceAll(/\{[A-Za-z][A-Za-z0-9_]*\}/g, '')))
    faults.push({ path: [...path, 'path'], message: 'has a { or } that is no {slot}' });
  return [...faults, ...slotFaults(tool, template, path)];
}

/** Whether a path can lead out of where it begins. */
export function climbs(path: string): boolean {
  return path.split('/').some((part) => part === '.' || part === '..') || path.startsWith('//');
}

/** A body is always JSON; some APIs require another media type for it. */
function isJsonType(to: string, value: unknown): boolean {
  return to.toLowerCase() === 'header.content-type' && typeof value === 'string' && JSON_TYPE.test(value);
}

function accountFaults(
  { from_account: taken, method }: RequestEntry,
  path: (string | number)[],
  connector: Connector | undefined,
): Fault[] {
  if (taken === undefined) return [];
  const at = [...path, 'from_account'];
  const faults: Fault[] = [];
  if (connector !== undefined && !connector.auth.some(({ type }) => type === 'TRUSTED_IDP'))
    faults.push({ path: at, message: `takes what only accounts of type TRUSTED_IDP bring` });
  if (method === 'GET') faults.push({ path: at, message: 'goes to the body of a GET request' });
  for (const to of Object.keys(taken)) {
    const problem = addressProblem(to);
    if (problem !== undefined) faults.push({ path: [...at, to], message: problem });
  }
  return faults;
}

function slotFaults(tool: ToolEntry, template: RequestEntry, path: (string | number)[]): Fault[] {
  return slots(template).flatMap((slot) => {
    const filler = Object.entries(tool.parameters).find(
      ([name, entry]) => (entry.to ?? `path.${name}`) === `path.${slot}`,
    );
    if (filler === undefined)
      return [{ path: [...path, 'path'], message: `has the slot {${slot}}, which no parameter fills` }];
    const [name, entry] = filler;
    const chosen = template.when !== undefined && conditionNames(template.when).includes(name);
    const ruled = tool.constraints.some((rule) => ruleNames(rule as Constraint).includes(name));
    if (entry.required || entry.default !== undefined || chosen || ruled) return [];
    return [
      {
        path: [...path, 'path'],
        message: `has the slot {${slot}}, but ${name} may be absent: make it required`,
      },
    ];
  });
}

/** Finds parameters without a place, and values that share a place. */
function addressFaults(
  tool: ToolEntry,
  templates: readonly RequestEntry[],
  connector: Connector | undefined,
): Fault[] {
  const taken = new Map<string, string>();
  for (const template of templates)
    for (const to of Object.keys({ ...template.fixed, ...template.from_account }))
      taken.set(to, template.from_account?.[to] === undefined ? `fixed ${to}` : `from_account ${to}`);
  const hasBody = templates.every(({ method }) => method !== 'GET');
  return Object.entries(tool.parameters).flatMap(([name, entry]) => {
    const path = ['parameters', name, ...(entry.to === undefined ? [] : ['to'])];
    const at = (message: string): Fault[] => [{ path, message }];
    const inSlot = templates.some((template) => slots(template).includes(name));
    const to = entry.to ?? (inSlot ? `path.${name}` : undefined);
    const faults =
      entry.send_when === undefined
        ? []
        : unknownNames(conditionNames(entry.send_when), tool, ['parameters', name, 'send_when']);
    if (to === undefined) return [...faults, ...at('goes nowhere: give it a to, or to: none')];
    if (to === 'none') return faults;
    const problem =
      addressProblem(to) ??
      credentialProblem(to, connector) ??
      placeProblem(to, entry, templates) ??
      meeting(to, name, tool, taken);
    if (problem !== undefined) faults.push(...at(problem));
    else if (to.startsWith('body.') && !hasBody) faults.push(...at('goes to the body of a GET request'));
    taken.set(to, `parameter ${name}`);
    return faults;
  });
}

/** Why a value cannot go to this address; `undefined` if it can. */
export function addressProblem(to: string): string | undefined {
  const [place, ...keys] = to.split('.');
  if (place === 'body' && keys.some((key) => UNSAFE_KEYS.has(key.replace(/\[\d*\]$/, ''))))
    return 'has a key that is not a plain member';
  if (place !== 'header') return undefined;
  const header = keys.join('.');
  if (!HEADER_NAME.test(header)) return 'is not the name of a header';
  return OWN_HEADERS.has(header.toLowerCase()) ? `sets ${header}, which a tool must not set` : undefined;
}

function credentialProblem(to: string, connector: Connector | undefined): string | undefined {
  const isTaken = connector !== undefined && credentialPlaces(connector.auth).has(to.toLowerCase());
  return isTaken ? `is where ${connector.name} sends the credential` : undefined;
}

function placeProblem(
  to: string,
  entry: ParameterEntry,
  templates: readonly RequestEntry[],
): string | undefined {
  if (to.startsWith('body.')) {
    const isList = entry.type === 'array' || entry.encode === 'split_csv';
    if (!to.includes('[]')) return undefined;
    if (to.split('[]').length > 2) return 'can have [] only once';
    return isList ? undefined : 'makes an entry of each item, and the parameter has no items';
  }
  if (to.startsWith('path.') && !templates.some((template) => slots(template).includes(to.slice(5))))
    return `names the slot {${to.slice(5)}}, which no path has`;
  if (entry.type === 'object' || entry.items?.type === 'object')
    return 'cannot hold an object: only the body can';
  if (entry.type === 'array' && entry.encode !== 'csv' && !to.startsWith('query.'))
    return 'cannot hold a list: add encode: csv';
  return undefined;
}

/** Another value at the same place, or inside one that is not an object. */
function meeting(
  to: string,
  name: string,
  tool: ToolEntry,
  taken: ReadonlyMap<string, string>,
): string | undefined {
  for (const [place, owner] of taken) {
    if (place === to) return `is also where ${owner} goes`;
    const [list, other] = place.includes('[]') ? [place, to] : [to, place];
    const start = list.slice(0, list.indexOf('[]'));
    if (list.includes('[]') && (other === start || other.startsWith(`${start}[`)))
      return `makes a list where ${owner} goes`;
  }
  const outer = Object.entries(tool.parameters).find(
    ([other, entry]) =>
      other !== name &&
      entry.to !== undefined &&
      (to.startsWith(`${entry.to}.`) || (to.startsWith('body.') && to.startsWith(`${entry.to}[`))),
  );
  if (outer === undefined || outer[1].type === 'object' || outer[1].map !== undefined) return undefined;
  return `lies inside ${outer[1].to}, where the parameter ${outer[0]} puts a plain value`;
}

function deadlineFaults(tool: ToolEntry): Fault[] {
  if (tool.deadline === undefined) return [];
  const headers = parseDuration(tool.deadline.headers) ?? 0;
  const total = parseDuration(tool.deadline.total) ?? 0;
  if (total > MAX_DEADLINE_MS) return [{ path: ['deadline', 'total'], message: 'must be at most 55s' }];
  if (headers > total) return [{ path: ['deadline', 'headers'], message: 'must not be longer than total' }];
  return [];
}

function slots(template: RequestEntry): string[] {
  return [...template.path.matchAll(/\{([A-Za-z][A-Za-z0-9_]*)\}/g)].map(([, slot]) => slot ?? '');
}
