/** The types of what tools with code get: fresh, and exact where a schema or a rule makes a difference. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateInputFiles, inputsFile } from '../../scripts/generate-inputs.ts';
import { inputSchema } from '../../src/catalog/model/input-schema.ts';
import type { Constraint, Parameter, Tool } from '../../src/catalog/model/types.ts';
import { shippedTool } from '../tools/tool-request.ts';

/** The type of a tool with these parameters. */
async function typeOf(
  parameters: Record<string, Omit<Parameter, 'description' | 'required'> & { required?: boolean }>,
  constraints: readonly Constraint[] = [],
): Promise<string> {
  const whole = Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      { description: 'Some text.', required: false, ...parameter },
    ]),
  );
  const tool: Tool = {
    ...shippedTool('crm_list_lists'),
    name: 'tool',
    parameters: whole,
    constraints,
    inputSchema: inputSchema(whole),
  };
  const text = await inputsFile([tool, shippedTool('crm_get_record')]);
  return /export interface ToolInputs \{\n([\s\S]*)\n\}\n$/.exec(text)?.[1] ?? text;
}

it('follow the tools of the catalog', async () => {
  for (const [path, text] of await generateInputFiles())
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text);
});

it.each([
  ['required text', { type: 'string', required: true }, 'a: string;'],
  ['text', { type: 'string' }, 'a?: string;'],
  ['one of some words', { type: 'string', enum: ['x', "it's"] }, `a?: 'x' | "it's";`],
  ['a whole number', { type: 'integer' }, 'a?: number;'],
  ['a switch', { type: 'boolean' }, 'a?: boolean;'],
  [
    'a list of words',
    { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
    "a?: readonly ('x' | 'y')[];",
  ],
  ['a list of anything', { type: 'array' }, 'a?: readonly unknown[];'],
  ['an object of anything', { type: 'object' }, 'a?: Readonly<Record<string, unknown>>;'],
  [
    'an object with members',
    {
      type: 'object',
      members: {
        properties: { 'b-c': { type: 'string' }, d: { type: 'number' } },
        required: ['d'],
        additionalProperties: false,
      },
    },
    "a?: {\n      'b-c'?: string;\n      d: number;\n    };",
  ],
  ['a default', { type: 'integer', default: 1 }, 'a: number;'],
  [
    'a default that another parameter keeps out',
    { type: 'integer', default: 1, default_unless: 'b' },
    'a?: number;',
  ],
] satisfies [string, Parameters<typeof typeOf>[0][string], string][])(
  'give their type the form of %s',
  async (_, parameter, expected) => {
    expect(await typeOf({ a: parameter })).toBe(`  tool: {\n    ${expected}\n  };`);
  },
);

it('may lack a default that a rule forbids', async () => {
  const forbidden = [{ when: 'b', forbid: ['a'] }];
  const parameters = { a: { type: 'string', default: 'x' }, b: { type: 'string' } } as const;
  expect(await typeOf(parameters, forbidden)).toBe('  tool: {\n    a?: string;\n    b?: string;\n  };');
});

it('leave the type of a tool without parameters empty', async () => {
  expect(await typeOf({})).toBe('  tool: Record<string, never>;');
});
