/** JSON bodies with one thing wrong. */
import { MARK, send, shown, type Dice, type Made } from './bad-request.ts';
import { BAD_VALUES, TEMPLATES } from './templates.ts';

export function badField(dice: Dice): Made {
  const template = dice.pick(TEMPLATES);
  const [field, kind] = dice.pick(Object.entries(template.fields));
  const value = dice.pick(BAD_VALUES[kind]);
  return send(`${field} = ${shown(value)}`, template, withValue(template.body, field, value));
}

export function missingField(dice: Dice): Made {
  const template = dice.pick(TEMPLATES.filter(({ required }) => required.length > 0));
  const field = dice.pick(template.required);
  return send(`no ${field}`, template, withValue(template.body, field, undefined));
}

export function unknownField(dice: Dice): Made {
  const template = dice.pick(TEMPLATES);
  const name = dice.pick([
    'colour',
    'constructor',
    'toString',
    'ID',
    'connected_account_ids',
    '',
    ' ',
    'a.b',
    'ä',
    '$ref',
    'idempotency_key',
  ]);
  return send(`unknown ${name}`, template, { ...template.body, [name]: dice.pick([null, MARK, 1, {}]) });
}

export function brokenJson(dice: Dice): Made {
  const template = dice.pick(TEMPLATES);
  const text = JSON.stringify(template.body);
  const [what, body] = dice.pick<[string, string | Buffer]>([
    ['cut', text.slice(0, dice.below(text.length - 1))],
    ['something behind it', `${text}${dice.pick(['}', ',', 'x', '{}', '\u0000'])}`],
    ['single quotes', text.replaceAll('"', "'")],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from(text.slice(0, 3)), Buffer.from([0xff, 0xc0]), Buffer.from(text.slice(3))]),
    ],
    ['not an object', dice.pick(['[]', 'null', '1', '"x"', 'true', `[${text}]`])],
    ['NaN', text.replace('{', '{"a":NaN,')],
    ['a number beyond the range', text.replace('{', '{"a":1e999,')],
    ['random bytes', Buffer.from(Array.from({ length: 1 + dice.below(200) }, () => dice.below(256)))],
  ]);
  return { ...send(what, template, ''), body: Buffer.from(body as string) };
}

export function wrongContentType(dice: Dice): Made {
  const template = dice.pick(TEMPLATES);
  const headers = dice.pick<Record<string, string>>([
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'application/xml' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ]);
  return { ...send(`content type ${JSON.stringify(headers)}`, template, template.body), headers };
}

export function oversize(dice: Dice): Made {
  const template = dice.pick(TEMPLATES);
  return send('over 1 MB', template, {
    ...template.body,
    params: { a: MARK.repeat(100_000 + dice.below(100_000)) },
  });
}

export function tooDeep(dice: Dice): Made {
  const template = dice.pick(TEMPLATES);
  const depth = 70 + dice.below(30_000);
  const [open, close] = dice.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  const deep = `${open.repeat(depth)}1${close.repeat(depth)}`;
  return send(
    `${depth} levels of ${open}`,
    template,
    JSON.stringify(template.body).replace('{', `{"deep":${deep},`),
  );
}

export function forbiddenName(dice: Dice): Made {
  const template = dice.pick(TEMPLATES);
  const text = JSON.stringify(template.body);
  const at = dice.pick([...text.matchAll(/\{(?=")/g)]).index + 1;
  const name = dice.pick(['"__proto__"', '"\\u005f_proto__"', '"a\\u0000"', '"\\ud800"']);
  return send(`a member ${name} at ${at}`, template, `${text.slice(0, at)}${name}:{"a":1},${text.slice(at)}`);
}

/** A copy of `body` with one member set; undefined removes it. */
function withValue(body: Record<string, unknown>, field: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(body);
  const path = field.split('.');
  const last = path.pop() ?? '';
  let parent = copy;
  for (const name of path) parent = (parent[name] ??= {}) as Record<string, unknown>;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
