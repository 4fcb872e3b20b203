import { describe, expect, it } from 'vitest';
import {
  isHost,
  isHostPattern,
  isLoopbackHost,
  isLoopbackHostname,
  isWildcardHost,
} from '../../src/core/hosts.ts';

describe('hosts of settings and connections', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST', true],
    ['127.0.0.1', true],
    ['127.200.0.9', true],
    ['::1', true],
    ['[::1]', true],
    ['0.0.0.0', false],
    ['localhost.example.test', false],
    ['127.0.0.1.example.test', false],
    ['10.0.0.1', false],
  ])('tell whether %s is on loopback: %s', (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected);
  });

  it.each([
    ['http://localhost/', true],
    ['http://LOCALHOST/', true],
    ['http://127.1/', true],
    ['http://127.255.255.255/', true],
    ['http://[0:0:0:0:0:0:0:1]/', true],
    ['http://[::ffff:127.0.0.1]/', false],
    ['http://[::127.0.0.1]/', false],
    ['http://localhost./', false],
    ['http://10.0.0.1/', false],
  ])('the hostname of %s is on loopback: %s', (url, expected) => {
    expect(isLoopbackHostname(new URL(url).hostname)).toBe(expected);
  });

  it.each([
    ['0.0.0.0', true],
    ['::', true],
    ['0:0:0:0:0:0:0:0', true],
    ['127.0.0.1', false],
    ['example.test', false],
  ])('tell whether %s means every interface: %s', (host, expected) => {
    expect(isWildcardHost(host)).toBe(expected);
  });

  it.each(['localhost', 'a-b.example.test', '10.0.0.1', '::1'])('accept %s as a host to bind', (host) => {
    expect(isHost(host)).toBe(true);
  });

  it.each(['', '0', '0x7f.1', '2130706433', '*', '[::1]', 'a b', 'a.test:80', '-a', 'http://a.test', 'a..b'])(
    'refuse %j as a host to bind',
    (host) => {
      expect(isHost(host)).toBe(false);
    },
  );

  it.each([
    'api.internal',
    'api.internal:8443',
    '127.0.0.1:1',
    '[::1]',
    '[::1]:80',
    '::1',
    '10.0.0.0/8',
    'fd00::/8',
  ])('accept %s as an entry of allow_private_hosts', (entry) => {
    expect(isHostPattern(entry)).toBe(true);
  });

  it.each([
    '',
    '*',
    '*.internal',
    'a.test:70000',
    '10.0.0.0/33',
    'fd00::/129',
    '[10.0.0.1]',
    'http://a.test',
    'a.test/8',
  ])('refuse %j as an entry of allow_private_hosts', (entry) => {
    expect(isHostPattern(entry)).toBe(false);
  });
});
