/**
 * Turns the servers of a description into hosts of a connector: variables in a host name become placeholders
 * that an account fills in. Pure.
 */
import type * as z from 'zod';
import { isObject } from '../../core/json.ts';
import type { connectorSchema } from '../grammar/connector-schema.ts';
import type { Server } from './document.ts';
import type { ListedOperation } from './operations.ts';
import type { ImportProblem } from './report.ts';
import { humanized, terse, wordsOf } from './text.ts';

type ConnectorInput = z.input<typeof connectorSchema>;

type HostInput = NonNullable<ConnectorInput['hosts']>[number];

/** A host, and texts for people about its placeholders. */
interface ImportedHost {
  host: HostInput;
  settings: NonNullable<ConnectorInput['settings']>;
  notes: string[];
}

/** The hosts of an import. */
export interface ImportedHosts {
  hosts: HostInput[];
  settings: NonNullable<ConnectorInput['settings']>;
  /** Notes about things that a person has to check. */
  remarks: readonly string[];
  problems: readonly ImportProblem[];
  /** Index of the host that an operation is sent to. */
  hostIndex: (operation: ListedOperation) => number;
}

/** Members of an account's `api_config` that mean the same for every connector. */
const RESERVED_PLACEHOLDERS = ['rate_limit', 'timeout', 'endpoint'];

const LABEL = '[A-Za-z0-9-]{1,63}';
const LABELS = `${LABEL}(\\.${LABEL}){0,4}`;

/**
 * The first server of every chosen operation, each once.
 *
 * @param server base address, if the document has none or a relative one
 */
export function importHosts(chosen: readonly ListedOperation[], server: string | undefined): ImportedHosts {
  const hosts: HostInput[] = [];
  const settings: ImportedHosts['settings'] = {};
  const remarks = new Set<string>();
  const problems: ImportProblem[] = [];
  const indexes = new Map<string, number>();
  const base = server?.replace(/\/+$/, '');
  if (base !== undefined && !/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(base)) {
    problems.push({ place: '--server', message: 'must be a web address such as https://api.example.com.' });
    return { hosts, settings, remarks: [], problems, hostIndex: () => 0 };
  }
  const serverOf = ({ servers }: ListedOperation): Server => servers[0] ?? { url: base ?? '/' };
  for (const operation of chosen) {
    const first = serverOf(operation);
    if (indexes.has(first.url)) continue;
    if (operation.servers.length > 1)
      remarks.add(`Of ${operation.servers.length} servers the first is used: ${first.url}.`);
    const made = hostOf(first, base);
    if (made === undefined) {
      const message = `${terse(first.url, 200)} is not a complete web address. Give the address of the API with --server.`;
      problems.push({ place: 'servers', message });
      indexes.set(first.url, 0);
      continue;
    }
    const known = hosts.findIndex(({ url }) => url === made.host.url);
    indexes.set(first.url, known < 0 ? hosts.push(made.host) - 1 : known);
    Object.assign(settings, made.settings);
    for (const note of made.notes) remarks.add(note);
  }
  const hostIndex = (operation: ListedOperation): number => indexes.get(serverOf(operation).url) ?? 0;
  for (const remark of addPrefixes(hosts, chosen, hostIndex)) remarks.add(remark);
  return { hosts, settings, remarks: [...remarks], problems, hostIndex };
}

/** Adds path prefixes to each host except the first, which takes all other paths. @returns remarks */
function addPrefixes(
  hosts: HostInput[],
  chosen: readonly ListedOperation[],
  hostIndex: (operation: ListedOperation) => number,
): string[] {
  if (hosts.length < 2) return [];
  const paths = hosts.map((_, i) =>
    chosen.filter((one) => hostIndex(one) === i).map(({ path }) => fixedPart(path)),
  );
  const remarks: string[] = [];
  for (const [i, host] of hosts.entries()) {
    if (i === 0) continue;
    const others = new Set(paths.flatMap((list, j) => (j === i ? [] : list.flatMap(beginnings))));
    const own = (paths[i] ?? []).flatMap((path) => beginnings(path).find((part) => !others.has(part)) ?? []);
    if (own.length === 0)
      remarks.push(`Proxied requests do not reach ${host.url}: its paths begin like those of other hosts.`);
    host.path_prefixes = own.length === 0 ? [`/host-${i}`] : [...new Set(own)].slice(0, 50);
  }
  return remarks;
}

