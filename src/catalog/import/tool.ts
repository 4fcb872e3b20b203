/** Turns one operation into a tool of the catalog, or says why that is impossible. Pure. */
import type * as z from 'zod';
import { isObject } from '../../core/json.ts';
import type { toolSchema } from '../grammar/toolset-schema.ts';
import type { Constraint, Effect } from '../model/types.ts';
import { bodyParameters } from './body.ts';
import type { Operation } from './document.ts';
import type { ListedOperation } from './operations.ts';
import { named, placedParameters, type ImportedParameter } from './parameters.ts';
import type { References } from './references.ts';
import { Notes } from './report.ts';
import type { OperationSecurity } from './security.ts';
import { humanized, sentence, terse } from './text.ts';
import type { ValueContext } from './value.ts';

/** A tool as written into a catalog file. */
export type ToolInput = z.input<typeof toolSchema>;

/** Values shared by all tools of an import. */
export interface ToolContext {
  references: References;
  /** Places of credentials, e.g. `header.x-api-key`. */
  credentialPlaces: ReadonlySet<string>;
  /** `2026-11-20`. */
  today: string;
  /** Address of the documentation if the operation has none. */
  documentation: string;
}

/** Result for an operation; `obstacle` says why it became no tool. */
export type ImportedTool = { tool: ToolInput; notes: Notes } | { obstacle: string };

const EFFECTS: Readonly<Record<string, Effect>> = {
  get: 'read',
  post: 'create',
  put: 'update',
  patch: 'update',
  delete: 'delete',
};

/** Maximum number of values in the parameters of one tool; larger ones are described less deeply. */
const MAX_VALUES = 120;

/** Levels inside a parameter, tried in turn until it is small enough. */
const DEPTHS = [5, 3, 2, 1, 0];

const MAX_DESCRIPTION = 400;

/**
 * @param name of the tool
 * @param host index of its host
 */
export function importTool(
  listed: ListedOperation,
  name: string,
  host: number,
  security: OperationSecurity,
  context: ToolContext,
): ImportedTool {
  for (const maxDepth of DEPTHS) {
    const notes = new Notes();
    const values = { references: context.references, notes, maxDepth, budget: { left: MAX_VALUES } };
    const made = toolAt(listed, { name, host, security }, context, values);
    if ('obstacle' in made || values.budget.left >= 0 || maxDepth === 0) return made;
  }
  return { obstacle: 'it has too many parameters' };
}

