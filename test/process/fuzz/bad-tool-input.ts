/** Tool inputs that break the published schema in one place. */
import {
  MARK,
  send,
  shown,
  type Dice,
  type FuzzTarget,
  type Made,
  type ParameterSchema,
} from './bad-request.ts';
import { BAD_TEXTS, BIG } from './templates.ts';

/** A call over REST, of an account that works. */
export function badToolInput(dice: Dice, target: FuzzTarget): Made {
  const { tool, input, what } = badInput(dice, target);
  const body = { tool_name: tool, tool_input: input, connected_account_id: target.accountId };
  return send(what, { method: 'POST', path: '/api/v1/execute_tool' }, body);
}

/** A tool of the catalog with one argument that its schema refuses. */
export function badInput(
  dice: Dice,
  { tools }: FuzzTarget,
): { tool: string; input: Record<string, unknown>; what: string } {
  const tool = dice.pick(tools.filter(({ input_schema }) => Object.keys(input_schema.properties).length > 0));
  const { properties, required = [] } = tool.input_schema;
  const [name, schema] = dice.pick(Object.entries(properties));
  const input: Record<string, unknown> = Object.fromEntries(required.map((field) => [field, MARK]));
  const value = dice.pick([...wrongTypes(schema), ...outOfRange(schema)]);
  input[name] = value;
  if (dice.below(8) === 0) input[dice.pick(['colour', 'constructor', '__proto', 'Query'])] = MARK;
  return { tool: tool.name, input, what: `${tool.name}.${name} = ${shown(value)}` };
}

function wrongTypes({ type }: ParameterSchema): unknown[] {
  const values: Record<string, unknown> = {
    string: MARK,
    integer: 7,
    number: 7.5,
    boolean: true,
    array: [{ a: [MARK] }],
    object: { [MARK]: null },
  };
  const wrong = Object.entries(values).filter(
    ([other]) => other !== type && !(type === 'number' && other === 'integer'),
  );
  return [...wrong.map(([, value]) => value), null, ...BAD_TEXTS];
}

function outOfRange({ enum: words, minimum, maximum, maxLength, items }: ParameterSchema): unknown[] {
  return [
    ...(words === undefined ? [] : [`${MARK}-no-such-word`]),
    ...(minimum === undefined ? [] : [minimum - 1, minimum - 1e15]),
    ...(maximum === undefined ? [] : [maximum + 1, maximum + 1e15]),
    ...(maxLength === undefined ? [] : [BIG]),
    ...(items?.type === 'string' ? [[7], [null], [{}], [`${MARK}\u0000`]] : []),
  ];
}
