/** Mistakes in the fields of a form and in the request that names an account, each found at load with its line. */
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../files.ts';

const problems = (rules: string, { type = 'CUSTOM', who = '' } = {}): string[] =>
  problemsOf({
    'books/connector.yaml': `name: books
title: Book shop
description: Finds books.
hosts:
  - url: https://books.example.test
auth:
  - type: ${type}
    fields:
      - {name: api_key, label: Key, input: password}
      - name: more
        label: More
${rules === '' ? '' : `        ${rules.split('\n').join('\n        ')}\n`}    attach: {in: header, name: key, field: api_key}
${who === '' ? '' : `    who: ${who}\n`}`,
  }).map((problem) => problem.replace(/^books\/connector\.yaml:\d+ auth\.0\./, ''));

describe('check of values of fields in a connector', () => {
  it.each([
    'input: multiline',
    'choices: [eu, us]',
    "pattern: '[0-9]{8}'\nexample: '12345678'",
    'example: 12 or 13',
  ])('accepts a field with %j', (rules) => {
    expect(problems(rules)).toEqual([]);
  });

  it.each([
    ["pattern: '[0-9'\nexample: '1'", 'fields.1.pattern: '],
    ["pattern: '[0-9]{8}'", 'fields.1.pattern: needs an example that people are shown'],
    ["pattern: '[0-9]{8}'\nexample: '1'", 'fields.1.example: does not match the pattern'],
    ['choices: [eu]', 'fields.1.choices: '],
    ['choices: [eu, eu]', 'fields.1.choices: must not have a value twice'],
    ['choices: [eu, us]\ninput: password', 'fields.1.choices: are for input text'],
    ['choices: [eu, us]\nexample: eu', 'fields.1.choices: are all values: remove pattern and example'],
  ])('finds the fault of %j', (rules, fault) => {
    const found = problems(rules);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });

  it('allows several lines only where they are not sent', () => {
    expect(problems('input: multiline', { type: 'API_KEY' })).toEqual([
      'fields.1.input: several lines cannot be sent as a credential: multiline is for further fields of CUSTOM',
    ]);
  });
});

describe('check of auth[].who in a connector', () => {
  it('accepts a path and dotted names', () => {
    expect(problems('', { who: '{path: /me, query: {part: id}, name: [items.0.title, name]}' })).toEqual([]);
  });

  it.each([
    ['{path: /me}', 'who.name: '],
    ['{path: /me, name: []}', 'who.name: '],
    ['{path: /me, name: ["a..b"]}', 'who.name.0: must be a dotted path such as user.email'],
    ['{path: /me, name: [a], refused: [401]}', 'who.refused: is not a key that exists here'],
    ['{path: /v1/../me, name: [a]}', 'who.path: must not have "." or ".." as a part, or start with //'],
    ['{path: /me, host: 1, name: [a]}', 'who.host: books has 1 hosts, counted from 0'],
    ['{path: /me, headers: {Key: x}, name: [a]}', 'who.headers.Key: Key carries the credential'],
  ])('finds the fault of %s', (who, fault) => {
    const found = problems('', { who });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });
});
