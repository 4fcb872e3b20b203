/**
 * Names of tools as language models write them: with the prefix of a client, in another case, with dashes. Also the
 * advice for a name that no tool has. Pure.
 */
import type { Effect, Tool } from '../catalog/model/types.ts';
import { nearest } from '../core/text.ts';
import type { PublishedTools } from './published-tools.ts';
import type { Arguments, WantedTool } from './session.ts';

/** Prefixes that clients put before the name of a server's tool. */
const PREFIX = /^(?:mcp__.{1,64}?__|(?:mcp[-_.])?gatehouse(?:__|[-_.:/])|functions\.)+/i;

/** Longer names, without prefix, are not compared with tools: callers choose them, and comparing costs time. */
const MAX_NAME = 64;

/** Most tools that one message names. */
const MAX_NAMED = 6;

const VERBS: Readonly<Record<Effect, readonly string[]>> = {
  read: ['get', 'list', 'search', 'find', 'show', 'read', 'fetch', 'query', 'lookup', 'describe', 'view'],
  create: ['create', 'add', 'insert', 'new', 'post', 'make', 'log', 'write', 'send', 'reply'],
  update: [
    'update',
    'edit',
    'change',
    'modify',
    'set',
    'patch',
    'rename',
    'move',
    'complete',
    'close',
    'assign',
    'mark',
    'append',
    'overwrite',
    'upsert',
    'assert',
  ],
  delete: ['delete', 'remove', 'destroy', 'erase', 'drop', 'cancel'],
};

const EFFECT_OF: ReadonlyMap<string, Effect> = new Map(
  Object.entries(VERBS).flatMap(([effect, verbs]) => verbs.map((verb) => [verb, effect as Effect])),
);

/** Words that do not help to tell which tool is meant. */
const FILLERS: ReadonlySet<string> = new Set([
  'a',
  'the',
  'to',
  'of',
  'for',
  'as',
  'in',
  'on',
  'with',
  'done',
]);

/** Verbs that name a thing if another word is the verb. */
const THINGS: ReadonlySet<string> = new Set(['list', 'query', 'view']);

/**
 * The tool to run for a name: by its current or an old name, otherwise the only one that is equal without prefix,
 * case and separators. A tool that deletes is run by its exact name only.
 */
export function wantedTool(published: PublishedTools, name: string, args: Arguments): WantedTool | undefined {
  const tool = published.find(name);
  if (tool !== undefined) return { tool, name, args };
  const [meant, ...more] = sameTools(published.selected.tools, name);
  if (meant === undefined || more.length > 0 || meant.effect === 'delete') return undefined;
  return { tool: meant, name: meant.name, args };
}

/**
 * Advice for a call of a tool that does not exist; '' if no tool is similar.
 *
 * @param unlisted tools that are left out only because nothing was selected
 */
export function unknownToolAdvice(
  tools: readonly Tool[],
  name: string,
  unlisted: readonly Tool[] = [],
): string {
  if (withoutPrefix(name).length > MAX_NAME) return '';
  const [same] = sameTools(tools, name);
  if (same !== undefined) return `Did you mean ${same.name}?`;
  const [left] = sameTools(unlisted, name);
  if (left !== undefined) return publishable(left);
  const wanted = withoutPrefix(name)
    .toLowerCase()
    .replaceAll(/[-.\s/:]+/g, '_');
  const words = wanted.split('_').filter((word) => word !== '' && !FILLERS.has(word));
  const verbs = words.filter((word) => EFFECT_OF.has(word));
  // A word for reading may also be a thing, as in `crm_list_add`.
  const verb = verbs.find((word) => EFFECT_OF.get(word) !== 'read') ?? verbs[0];
  const effect = verb === undefined ? undefined : EFFECT_OF.get(verb);
  const [short, ...shorter] = toolsAbout(tools, words.map(singular))
    .filter((tool) => tool.effect !== 'delete' || effect === 'delete')
    .toSorted((one, other) => one.name.split('_').length - other.name.split('_').length);
  if (short !== undefined) return `Did you mean ${named([short, ...shorter], 3, 'or')}?`;
  const things = words.filter((word) => !EFFECT_OF.has(word) || (word !== verb && THINGS.has(word)));
  const about = effect === undefined ? [] : toolsAbout(tools, things.map(singular));
  const fitting = about.filter((tool) => tool.effect === effect);
  if (fitting.length > 0) return `Did you mean ${named(fitting, 3, 'or')}?`;
  const [other] = toolsAbout(unlisted, things.map(singular)).filter((tool) => tool.effect === effect);
  if (effect !== 'delete' && other !== undefined) return publishable(other);
  if (about.length > 0) return instead(about, effect, tools);
  const close = nearest(
    wanted,
    tools.filter((tool) => tool.effect !== 'delete' || effect === 'delete').map((tool) => tool.name),
  );
  return close === undefined ? '' : `Did you mean ${close}?`;
}

/** Says what the operator can do, so that a model does not look for another way. */
function publishable({ name, everyday }: Tool): string {
  const toolset = everyday === undefined ? 'all' : 'default';
  return `${name} does this, but nothing selects it here: tell the user that it is published with the toolset ${toolset}, or by its name.`;
}

/**
 * Tools to suggest. Of the same app also the general tools for changes, because a tool for every kind of record may
 * have no word of the name.
 */
function instead(about: readonly Tool[], effect: Effect | undefined, tools: readonly Tool[]): string {
  const others = about.filter((tool) => tool.effect !== 'delete');
  const exists = others.length === 0 ? '' : `About this there are: ${named(others, MAX_NAMED, 'and')}.`;
  if (effect !== 'update') return exists;
  const changing = tools.filter((tool) => tool.effect === effect && tool.connector === about[0]?.connector);
  const changes =
    changing.length === 0 ? '' : `What changes something there: ${named(changing, MAX_NAMED, 'and')}.`;
  return [exists, changes, 'Never delete something in order to change it.'].filter(Boolean).join(' ');
}

function named(tools: readonly Tool[], most: number, last: 'and' | 'or'): string {
  const names = tools.slice(0, most).map(({ name }) => name);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}

/** Tools whose names have all these words. */
function toolsAbout(tools: readonly Tool[], things: readonly string[]): Tool[] {
  const isConnector = (word: string): boolean => tools.some(({ connector }) => connector === word);
  if (things.every(isConnector)) return [];
  return tools.filter(({ name }) => {
    const own = new Set(name.split('_').map(singular));
    return things.every((thing) => own.has(thing));
  });
}

function singular(word: string): string {
  if (word === 'people') return 'person';
  return word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');
}

function sameTools(tools: readonly Tool[], name: string): Tool[] {
  const short = withoutPrefix(name);
  if (short.length > MAX_NAME) return [];
  const wanted = plain(short);
  return tools.filter((tool) => plain(tool.name) === wanted);
}

function withoutPrefix(name: string): string {
  return name.trim().replace(PREFIX, '');
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.\s/:]/g, '');
}
