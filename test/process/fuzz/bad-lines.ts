/** Requests whose address, method, token or headers are bad. */
import { JSON_TYPE, MARK, send, type Dice, type FuzzTarget, type Made } from './bad-request.ts';
import { QUERIES, TEMPLATES } from './templates.ts';

export function badQuery(dice: Dice): Made {
  const [path, names] = dice.pick(Object.entries(QUERIES));
  const name = dice.pick(names);
  const search = dice.pick([
    `${name}=%00`,
    `${name}=a%00b`,
    `${name}=%ff`,
    `${name}=%`,
    `${name}=%ED%A0%80`,
    `${name}=a&${name}=b`,
    `${MARK}=1`,
    `__proto__=1`,
    `${name}[]=1`,
    `${name}=${'x'.repeat(8_000)}`,
    `%zz=1&${name}=1`,
    'page_size=0',
    'page_size=1e2',
    'page_size=-5',
    'page_size=99999999999999999999',
    `page_token=${MARK}`,
    'status=LOST',
  ]);
  return {
    what: `GET ${path}?${search.slice(0, 80)}`,
    method: 'GET',
    path: `${path}?${search}`,
    headers: {},
  };
}

export function badPath(dice: Dice): Made {
  const segment = dice.pick([
    '%00',
    '%ff',
    '%2e%2e',
    'ca_1',
    '..;',
    'x'.repeat(5_000),
    '%',
    '%ED%A0%80',
    "'%20or%201=1",
    MARK,
    '~',
    ':',
    '%0d%0a',
    '😀',
  ]);
  const path = dice.pick([
    `/api/v1/connected_accounts/${segment}/events`,
    `/api/v1/connected_accounts/${segment}x/auth`,
    `/api/v1/tools/${segment}`,
    `/api/v1/connections/${segment}`,
    `/api/v1/credentials/${segment}`,
    `/api/v1/webhooks/${segment}`,
    `/api/v1/webhooks/${segment}/deliveries`,
    `/api/v2/${segment}`,
    `/${segment}/x`,
    `/connect/${segment}`,
    `/oauth/${segment}`,
    `/.well-known/${segment}`,
  ]);
  return {
    what: `GET ${path.slice(0, 80)}`,
    method: 'GET',
    path: encodeURI(path).replaceAll('%25', '%'),
    headers: {},
  };
}

/** A verb for something that is not there, or under an id that cannot be. */
export function badVerb(dice: Dice): Made {
  const id = dice.pick([
    'ca_',
    'ca_1',
    MARK,
    '%00',
    '%ff',
    '%',
    '..;',
    "'%20or%201=1",
    'x'.repeat(5_000),
    ':',
    '*',
    '%0d%0a',
  ]);
  const path = dice.pick([
    `/api/v1/connected_accounts/${id}:refresh`,
    `/api/v1/connected_accounts/${id}:disconnect`,
    `/api/v1/connected_accounts/${id}:${MARK}`,
    `/api/v1/connected_accounts/${id}:`,
    `/api/v1/credentials/${id}:rotate`,
    `/api/v1/webhooks/deliveries/${id}:redeliver`,
    `/api/v1/webhooks/${id}:rotate`,
  ]);
  const body = dice.pick([undefined, '{}', '[]', `{"${MARK}":1}`, '{', '\0']);
  return {
    what: `POST ${path.slice(0, 80)} ${body}`,
    method: 'POST',
    path,
    headers: body === undefined ? {} : JSON_TYPE,
    body: body === undefined ? undefined : Buffer.from(body),
  };
}

export function wrongMethod(dice: Dice): Made {
  const { path } = dice.pick(TEMPLATES);
  const method = dice.pick(['OPTIONS', 'PROPFIND', 'LINK', 'DELETE', 'TRACE']);
  const exists = path.includes('/connections/') || path.includes('{');
  const refused = method === 'DELETE' && exists ? 'OPTIONS' : method;
  return { what: `${refused} ${path}`, method: refused, path, headers: {} };
}

export function badToken(dice: Dice, { token }: FuzzTarget): Made {
  const template = dice.pick(TEMPLATES);
  const [head = '', payload = '', signature = ''] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  const authorization = dice.pick([
    'Bearer',
    'Bearer ',
    `Bearer ${MARK}`,
    `Basic ${Buffer.from(`${MARK}:${MARK}`).toString('base64')}`,
    `Bearer ${token}x`,
    `Bearer ${head}.${payload}.${signature.slice(0, -8)}AAAAAAAA`,
    `Bearer ${none}.${payload}.`,
    `Bearer ${head}.${Buffer.from('{}').toString('base64url')}.${signature}`,
    `Bearer ${token} ${token}`,
    `Token ${token}`,
    `Bearer ${'a'.repeat(12_000)}`,
  ]);
  return {
    ...send(`token ${authorization.slice(0, 30)}`, template, template.body),
    headers: { ...JSON_TYPE, authorization },
  };
}

export function foreign(dice: Dice): Made {
  const path = dice.pick([
    ...Object.keys(QUERIES),
    '/mcp',
    '/oauth/token',
    '/metrics',
    '/openapi.json',
    '/connect/x',
    '/',
  ]);
  const headers = dice.pick<Record<string, string>>([
    { host: 'evil.test' },
    { host: '127.0.0.1:1' },
    { host: `${MARK}@evil.test` },
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: MARK },
  ]);
  return { what: `GET ${path} from ${JSON.stringify(headers)}`, method: 'GET', path, headers };
}

export function badHeaders(dice: Dice): Made {
  const path = dice.pick(Object.keys(QUERIES));
  const headers = dice.pick<Record<string, string>>([
    Object.fromEntries(Array.from({ length: 101 + dice.below(200) }, (_, index) => [`x-${index}`, '1'])),
    { 'x-big': 'x'.repeat(17_000 + dice.below(20_000)) },
    { cookie: `a=${'x'.repeat(17_000)}` },
  ]);
  return { what: `GET ${path} with ${Object.keys(headers).length} headers`, method: 'GET', path, headers };
}
