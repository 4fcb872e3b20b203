import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { oauth1Header, oauthHeader } from '../../../src/credentials/oauth/oauth1-signature.ts';

/** The worked example that a large provider of OAuth 1.0a has published, query and form included. */
const CREDENTIALS = {
  consumerKey: 'xvz1evFS4wEEPTGEFPHBog',
  consumerSecret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
  token: {
    key: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
    secret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
  },
};
const MOMENT = { now: 1_318_622_958_000, nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg' };
const FORM = 'status=Hello%20Ladies%20%2b%20Gentlemen%2c%20a%20signed%20OAuth%20request%21';
const REQUEST = {
  method: 'POST',
  url: new URL('https://api.twitter.com/1.1/statuses/update.json?include_entities=true'),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(FORM),
};
const signatureOf = (header: string) =>
  decodeURIComponent(/oauth_signature="([^"]+)"/.exec(header)?.[1] ?? '');

describe('OAuth 1.0a signature of a credential', () => {
  it('equals the signature of the published example', () => {
    const header = oauth1Header(REQUEST, CREDENTIALS, MOMENT);
    expect(signatureOf(header)).toBe('hCtSmYh+iHYCEqBWrE7C7hYmtUk=');
    expect(header).toContain('oauth_timestamp="1318622958", oauth_version="1.0", oauth_token="370773112-');
  });

  /** What RFC 5849 section 3.4.1.1 prints for its request, with the version that we send. */
  it('signs the base string of the RFC: names repeated, without a value, encoded in other ways', () => {
    const base =
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7%26oauth_version%3D1.0';
    const request = {
      method: 'POST',
      url: new URL('http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b'),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('c2&a3=2+q'),
    };
    const credentials = {
      consumerKey: '9djdj82h48djs9d2',
      consumerSecret: 'j49sk3j29djd',
      token: { key: 'kkk9d7dh3k39sjv7', secret: 'dh893hdasih9' },
    };
    const header = oauth1Header(request, credentials, { now: 137_131_201_000, nonce: '7d8f3e4a' });
    const expected = createHmac('sha1', 'j49sk3j29djd&dh893hdasih9').update(base).digest('base64');
    expect(signatureOf(header)).toBe(expected);
  });

  it.each([
    ['a port of its own', 'http://a.example:8080/x', '', 'http%3A%2F%2Fa.example%3A8080%2Fx', ''],
    [
      'bytes that are no UTF-8',
      'https://a.example/x?a=%FF%fe',
      '',
      'https%3A%2F%2Fa.example%2Fx',
      'a%3D%25FF%25FE%26',
    ],
    [
      'a form that begins with ?',
      'https://a.example/x',
      '?a=1',
      'https%3A%2F%2Fa.example%2Fx',
      '%253Fa%3D1%26',
    ],
    ['a bare %', 'https://a.example/x?a=100%', '', 'https%3A%2F%2Fa.example%2Fx', 'a%3D100%2525%26'],
    [
      'text that is not encoded',
      'https://a.example/x',
      'a=ü',
      'https%3A%2F%2Fa.example%2Fx',
      'a%3D%25C3%25BC%26',
    ],
  ])('signs %s as it arrives', (_what, url, form, baseUrl, first) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const request = { method: 'post', url: new URL(url), headers, body: Buffer.from(form) };
    const header = oauth1Header(request, { consumerKey: 'k', consumerSecret: 's' }, { now: 0, nonce: 'n' });
    const base = `POST&${baseUrl}&${first}oauth_consumer_key%3Dk%26oauth_nonce%3Dn%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D0%26oauth_version%3D1.0`;
    expect(signatureOf(header)).toBe(createHmac('sha1', 's&').update(base).digest('base64'));
  });

  it.each([
    ['the method', { ...REQUEST, method: 'PUT' }],
    ['the host', { ...REQUEST, url: new URL(REQUEST.url.href.replace('api.', 'spi.')) }],
    ['the path', { ...REQUEST, url: new URL(REQUEST.url.href.replace('1.1', '1.2')) }],
    ['the query', { ...REQUEST, url: new URL(REQUEST.url.href.replace('true', 'false')) }],
    ['a form', { ...REQUEST, body: Buffer.from('status=x') }],
  ])('covers %s of the request', (_what, request) => {
    expect(signatureOf(oauth1Header(request, CREDENTIALS, MOMENT))).not.toBe('hCtSmYh+iHYCEqBWrE7C7hYmtUk=');
  });

  it('leaves out a body that is no form', () => {
    const json = { ...REQUEST, headers: { 'Content-Type': 'application/json' } };
    const empty = { ...REQUEST, headers: {}, body: undefined };
    expect(oauth1Header(json, CREDENTIALS, MOMENT)).toBe(oauth1Header(empty, CREDENTIALS, MOMENT));
  });

  it('covers parameters sent with the request, such as the callback', () => {
    const plain = oauth1Header(REQUEST, CREDENTIALS, MOMENT);
    const header = oauth1Header(REQUEST, CREDENTIALS, MOMENT, { oauth_callback: 'https://a.example/?b=c' });
    expect(header).toContain('oauth_callback="https%3A%2F%2Fa.example%2F%3Fb%3Dc"');
    expect(signatureOf(header)).not.toBe(signatureOf(plain));
  });
});

it('encodes everything but unreserved characters in the header', () => {
  expect(oauthHeader([['a', `ü "!'()*-._~`]])).toBe('OAuth a="%C3%BC%20%22%21%27%28%29%2A-._~"');
});
