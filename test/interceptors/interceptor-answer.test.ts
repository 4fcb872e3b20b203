import { describe, expect, it } from 'vitest';
import { readAnswer, type Granted } from '../../src/interceptors/interceptor-answer.ts';
import type { TriggerPoint } from '../../src/core/stored-words.ts';

const NOTHING: Granted = { claims: {} };

function read(answer: unknown, trigger: TriggerPoint = 'PRE_SESSION_CREATION', before = NOTHING) {
  const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  return readAnswer(trigger, { body, contentType: 'application/json' }, before);
}

const allow = (claims: unknown) => ({ decision: 'ALLOW', response: { claims } });
const unreadable = { decision: 'UNREADABLE', failure: expect.stringMatching(/^[A-Z].*\.$/) };

describe('interceptor answer', () => {
  it.each([
    ['an empty one', ''],
    ['HTML', '<!doctype html><title>Sign in</title>'],
    ['half of one', '{"decision":"ALLOW"'],
    ['a text', '"ALLOW"'],
    ['a list', '[{"decision":"ALLOW"}]'],
    ['null', 'null'],
    ['no decision', '{}'],
    ['the decision in small letters', '{"decision":"allow"}'],
    ['a decision with a blank', '{"decision":"ALLOW "}'],
    ['a decision in a list', '{"decision":["ALLOW"]}'],
    ['true for a decision', '{"decision":true}'],
    ['a decision of its prototype', '{"__proto__":{"decision":"ALLOW"}}'],
    ['a response that is no object', { decision: 'ALLOW', response: 'ok' }],
    ['null for a response', { decision: 'ALLOW', response: null }],
    ['claims that are a list', allow([1])],
    ['claims that are a text', allow('gold')],
  ])('takes an answer for unreadable: %s', (_what, answer) => {
    expect(read(answer)).toEqual(unreadable);
  });

  it.each([
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['Application/JSON ;charset=utf-8', true],
    ['application/problem+json', true],
    [null, true],
    ['text/html', false],
    ['text/plain', false],
    ['application/jsonp', false],
    ['application/x-www-form-urlencoded', false],
    ['', false],
  ])('reads an answer by its content type %s: %s', (contentType, isRead) => {
    const body = Buffer.from('{"decision":"ALLOW"}');
    expect(readAnswer('PRE_SIGNUP', { body, contentType }, NOTHING).decision).toBe(
      isRead ? 'ALLOW' : 'UNREADABLE',
    );
  });

  it('accepts members that it does not know', () => {
    expect(read({ decision: 'ALLOW', reason: 'because', response: { more: 1 } })).toEqual({
      decision: 'ALLOW',
      granted: { claims: {} },
    });
  });
});

describe('interceptor answer: DENY', () => {
  const messageOf = (error: unknown) => read({ decision: 'DENY', error });
  const without = {
    decision: 'DENY',
    message: 'A policy of this service stopped the request. If that is wrong, ask its administrator.',
  };

  it('gives the message for the person in one line', () => {
    expect(messageOf({ message: '  Nicht für\r\n\tFremde.\u2028 ' })).toEqual({
      decision: 'DENY',
      message: 'Nicht für Fremde.',
    });
  });

  it.each([[undefined], [null], ['no'], [{}], [{ message: 7 }], [{ message: ' \n ' }]])(
    'reads a DENY without a readable message (%j) as a DENY',
    (error) => {
      expect(messageOf(error)).toEqual(without);
    },
  );

  it('cuts the message at 500 characters, never within a character', () => {
    const { message } = messageOf({ message: `${'x'.repeat(498)}😀 and more` }) as { message: string };
    expect(message).toHaveLength(500);
    expect(message.isWellFormed()).toBe(true);
  });
});

