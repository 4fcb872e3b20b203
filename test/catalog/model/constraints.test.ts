/** Rules across parameters: when they are broken, whom they blame, and their one sentence. */
import { describe, expect, it } from 'vitest';
import { inputViolations } from '../../../src/catalog/call/input.ts';
import { toolOf } from '../files.ts';

/** A tool with the parameters a, b, c (text), n (number), s (switch) and one rule. */
const withRule = (rule: string, effect?: string) =>
  toolOf(
    `
parameters:
  a: { type: string, to: body.a, description: A value. }
  b: { type: string, to: body.b, description: A value. }
  c: { type: string, to: body.c, description: A value. }
  n: { type: integer, to: body.n, description: A value. }
  s: { type: boolean, to: body.s, description: A value. }
  l: { type: array, items: { type: string }, to: body.l, description: A value. }
constraints:
  - ${rule}
request:
  method: POST
  path: /books`,
    effect,
  );

/** `field constraint` of each violation. */
const broken = (rule: string, input: object) =>
  inputViolations(withRule(rule), input).map(({ field, constraint }) => `${field} ${constraint}`);

describe('rules between parameters of a tool that updates', () => {
  it.each([
    ['at_least_one_of: [a, s]', { s: false }, []],
    ['at_most_one_of: [a, s]', { a: 'x', s: false }, ['s at_most_one_of']],
  ])('count a flag that is false as a new value: %s with %j', (rule, input, expected) => {
    const violations = inputViolations(withRule(rule, 'update'), input);
    expect(violations.map(({ field, constraint }) => `${field} ${constraint}`)).toEqual(expected);
  });
});

describe('rules between parameters of a tool', () => {
  it.each([
    // exactly_one_of
    ['exactly_one_of: [a, b]', {}, ['a exactly_one_of']],
    ['exactly_one_of: [a, b]', { a: 'x' }, []],
    ['exactly_one_of: [a, b]', { a: 'x', b: '' }, ['b exactly_one_of']],
    ['exactly_one_of: [a, s]', { a: 'x', s: false }, []],
    ['exactly_one_of: [a, s]', { s: false }, ['a exactly_one_of']],
    ['exactly_one_of: [a, s]', { s: true }, []],
    ['exactly_one_of: [n, b]', { n: 0 }, []],
    ['exactly_one_of: [l, b]', { l: [] }, []],
    ['exactly_one_of: [[a, b], c]', { a: 'x' }, ['b exactly_one_of']],
    ['exactly_one_of: [[a, b], c]', { a: 'x', b: 'y' }, []],
    ['exactly_one_of: [[a, b], c]', { a: 'x', c: 'y' }, ['c exactly_one_of']],
    // at_most_one_of
    ['at_most_one_of: [a, b, c]', {}, []],
    ['at_most_one_of: [a, b, c]', { c: 'x' }, []],
    ['at_most_one_of: [a, b, c]', { b: 'x', c: 'x' }, ['c at_most_one_of']],
    ['at_most_one_of: [a, s]', { a: 'x', s: false }, []],
    // at_least_one_of
    ['at_least_one_of: [a, b]', {}, ['a at_least_one_of']],
    ['at_least_one_of: [a, b]', { a: '', b: '' }, []],
    ['at_least_one_of: [[a, b], c]', { b: 'x' }, ['a at_least_one_of']],
    // together
    ['together: [a, b, s]', {}, []],
    ['together: [a, b, s]', { a: 'x', s: false }, ['b together']],
    ['together: [a, b, s]', { a: 'x', b: 'y', s: false }, []],
    // when
    ['{ when: a, require: [b, c] }', {}, []],
    ['{ when: a, require: [b, c] }', { a: '' }, ['b require']],
    ['{ when: a, require: [b, c] }', { a: 'x', b: 'y', c: '' }, []],
    ['{ when: s, require: [b] }', { s: false }, ['b require']],
    ['{ when: { s: true }, require: [b] }', { s: false }, []],
    ['{ when: { s: true }, require: [b] }', { s: true }, ['b require']],
    ['{ when: a, forbid: [b, n] }', { a: 'x', n: 0 }, ['n forbid']],
    ['{ when: a, forbid: [b, n] }', { b: 'x', n: 0 }, []],
    ['{ when: a, require_value: { b: x } }', { a: 'x', b: 'y' }, ['b require_value']],
    ['{ when: a, require_value: { b: x } }', { a: 'x' }, ['b require_value']],
    ['{ when: a, require_value: { b: x } }', { a: 'x', b: 'x' }, []],
    ['{ when: [a, b], require: [c] }', { b: 'x' }, ['c require']],
    ['{ when: { a: x, b: y }, require: [c] }', { a: 'x' }, []],
    ['{ when: { a: x, b: y }, require: [c] }', { a: 'x', b: 'y' }, ['c require']],
  ])('apply the rule %s to the input %j', (rule, input, expected) => {
    expect(broken(rule, input)).toEqual(expected);
  });

  it.each([
    ['exactly_one_of: [a, [b, c], n]', 'Give exactly one of: a, b with c, n.'],
    ['at_most_one_of: [a, b]', 'Give at most one of: a, b.'],
    ['at_least_one_of: [a, b]', 'Give at least one of: a, b.'],
    ['together: [a, b, c]', 'Give a, b and c together or not at all.'],
    ['{ when: a, require: [b] }', 'When a is given, b is required.'],
    ['{ when: a, forbid: [b, c] }', 'When a is given, b and c cannot be given.'],
    ['{ when: { s: true, n: 3 }, require: [b, c] }', 'When s is true and n is 3, b and c are required.'],
    ['{ when: [a, b], require: [c] }', 'When any of a and b is given, c is required.'],
    [
      '{ when: [a, b, { c: x }], require_value: { n: 1 } }',
      'When any of a and b is given or c is x, n must be 1.',
    ],
    [
      '{ when: [{ a: x }, { a: y }], require: [b], forbid: [c] }',
      'When a is x or a is y, b is required and c cannot be given.',
    ],
  ])('describe %s as "%s", in the description and in the violation', (rule, sentence) => {
    const tool = withRule(rule);
    expect(tool.description).toBe(`Finds books by what is given. ${sentence}`);
    const all = { a: 'x', b: 'y', c: 'x', n: 3, s: true };
    const some = [
      all,
      {},
      { a: 'x' },
      { a: 'x', s: true, n: 3 },
      { b: 'x' },
      { a: 'x', b: 'x' },
      { a: 'y', c: '' },
    ];
    const texts = some.flatMap((input) => inputViolations(tool, input).map(({ description }) => description));
    expect(new Set(texts)).toEqual(new Set([sentence]));
  });

  it('report a broken rule together with every other broken rule and wrong type', () => {
    const tool = toolOf(`
parameters:
  a: { type: string, to: body.a, description: A value. }
  b: { type: string, to: body.b, description: A value. }
constraints:
  - together: [a, b]
  - { when: a, forbid: [a] }
request:
  method: POST
  path: /books`);
    expect(inputViolations(tool, { a: 7 }).map(({ field, constraint }) => `${field} ${constraint}`)).toEqual([
      'a type',
      'b together',
      'a forbid',
    ]);
  });
});
