import { describe, expect, it } from 'vitest';
import { readJsonBody, type JsonBody } from '../../../src/http/listener/json-body.ts';

const LIMIT = 1_000;

async function read(
  body: string | Buffer | ReadableStream,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  return (await readWhole(body, headers)).value;
}

function readWhole(
  body: string | Buffer | ReadableStream,
  headers: Record<string, string> = {},
  ownTexts: readonly string[] = [],
): Promise<JsonBody> {
  const request = new Request('http://127.0.0.1/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    duplex: 'half',
  });
  return readJsonBody(request, LIMIT, ownTexts);
}

async function violations(body: string, ownTexts: readonly string[] = []): Promise<[string, string][]> {
  const { violations } = await readWhole(body, {}, ownTexts);
  return violations.map(({ field, constraint }) => [field, constraint]);
}

describe('JSON request bodies', () => {
  it('reads a JSON object', async () => {
    expect(await read('{"a":{"b":[1,"ä",null,true]}}')).toEqual({ a: { b: [1, 'ä', null, true] } });
  });

  it('accepts a byte order mark at the beginning', async () => {
    expect(await read('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it('counts the last of two members of one name', async () => {
    expect(await read('{"a":1,"a":2}')).toEqual({ a: 2 });
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'accepts the content type %s',
    async (type) => {
      expect(await read('{}', { 'content-type': type })).toEqual({});
    },
  );

  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another JSON', { 'content-type': 'application/vnd.api+json' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['nothing', { 'content-type': '' }],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])('answers 415 to a body sent as %s', async (_name, headers) => {
    await expect(read('{}', headers)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 });
  });

  it('accepts a body at the limit and answers 413 beyond it', async () => {
    const fitting = JSON.stringify({ a: 'x'.repeat(LIMIT - 8) });
    expect(fitting).toHaveLength(LIMIT);
    expect(await read(fitting)).toHaveProperty('a');
    await expect(read(`${fitting} `)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      status: 413,
      details: { max_bytes: 1_000 },
    });
  });

  it('refuses a body by its announced length before reading it', async () => {
    await expect(read('{}', { 'content-length': '1001' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('measures a body whose length is not announced', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(400).fill(0x20)),
    });
    await expect(read(endless)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('refuses a body that breaks off, which is no defect', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('reset')),
    });
    await expect(read(broken)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [
          { field: '', description: 'The body ended before it was complete.', constraint: 'incomplete' },
        ],
      },
    });
  });

  it.each([
    ['not JSON', '{"secret": hunter2}'],
    ['empty', ''],
    ['cut', '{"a":'],
    ['two values', '{} {}'],
    ['a comment', '{} // x'],
  ])('refuses a body that is %s without quoting it', async (_name, body) => {
    await expect(read(body)).rejects.toThrow('The request is not valid. The body is not valid JSON.');
  });

  it('refuses a body that is not UTF-8', async () => {
    await expect(read(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).rejects.toThrow(
      'The body is not valid UTF-8.',
    );
  });

  it.each(['[]', '"a"', '1', 'null', 'true'])(
    'refuses the body %s, because an object is wanted',
    async (body) => {
      await expect(read(body)).rejects.toThrow('The body must be a JSON object.');
    },
  );

  it('accepts a body nested 64 levels deep', async () => {
    expect(await read('{"a":'.repeat(64) + '1' + '}'.repeat(64))).toHaveProperty('a');
  });

  it.each([
    ['objects', '{"a":'.repeat(65) + '1' + '}'.repeat(65)],
    ['arrays', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['400 arrays', `{"a":${'['.repeat(400)}${']'.repeat(400)}}`],
  ])('refuses a body nested deeper than 64 levels with %s', async (_name, body) => {
    await expect(readWhole(body)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ constraint: 'max_depth' }] },
    });
  });

  it('names every text that nothing can store', async () => {
    const body = '{"a":"x\\u0000","b":{"c":["ok","\\ud800"]},"d":"\\udc00\\ud800","e":"\\ud83d\\ude00"}';
    expect(await violations(body)).toEqual([
      ['a', 'characters'],
      ['b.c.1', 'characters'],
      ['d', 'characters'],
    ]);
  });

  it('names members whose names nothing can store, in a form that can be shown', async () => {
    expect(await violations('{"a\\u0000":1,"b":{"\\ud800":1}}')).toEqual([
      ['a\uFFFD', 'characters'],
      ['b.\uFFFD', 'characters'],
    ]);
  });

  it('refuses a body with __proto__ anywhere', async () => {
    expect(await violations('{"a":{"__proto__":{"b":1}},"__proto__":1}')).toEqual([
      ['a.__proto__', 'name'],
      ['__proto__', 'name'],
    ]);
    expect(({} as { b?: number }).b).toBeUndefined();
  });

  it('keeps constructor and prototype as plain members', async () => {
    expect(await read('{"constructor":{"prototype":1}}')).toEqual({ constructor: { prototype: 1 } });
  });

  it('refuses a number beyond the range', async () => {
    expect(await violations('{"a":[1,1e999]}')).toEqual([['a.1', 'number']]);
  });

  it('leaves the texts of some members to the rules that check them, and nothing else', async () => {
    const body = '{"a":"\\u0000","b":{"c":"\\u0000","d\\u0000":1e999,"__proto__":1}}';
    expect(await violations(body, ['b'])).toEqual([
      ['a', 'characters'],
      ['b.d\uFFFD', 'number'],
      ['b.__proto__', 'name'],
    ]);
  });

  it('shortens the names around a field before naming the field', async () => {
    const wide = `{"${'k'.repeat(700)}":["\\u0000"]}`;
    const [[field] = ['']] = await violations(wide);
    expect(field).toBe(`${'k'.repeat(200)}…`);
  });

  it('shortens the name of a field', async () => {
    const [[field] = ['']] = await violations(`{"${'n'.repeat(500)}":"\\u0000"}`);
    expect(field).toBe(`${'n'.repeat(200)}…`);
  });
});
