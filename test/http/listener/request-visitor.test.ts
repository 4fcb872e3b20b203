import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isLocalPeer } from '../../../src/http/listener/request-context.ts';
import { Visitors, type RequestInfo } from '../../../src/http/listener/request-visitor.ts';

const info: RequestInfo = {
  trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
  ipHeader: 'X-Forwarded-For',
  regionHeader: 'X-Region',
  cityHeader: 'X-City',
};

const requestOf = (peer: string, headers: Record<string, string>): IncomingMessage =>
  ({ socket: { remoteAddress: peer }, headers }) as unknown as IncomingMessage;

const visitorOf = (
  peer: string,
  headers: Record<string, string> = {},
  settings: RequestInfo | undefined = info,
) => new Visitors(settings).visitorOf(requestOf(peer, headers));

const ipOf = (forwarded: string, peer = '10.0.0.1') => visitorOf(peer, { 'x-forwarded-for': forwarded }).ip;

describe('client address of an HTTP request (trusted proxies)', () => {
  it('gives the address of the connection and the user agent', () => {
    expect(visitorOf('203.0.113.9', { 'user-agent': 'job/1.0' })).toEqual({
      ip: '203.0.113.9',
      userAgent: 'job/1.0',
      region: '',
      city: '',
    });
    expect(visitorOf('::ffff:203.0.113.9').ip).toBe('203.0.113.9');
    expect(visitorOf('2001:db8::9', { 'user-agent': 'x'.repeat(5_000) }).userAgent).toHaveLength(1_024);
  });

  it('reads address, region and city from the headers of a trusted proxy', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-region': 'de', 'x-city': 'Berlin' };
    const named = { ip: '203.0.113.9', userAgent: '', region: 'DE', city: 'Berlin' };
    expect(visitorOf('10.0.0.1', headers)).toEqual(named);
    expect(visitorOf('::ffff:10.0.0.1', headers)).toEqual(named);
    expect(visitorOf('fd12::1', headers)).toEqual(named);
  });

  it.each([
    ['a stranger', '203.0.113.1', info],
    ['anybody, where no proxy is trusted', '10.0.0.1', { ...info, trustedProxies: [] }],
    ['anybody, where no header is named', '10.0.0.1', { trustedProxies: ['10.0.0.0/8'] }],
    ['anybody, without the settings', '10.0.0.1', undefined],
  ])('ignores the headers of %s', (_who, peer, settings) => {
    const headers = { 'x-forwarded-for': '198.51.100.1', 'x-region': 'DE', 'x-city': 'Berlin' };
    const found = new Visitors(settings).visitorOf(requestOf(peer, headers));
    expect(found).toEqual({ ip: peer, userAgent: '', region: '', city: '' });
  });

  it.each([
    ['the last address that is no proxy', '198.51.100.1, 203.0.113.9, 10.0.0.7', '203.0.113.9'],
    ['an address with a port', '203.0.113.9:51234', '203.0.113.9'],
    ['IPv6 in brackets', '[2001:db8::9]', '2001:db8::9'],
    ['IPv6 in brackets with a port', '[2001:db8::9]:51234', '2001:db8::9'],
    ['IPv6 as it is', '2001:db8::9', '2001:db8::9'],
    ['IPv4 in IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
    ['the proxy where only proxies are named', '10.0.0.5, 10.0.0.6', '10.0.0.1'],
    ['the proxy where the last one cannot be read', '203.0.113.9, unknown', '10.0.0.1'],
    ['the proxy where nothing is named', '', '10.0.0.1'],
    ['the proxy where code is named', "203.0.113.9' or 1=1", '10.0.0.1'],
  ])('reads from X-Forwarded-For %s', (_what, forwarded, expected) => {
    expect(ipOf(forwarded)).toBe(expected);
  });

  it.each([
    ['X-Region', 'de', 'DE'],
    ['X-Region', 'Germany', ''],
    ['X-Region', 'XX', ''],
    ['X-Region', '<b', ''],
    ['X-City', 'K%C3%B6ln', 'Köln'],
    ['X-City', Buffer.from('Köln').toString('latin1'), 'Köln'],
    ['X-City', 'K\xf6ln', 'Köln'],
    ['X-City', '100%', '100%'],
    ['X-City', 'a%00\tb', 'ab'],
    ['X-City', 'x'.repeat(1_000), 'x'.repeat(200)],
  ])('reads %s: %s as %s', (header, value, expected) => {
    const { region, city } = visitorOf('10.0.0.1', { [header.toLowerCase()]: value });
    expect(header === 'X-Region' ? region : city).toBe(expected);
  });
});

describe('local caller over HTTP', () => {
  const own = { trustedProxies: ['127.0.0.0/8'], ipHeader: 'x-client-ip' };

  it.each([
    ['without anything else', '127.0.0.1', {}, true],
    ['over IPv6', '::1', {}, true],
    ['not from elsewhere', '203.0.113.9', {}, false],
    ['not behind a proxy on it that names the client', '127.0.0.1', { 'x-client-ip': '203.0.113.9' }, false],
    ['not behind a proxy of the usual kind', '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, false],
  ])('tells whether the request comes from this machine: %s', (_what, peer, headers, expected) => {
    const request = requestOf(peer, headers);
    expect(isLocalPeer(request, new Visitors(own).visitorOf(request))).toBe(expected);
  });

  it('takes no request for local because a proxy elsewhere names its address', () => {
    const request = requestOf('10.0.0.1', { 'x-client-ip': '127.0.0.1' });
    const visitors = new Visitors({ trustedProxies: ['10.0.0.0/8'], ipHeader: 'x-client-ip' });
    expect(isLocalPeer(request, visitors.visitorOf(request))).toBe(false);
  });
});