function toolAt(
  { method, path, operation, parameters: written }: ListedOperation,
  { name, host, security }: { name: string; host: number; security: OperationSecurity },
  context: ToolContext,
  values: ValueContext,
): ImportedTool {
  const { notes } = values;
  const effect = EFFECTS[method];
  const answered = answerTypes(operation, context.references);
  const obstacle =
    effect === undefined
      ? `its method is ${method.toUpperCase()}`
      : (security.obstacle ?? answerObstacle(answered));
  if (obstacle !== undefined || effect === undefined) return { obstacle: obstacle ?? '' };
  for (const note of security.notes) notes.add('', `It ${note}`);
  const [pathname = '', search = ''] = path.split('?', 2);
  const slots = [...pathname.matchAll(/\{([^{}]*)\}/g)].map(([, slot]) => slot ?? '');
  if (slots.some((slot) => /^[+#./;?&]/.test(slot)))
    return { obstacle: 'a value of its path goes over several parts of it' };
  const placed = placedParameters(
    written.filter(({ in: place, name: wire }) => place !== 'path' || slots.includes(String(wire))),
    context.credentialPlaces,
    values,
  );
  if (placed.obstacle !== undefined) return { obstacle: placed.obstacle };
  const body = bodyParameters(context.references.resolve(operation.requestBody), values);
  if (body.obstacle !== undefined) return { obstacle: body.obstacle };
  const hasBody = body.parameters.length > 0 || Object.keys(body.fixed).length > 0;
  if (method === 'get' && hasBody) return { obstacle: 'it is a GET request with a body' };
  const parameters = named([
    ...inPath(slots, placed.parameters, notes),
    ...placed.parameters.filter((one) => one.in !== 'path'),
    ...body.parameters,
  ]);
  const fixed = { ...fixedQuery(search), ...placed.fixed, ...body.fixed };
  const constraints = body.constraints.map((rule) => renamed(rule, parameters));
  const tool: ToolInput = {
    name,
    title: titleOf(operation, path),
    description: descriptionOf(operation, method, path),
    effect,
    ...(security.scopes.length === 0 ? {} : { scopes: scopesOf(security.scopes, effect) }),
    source: { url: operation.externalDocs?.url ?? context.documentation, checked: context.today },
    ...(parameters.size === 0
      ? {}
      : { parameters: Object.fromEntries([...parameters].map(([key, one]) => [key, addressed(one)])) }),
    ...(constraints.length === 0 ? {} : { constraints: constraints as ToolInput['constraints'] }),
    request: {
      method: method.toUpperCase() as 'GET',
      path: pathname.replaceAll(
        /\{([^{}]*)\}/g,
        (_, slot: string) => `{${nameOf(parameters, 'path', slot)}}`,
      ),
      ...(host === 0 ? {} : { host }),
      ...(Object.keys(fixed).length === 0 ? {} : { fixed }),
    },
    ...(isText(answered) ? { response: { as: 'text' as const } } : {}),
  };
  return { tool, notes };
}

/** Each first alternative is requested from people, so a tool that reads should ask for no more. */
function scopesOf(groups: readonly string[][], effect: Effect): (string | string[])[] {
  const isReading = (scope: string): boolean => /read-?only|[.:_-]read$/i.test(scope);
  return groups.map((group) => {
    const sorted =
      effect === 'read' ? [...group].sort((a, b) => Number(isReading(b)) - Number(isReading(a))) : group;
    return sorted.length === 1 ? (sorted[0] ?? '') : sorted;
  });
}

/** Media types of each successful response; empty if it has no body or the document does not say. */
function answerTypes({ responses = {} }: Operation, references: References): string[][] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => {
      const content =
        isObject(response) && typeof response['$ref'] !== 'string'
          ? response['content']
          : references.resolve(response)?.['content'];
      return isObject(content) ? Object.keys(content) : [];
    });
}

function mayBeJson(answered: readonly string[][]): boolean {
  const isJson = (type: string): boolean => /json|^(\*|application)\/\*/i.test(type);
  return answered.length === 0 || answered.some((types) => types.length === 0 || types.some(isJson));
}

function isText(answered: readonly string[][]): boolean {
  return !mayBeJson(answered) && answered.flat().every((type) => /^text\//i.test(type));
}

/** Answers that are neither JSON nor text cannot be read. */
function answerObstacle(answered: readonly string[][]): string | undefined {
  return mayBeJson(answered) || isText(answered)
    ? undefined
    : `it answers ${terse(answered.flat().join(', '), 80)}, and only JSON and text can be read`;
}

/** One parameter for each slot, in the order of the path; a slot missing in the document becomes text. */
function inPath(
  slots: readonly string[],
  placed: readonly ImportedParameter[],
  notes: Notes,
): ImportedParameter[] {
  return [...new Set(slots)].map((slot) => {
    const declared = placed.find(({ in: place, wireName }) => place === 'path' && wireName === slot);
    if (declared !== undefined) return declared;
    notes.add(`path.${slot}`, 'is not described; it is taken for text.');
    return {
      wireName: slot,
      in: 'path',
      entry: { type: 'string', required: true, description: sentence(humanized(slot)) },
    };
  });
}

function addressed({ wireName, in: place, entry }: ImportedParameter): ImportedParameter['entry'] {
  if (place === 'path' || place === 'body') return entry;
  const { description, ...rest } = entry;
  return { ...rest, to: `${place}.${wireName}`, description };
}

function nameOf(parameters: ReadonlyMap<string, ImportedParameter>, place: string, wireName: string): string {
  for (const [name, parameter] of parameters)
    if (parameter.in === place && parameter.wireName === wireName) return name;
  return wireName;
}

/** Converts a rule over body members into one over the parameters that hold them. */
function renamed(rule: Constraint, parameters: ReadonlyMap<string, ImportedParameter>): Constraint {
  const rename = (name: string): string => nameOf(parameters, 'body', name);
  if ('when' in rule)
    return {
      when: typeof rule.when === 'string' ? rename(rule.when) : rule.when,
      require: (rule.require ?? []).map(rename),
    };
  const [[kind, groups] = ['', []]] = Object.entries(rule) as [string, (string | string[])[]][];
  return {
    [kind]: groups.map((group) => (typeof group === 'string' ? rename(group) : group.map(rename))),
  } as unknown as Constraint;
}

function fixedQuery(search: string): Record<string, string> {
  return Object.fromEntries(
    [...new URLSearchParams(search)].map(([name, value]) => [`query.${name}`, value]),
  );
}

function titleOf({ summary = '', operationId }: Operation, path: string): string {
  const title = terse(summary, 60).replace(/\.$/, '');
  return title.length >= 3 ? title : terse(humanized(operationId ?? path), 60).padEnd(3, '.');
}

function descriptionOf(
  { summary = '', description = '', deprecated }: Operation,
  method: string,
  path: string,
): string {
  const [short, long] = [terse(summary, 200), terse(description, MAX_DESCRIPTION)];
  const words = long.toLowerCase().startsWith(short.toLowerCase().replace(/\.$/, ''))
    ? [long]
    : [short, long];
  const said = words.filter((text) => text !== '').map(sentence);
  const text = [...(deprecated === true ? ['Deprecated.'] : []), ...said].join(' ');
  return text.length >= 20
    ? text
    : `${text === '' ? '' : `${text} `}Sends ${method.toUpperCase()} ${terse(path, 200)} to the provider.`;
}
