/** Expected values were computed with another implementation of HMAC. */
import { describe, expect, it } from 'vitest';
import { newSigningSecret, signatureOf, signedHeaders } from '../../src/signed-sender/signing.ts';

const RISING = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const FALLING = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=';
const message = { id: 'evt_1', timestamp: 1_795_176_000, body: '{"id":"evt_1","name":"José 😀"}' };
const BY_RISING = 'v1,rAairS016VhKVdSkP4O1hT0RjHuM+f5S6TlkGLtmCfU=';
const BY_FALLING = 'v1,cdIArchFf2oXeb7eJrOMawBIx0ZqdspQz2w4LpxIjxE=';

describe('webhook signatures', () => {
  it('equals the signature of the Standard Webhooks specification', () => {
    const published = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signatureOf(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], published)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('covers the bytes of the body, whatever its characters', () => {
    expect(signatureOf([RISING], message)).toBe(BY_RISING);
  });

  it('gives one signature per secret during a rotation, in their order', () => {
    expect(signatureOf([FALLING, RISING], message)).toBe(`${BY_FALLING} ${BY_RISING}`);
  });

  it.each([
    ['id', { id: 'evt_2' }],
    ['timestamp', { timestamp: 1_795_176_001 }],
    ['body', { body: `${message.body} ` }],
  ])('changes the signature with the %s', (_what, change) => {
    expect(signatureOf([RISING], { ...message, ...change })).not.toBe(BY_RISING);
  });
});

describe('webhook headers', () => {
  it('gives three headers per family, with the same values', () => {
    expect(signedHeaders(['webhook'], [RISING], message)).toEqual({
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795176000',
      'webhook-signature': BY_RISING,
    });
    expect(signedHeaders(['interceptor', 'webhook'], [RISING], message)).toEqual({
      'interceptor-id': 'evt_1',
      'interceptor-timestamp': '1795176000',
      'interceptor-signature': BY_RISING,
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795176000',
      'webhook-signature': BY_RISING,
    });
  });
});

describe('new signing secret of webhooks', () => {
  it('consists of 32 random bytes as standard base64 behind whsec_', () => {
    const [one, other] = [newSigningSecret(), newSigningSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(one).not.toBe(other);
  });
});