/** The part of a path before its first value. */
function fixedPart(path: string): string {
  return /^(\/[A-Za-z0-9_.~-]+(?=\/|$))*/.exec(path)?.[0] ?? '';
}

/** `/a/b` -> `/a`, `/a/b`. */
function beginnings(path: string): string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`);
}

/**
 * @param base absolute address that a relative one is below
 * @returns `undefined` if the address is invalid, or relative without a base
 */
function hostOf(server: Server, base: string | undefined): ImportedHost | undefined {
  const written = server.url.trim();
  const isAbsolute = /^(https?|\{[^{}]*\}):\/\//i.test(written);
  if (!isAbsolute && base === undefined) return undefined;
  const url = isAbsolute ? written : new URL(written, `${base ?? ''}/`).href;
  const [scheme, rest] = splitAt(url, '://');
  const slash = rest.indexOf('/');
  const [authority, path] = slash < 0 ? [rest, ''] : [rest.slice(0, slash), rest.slice(slash)];
  const result: ImportedHost = { host: { url: '' }, settings: {}, notes: [] };
  const filled = (text: string): string =>
    text.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
      const value = defaultOf(server, name);
      result.notes.push(
        `The variable ${terse(name, 60)} of the server is fixed at ${terse(value, 60) || 'nothing'}.`,
      );
      return value;
    });
  const placeholders: Record<string, string> = {};
  const host = authority
    .replace(/:\{[^{}]*\}$/, filled)
    .replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
      const plain =
        wordsOf(name)
          .join('_')
          .replace(/^[0-9_]+/, '') || 'host';
      const placeholder = RESERVED_PLACEHOLDERS.includes(plain) ? `${plain}_name` : plain;
      const isWhole = authority.replace(/:\d+$/, '') === whole;
      placeholders[placeholder] = patternOf(server, name, isWhole);
      const description = terse(variableOf(server, name).description, 200);
      result.settings[placeholder] = {
        label: terse(humanized(name), 60).padEnd(3, '.'),
        ...(description === '' ? {} : { hint: description }),
      };
      result.notes.push(
        isWhole
          ? `Any host name can be entered for ${placeholder}: narrow its pattern to the hosts of the provider.`
          : `Each account is asked for ${placeholder}, a part of the host name.`,
      );
      return `{${placeholder}}`;
    });
  result.host = {
    url: `${filled(scheme).toLowerCase()}://${host}${filled(path)}`
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, ''),
    ...(Object.keys(placeholders).length === 0 ? {} : { placeholders }),
  };
  return URL.canParse(result.host.url.replaceAll(/\{[^{}]*\}/g, 'x')) ? result : undefined;
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function variableOf(server: Server, name: string): { value: string; choices: string[]; description: string } {
  const variables = server.variables ?? {};
  const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (!isObject(variable)) return { value: '', choices: [], description: '' };
  const { default: value, enum: choices, description } = variable;
  return {
    value: typeof value === 'string' ? value : '',
    choices: Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [],
    description: typeof description === 'string' ? description : '',
  };
}

function defaultOf(server: Server, name: string): string {
  const { value, choices } = variableOf(server, name);
  return value === '' ? (choices[0] ?? '') : value;
}

function patternOf(server: Server, name: string, isWhole: boolean): string {
  const { value, choices } = variableOf(server, name);
  const words = choices.filter((choice) => /^[A-Za-z0-9.-]+$/.test(choice));
  if (words.length > 0) return words.map((word) => word.replaceAll('.', '\\.')).join('|');
  return isWhole || value.includes('.') ? LABELS : LABEL;
}
