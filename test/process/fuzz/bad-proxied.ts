/** Bad requests to the proxy: paths that climb, headers that name nobody, invalid queries. */
import { HOSTILE_PATHS } from '../../support/hostile-paths.ts';
import { MARK, type Dice, type FuzzTarget, type Made } from './bad-request.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What an HTTP client lets through, and what begins a path of the proxy. */
const CLIMBING = HOSTILE_PATHS.filter((path) => /^\/[!-~]*$/.test(path) && !/[?#]/.test(path));

/** A path that leads out of the provider's address, for an account that works. */
export function badProxyPath(dice: Dice, { accountId }: FuzzTarget): Made {
  const method = dice.pick(METHODS);
  const path = dice.pick(CLIMBING).replaceAll('CANARY', dice.pick(['evil.test', MARK, '127.0.0.1:1']));
  const tail = dice.pick(['', '', '/x', `?q=${MARK}`, '/%00', '/%zz', '/..%2f', `/${'%25'.repeat(9)}2e/`]);
  return {
    what: `${method} /proxy${path}${tail}`.slice(0, 100),
    method,
    path: `/proxy${path}${tail}`,
    headers: { 'connected-account-id': accountId },
  };
}

/** A path that is good, for an account that is not there or is named in a way that cannot be. */
export function badProxyAccount(dice: Dice): Made {
  const method = dice.pick(METHODS);
  const value = (): string =>
    dice.pick([
      MARK,
      '',
      ' ',
      'ca_',
      'x'.repeat(500),
      '\u00e4',
      '\u00c3\u00a4',
      '%00',
      '{}',
      "' or 1=1 --",
      '*',
    ]);
  const headers: Record<string, string | string[]> = {};
  for (const name of [
    'connected-account-id',
    'connection-name',
    'connection_name',
    'identifier',
    'user-id',
    'organization-id',
  ])
    if (dice.below(3) === 0) headers[name] = dice.below(4) === 0 ? [value(), value()] : value();
  return {
    what: `${method} /proxy/x ${JSON.stringify(headers)}`.slice(0, 100),
    method,
    path: '/proxy/x',
    headers,
  };
}

/** A method that is not proxied, or a body for a method without one. */
export function badProxyMethod(dice: Dice, { accountId }: FuzzTarget): Made {
  const headers = { 'connected-account-id': accountId };
  const method = dice.pick(['OPTIONS', 'GET', 'HEAD']);
  const body = method === 'OPTIONS' ? undefined : Buffer.from(dice.pick(['{}', MARK, '\0', '[']));
  return {
    what: `${method} /proxy/x`,
    method,
    path: '/proxy/x',
    headers: body === undefined ? headers : { ...headers, 'content-length': String(body.length) },
    body,
  };
}