describe('interceptor answer: claims for a session', () => {
  it('adds claims to those before, and replaces those of the same name', () => {
    const before = { claims: { tier: 'silver', region: 'eu' } };
    expect(read(allow({ tier: 'gold', flags: ['x', { y: null }] }), undefined, before)).toEqual({
      decision: 'ALLOW',
      granted: { claims: { tier: 'gold', region: 'eu', flags: ['x', { y: null }] } },
    });
  });

  it.each([
    ['iss'],
    ['sub'],
    ['aud'],
    ['exp'],
    ['nbf'],
    ['iat'],
    ['jti'],
    ['client_id'],
    ['scope'],
    ['scopes'],
    ['gid'],
    ['oid'],
    ['sid'],
    ['azp'],
    ['act'],
    ['cnf'],
    ['custom_claims'],
    ['__proto__'],
  ])('takes the answer for unreadable when a claim has the reserved name %s', (name) => {
    expect(read(`{"decision":"ALLOW","response":{"claims":{"tier":"gold","${name}":"x"}}}`)).toEqual({
      decision: 'UNREADABLE',
      failure: `Claims of these names cannot be set: ${name}.`,
    });
  });

  it('allows 4096 bytes of JSON for the claims of all interceptors together', () => {
    const fits = { a: 'é'.repeat(2_044) };
    expect(read(allow(fits)).decision).toBe('ALLOW');
    expect(read(allow({ a: `x${fits.a}` }))).toEqual(unreadable);
    expect(read(allow({ b: 1 }), undefined, { claims: fits })).toEqual(unreadable);
  });

  it('allows claims that are nested 20 levels deep', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const answer = (levels: number) => `{"decision":"ALLOW","response":{"claims":{"a":${nested(levels)}}}}`;
    expect(read(answer(19)).decision).toBe('ALLOW');
    expect(read(answer(20))).toEqual(unreadable);
    expect(read(answer(200_000))).toEqual(unreadable);
  });

  it.each([['PRE_SIGNUP'], ['PRE_USER_INVITATION']] as const)(
    'ignores claims in the answer to %s',
    (trigger) => {
      expect(read(allow({ iss: 'x', tier: 'gold' }), trigger)).toEqual({
        decision: 'ALLOW',
        granted: { claims: {} },
      });
    },
  );
});

describe('interceptor answer: claims for a machine token', () => {
  const machine = (claims: unknown, before = NOTHING) =>
    read(allow(claims), 'PRE_M2M_TOKEN_CREATION', before);

  it('replaces scope and audience, and adds the other claims', () => {
    expect(
      machine({ scope: ' a:read  b:write a:read', aud: 'https://api.example.test', rate: '100' }),
    ).toEqual({
      decision: 'ALLOW',
      granted: {
        claims: { rate: '100' },
        scopes: ['a:read', 'b:write'],
        audience: ['https://api.example.test'],
      },
    });
    expect(machine({ aud: ['https://a.test', 'urn:b'], scope: '' })).toMatchObject({
      granted: { scopes: [], audience: ['https://a.test', 'urn:b'] },
    });
  });

  it('leaves scope and audience alone when the answer does not name them', () => {
    const before = { claims: { rate: 1 }, scopes: ['a'], audience: ['urn:a'] };
    expect(machine({ plan: 'x' }, before)).toEqual({
      decision: 'ALLOW',
      granted: { claims: { rate: 1, plan: 'x' }, scopes: ['a'], audience: ['urn:a'] },
    });
  });

  it.each([
    [{ scope: ['a:read'] }],
    [{ scope: 'a"b' }],
    [{ scope: 'a\nb' }],
    [{ scope: null }],
    [{ aud: '' }],
    [{ aud: [] }],
    [{ aud: 'two words' }],
    [{ aud: ['https://a.test', 7] }],
    [{ aud: { a: 1 } }],
    [{ scopes: ['admin'] }],
    [{ oid: 'org_2' }],
    [{ sub: 'gh_2' }],
  ])('takes the answer for unreadable when it grants %j', (claims) => {
    expect(machine(claims)).toEqual(unreadable);
  });
});
