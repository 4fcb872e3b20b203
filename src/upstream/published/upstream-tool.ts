/** Makes a tool of ours from an approved definition of another server. Pure. */
import { isObject } from '../../core/json.ts';
import type {
  CallLimit,
  Connector,
  Effect,
  OutputSchema,
  Parameter,
  PublishedSchema,
  Tool,
} from '../../catalog/model/types.ts';
import {
  cleanSchema,
  publishedSchema,
  type CleanRoot,
  type CleanSchema,
} from '../definitions/clean-schema.ts';
import { hintsOf } from '../definitions/effects.ts';
import { headerFault } from '../definitions/header-parameters.ts';
import type { ListedTool } from '../../store/tables/upstream-tool-tables.ts';
import { MAX_PUBLISHED_TEXT, publishedText } from '../definitions/text-check.ts';

/** The approved facts of a definition. */
export interface Approved {
  definition: ListedTool;
  hash: string;
  /** Our name for the tool. */
  name: string;
  /** The effect that applies now. */
  effect: Effect;
}

/** Toolset of tools that no file assigns to another one. */
const TOOLSET = 'tools';

/** Time until the first byte of the answer, and until its end: less than clients wait. */
const DEADLINE = { headersMs: 20_000, totalMs: 55_000 };

/** The only group of limits of such a connector. */
const LIMIT_GROUP = 'calls';

/**
 * Reason why a definition cannot be published, even if somebody approves it; `undefined` if it can.
 *
 * @param name our name; `undefined` if none can be made from the server's
 */
export function obstacleOf(
  { inputSchema, execution }: ListedTool,
  name: string | undefined,
): string | undefined {
  if (name === undefined)
    return 'its name cannot be made one of ours, or another tool has it: give it a name in the setting tools.override';
  if (execution?.taskSupport === 'required') return 'it runs only as a task, which is not supported';
  return cleanSchema(inputSchema).refused ?? headerFault(inputSchema);
}

/** @throws Error for a definition with an obstacle, which can never be approved */
export function upstreamTool(
  { definition, name, effect }: Approved,
  connector: Connector,
  variants: ReadonlyMap<string, Tool>,
): Tool {
  const cleaned = cleanSchema(definition.inputSchema);
  if (cleaned.root === undefined) throw new Error(`${connector.name}: ${name} cannot be published`);
  const own = connector.tools?.override[definition.name];
  const checked: CleanRoot = {
    ...cleaned.root,
    additionalProperties: cleaned.root.additionalProperties === true,
    required: cleaned.root.required ?? [],
  };
  const words = [own?.description ?? definition.description ?? '', ...cleaned.sentences].join(' ');
  const description = publishedText(words, MAX_PUBLISHED_TEXT);
  const title = publishedText(own?.title ?? definition.title ?? definition.annotations?.title ?? '', 120);
  const output =
    (own?.output_schemas ?? connector.mcp?.output_schemas) === 'off' ? undefined : outputOf(definition);
  const limit = limitOf(connector);
  return {
    name,
    title: title === '' ? name.replaceAll('_', ' ') : title,
    description: description === '' ? `${definition.name} of ${connector.title}.` : description,
    effect,
    connector: connector.name,
    toolset: own?.toolset ?? TOOLSET,
    scopes: [],
    source: { url: connector.hosts[0]?.url ?? '', checked: '' },
    parameters: Object.fromEntries(
      Object.entries(checked.properties).map(([key, schema]) => [
        key,
        parameterOf(schema, checked.required?.includes(key) === true),
      ]),
    ),
    constraints: [],
    requests: [],
    response: {},
    ...(limit !== undefined && { limit }),
    deadline: DEADLINE,
    inputSchema: publishedSchema(checked) as Tool['inputSchema'],
    annotations: hintsOf(effect, definition.annotations?.idempotentHint === true),
    upstream: {
      name: definition.name,
      checkedSchema: withOpenObjects(checked) as PublishedSchema & { type: 'object' },
      ...(output !== undefined && { outputSchema: output }),
      definition: { ...definition },
      variants,
    },
  };
}

function limitOf({ limits }: Connector): CallLimit | undefined {
  const perMinute = limits?.[LIMIT_GROUP];
  return perMinute === undefined ? undefined : { group: LIMIT_GROUP, perMinute };
}

function outputOf({ outputSchema }: ListedTool): OutputSchema | undefined {
  if (!isObject(outputSchema)) return undefined;
  const { root } = cleanSchema(outputSchema);
  return root && (publishedSchema(root) as OutputSchema);
}

/** The facts about a parameter that search, forms and the command line use. */
function parameterOf(schema: CleanSchema, isRequired: boolean): Parameter {
  const { type = 'object', nullable, description, format } = publishedWith(schema);
  const values = schema.enum?.filter((value) => typeof value === 'string') ?? [];
  return {
    type,
    required: isRequired,
    ...(description !== undefined && { description }),
    ...(nullable === true && { nullable }),
    ...(values.length > 0 && type === 'string' && { enum: values }),
    ...(format !== undefined && { format: format as NonNullable<Parameter['format']> }),
    ...(schema.items !== undefined && { items: publishedSchema(schema.items) as PublishedSchema }),
    ...(schema.properties !== undefined && {
      members: {
        properties: publishedSchema(schema).properties as Record<string, PublishedSchema>,
        ...(schema.required !== undefined && { required: schema.required }),
      },
    }),
  } as Parameter;
}

function publishedWith(schema: CleanSchema): CleanSchema {
  return { ...publishedSchema(schema), ...(schema.nullable === true && { nullable: true }) };
}

/**
 * Adds that objects may have further members, unless their schema says no. That is what JSON Schema means if it
 * says nothing.
 */
export function withOpenObjects(schema: CleanSchema): CleanSchema {
  const { items, properties, additionalProperties } = schema;
  // The server decides about alternatives.
  if (schema.anyOf !== undefined) return { ...(schema.nullable === true && { nullable: true }) };
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, withOpenObjects(member)]),
      ),
      additionalProperties: additionalProperties ?? true,
    }),
    ...(items !== undefined && { items: withOpenObjects(items) }),
  };
}
