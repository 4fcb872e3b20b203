import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/core/environment.ts';
import { bearerToken } from '../../../src/http/api/bearer-header.ts';
import { HostGuard, OriginGuard } from '../../../src/http/listener/guards.ts';
import { environment } from '../../authorization-server/identity-support.ts';

const development = { ...environment('http://127.0.0.1:3000'), name: 'development' };
const production = environment('https://gate.example.test', 'env_prod');

const remoteDevelopment: Environment = { ...development, baseUrl: 'https://dev.example.test' };

describe('Host header: environment of a request', () => {
  const guard = new HostGuard([development, production], 3000);

  it.each([
    ['127.0.0.1:3000', 'env_dev'],
    ['localhost:3000', 'env_dev'],
    ['LOCALHOST:3000', 'env_dev'],
    ['[::1]:3000', 'env_dev'],
    ['gate.example.test', 'env_prod'],
    ['Gate.Example.Test', 'env_prod'],
    ['gate.example.test:443', 'env_prod'],
  ])('finds the environment by the Host %s', (host, id) => {
    expect(guard.environmentOf(host, '/api/v1/tools').id).toBe(id);
  });

  it.each([
    ['another name', 'evil.test'],
    ['our name in front of theirs', 'gate.example.test.evil.test'],
    ['another port', '127.0.0.1:3001'],
    ['no port', 'localhost'],
    ['the wrong port for https', 'gate.example.test:80'],
    ['another loopback address', '127.0.0.2:3000'],
    ['a trailing dot', 'gate.example.test.'],
    ['userinfo', 'a@gate.example.test'],
    ['two names', 'gate.example.test, gate.example.test'],
    ['white space', ' gate.example.test'],
    ['an empty Host', ''],
    ['no Host', undefined],
  ])('refuses the Host header: %s', (_name, host) => {
    expect(() => guard.environmentOf(host, '/api/v1/tools')).toThrow(
      expect.objectContaining({ code: 'WRONG_HOST', status: 403 }),
    );
  });

  it.each(['/healthz', '/readyz'])('ignores the Host header at %s', (path) => {
    expect(guard.environmentOf('10.0.0.5:3000', path).id).toBe('env_dev');
  });

  it.each(['/metrics', '/healthz/', '/healthz/../api', '/openapi.json'])(
    'checks the Host header at %s',
    (path) => {
      expect(() => guard.environmentOf('10.0.0.5:3000', path)).toThrow(
        expect.objectContaining({ code: 'WRONG_HOST' }),
      );
    },
  );

  it('accepts no loopback aliases when the listener is not on loopback', () => {
    const open = new HostGuard([remoteDevelopment], undefined);
    expect(() => open.environmentOf('localhost:3000', '/')).toThrow(
      expect.objectContaining({ code: 'WRONG_HOST' }),
    );
  });

  it('gives loopback aliases to development though its address is another', () => {
    const proxied = new HostGuard([production, remoteDevelopment], 3000);
    expect(proxied.environmentOf('localhost:3000', '/').name).toBe('development');
  });

  it('leaves an alias to the environment that claims it', () => {
    const claimed: Environment = { ...production, baseUrl: 'http://localhost:3000' };
    const both = new HostGuard([development, claimed], 3000);
    expect(both.environmentOf('localhost:3000', '/').id).toBe('env_prod');
    expect(both.environmentOf('127.0.0.1:3000', '/').id).toBe('env_dev');
  });

  it('takes the alias without a port on port 80', () => {
    const web = new HostGuard([{ ...development, baseUrl: 'http://127.0.0.1' }], 80);
    expect(web.environmentOf('localhost', '/').id).toBe('env_dev');
  });
});

describe('Origin header of an HTTP request', () => {
  const guard = new OriginGuard(3000);

  it.each([
    ['none at all', undefined, production],
    ['the own origin', 'https://gate.example.test', production],
    ['a loopback alias', 'http://localhost:3000', development],
    ['another loopback alias', 'http://127.0.0.1:3000', development],
    ['the IPv6 alias', 'http://[::1]:3000', development],
  ])('accepts the Origin header: %s', (_name, origin, environment) => {
    expect(() => guard.check(origin, environment)).not.toThrow();
  });

  it.each([
    ['another site', 'https://evil.test', production],
    ['null', 'null', development],
    ['an empty value', '', development],
    ['another scheme', 'http://gate.example.test', production],
    ['another port', 'https://gate.example.test:8443', production],
    ['a site that begins like ours', 'https://gate.example.test.evil.test', production],
    ['another environment', 'https://gate.example.test', development],
    ['another local server', 'http://localhost:5173', development],
    ['https on loopback', 'https://localhost:3000', development],
  ])('refuses the Origin header: %s', (_name, origin, environment) => {
    expect(() => guard.check(origin, environment)).toThrow(
      expect.objectContaining({ code: 'WRONG_ORIGIN', status: 403 }),
    );
  });

  it('accepts no loopback aliases when the listener is not on loopback', () => {
    expect(() => new OriginGuard(undefined).check('http://localhost:3000', production)).toThrow(
      expect.objectContaining({ code: 'WRONG_ORIGIN' }),
    );
  });
});

describe('bearer token in the Authorization header', () => {
  it.each(['Bearer abc.def-ghi_j~k+l/m==', 'bearer abc.def-ghi_j~k+l/m==', 'BEARER   abc.def-ghi_j~k+l/m=='])(
    'reads the token from "%s"',
    (header) => {
      expect(bearerToken(header)).toBe('abc.def-ghi_j~k+l/m==');
    },
  );

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Bearer a b',
    'Bearer a, Bearer b',
    'abc',
    'Bearer "a"',
    'Bearer ä',
  ])('finds no token in %j', (header) => {
    expect(() => bearerToken(header)).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
  });
});
