/** Bad requests to what people and their clients use: pages, forms, consent, the authorization server, virtual servers. */
import { MARK, type Dice, type FuzzTarget, type Made } from './bad-request.ts';
import { BIG } from './templates.ts';

const SEGMENTS = ['%00', '%ff', '%2e%2e', MARK, 'x'.repeat(5_000), '%', "'%20or%201=1", ':', 'a'.repeat(43)];
const VALUES = [
  '',
  MARK,
  '%00',
  '%ff',
  '%ED%A0%80',
  '<script>',
  'x'.repeat(7_000),
  'a%40b',
  '@',
  '%0d%0a',
  '[',
];
const ADDRESSES = [
  'https://evil.test/',
  '//evil.test',
  '/%5Cevil.test',
  'javascript:alert(1)',
  '/sign-out',
  '/invitations/%00',
  '/connect/confirm?auth_request_id=',
];

/** Many callers, so that limits per address do not hide what is behind them. */
function from(dice: Dice): Record<string, string> {
  return { 'x-forwarded-for': `10.${dice.below(256)}.${dice.below(256)}.${1 + dice.below(254)}` };
}

/** A form with something wrong in it, now and then from the browser that was shown it. */
export function badPersonForm(dice: Dice, { person, ids }: FuzzTarget): Made {
  const isOwn = dice.below(2) === 0;
  const path = dice.pick([
    '/sign-in',
    '/sign-in/code',
    '/sign-up',
    '/sign-up/code',
    '/organizations',
    '/sessions',
    '/connect/confirm',
    `/invitations/${dice.pick(SEGMENTS)}`,
    `/invitations/${ids.invitation}/code`,
    `/oauth/interaction/${dice.pick(SEGMENTS)}`,
    person.consentPath,
    ...(isOwn ? [] : ['/sign-out']),
  ]);
  const fields = ['next', 'code', 'given_name', 'organization_id', 'auth_request_id', 'session']
    .filter(() => dice.below(2) === 0)
    .map((name) => `${name}=${dice.pick([...VALUES, ...ADDRESSES.map(encodeURIComponent)])}`);
  // No address that a code could go to: what is sent is kept.
  fields.push(
    `email=${dice.pick(['', MARK, '%00', 'a@', '@b', 'a%20b@c.test', BIG, 'a@b%0d%0aBcc:%20c@d.test'])}`,
  );
  // No name that an organization could have: the browser is signed in.
  fields.push(`name=${dice.pick(['', '%00', '%0a', BIG])}`);
  if (dice.below(6) > 0) fields.push(`csrf=${isOwn ? person.csrf : dice.pick(VALUES)}`);
  return {
    what: `POST ${path} ${fields.join('&').slice(0, 60)}`,
    method: 'POST',
    path,
    headers: {
      ...from(dice),
      'content-type': dice.pick([
        'application/x-www-form-urlencoded',
        'application/x-www-form-urlencoded',
        'application/json',
        'multipart/form-data; boundary=x',
      ]),
      cookie: isOwn ? person.cookies : dice.pick(['', `gatehouse_browser=${MARK}`, 'gatehouse_session=%00']),
      ...(dice.below(4) === 0 && { origin: dice.pick(['null', 'https://evil.test', MARK]) }),
    },
    body: Buffer.from(fields.join('&')),
    expected: isOwn ? 'answered' : 'refused',
  };
}

/** A page asked for something that is not there, or with an address that leads elsewhere. */
export function badPersonPage(dice: Dice, { person }: FuzzTarget): Made {
  const value = (): string => dice.pick([...VALUES, ...ADDRESSES]);
  const segment = dice.pick(SEGMENTS);
  const path = dice.pick([
    `/sign-in?next=${value()}`,
    `/sign-in/provider?organization_id=${value()}&email=${value()}&next=${value()}`,
    `/sign-up?name=${value()}&name=${value()}`,
    `/organizations?organization_id=${value()}`,
    `/connect/confirm?auth_request_id=${value()}`,
    `/invitations/${segment}`,
    `/oauth/interaction/${segment}`,
    `/sso/v1/oidc/${segment}/callback?state=${value()}&code=${value()}`,
    `/sso/v1/oidc/org_${'0'.repeat(26)}/callback?error=${value()}`,
    `/dashboard?${value()}=${value()}`,
  ]);
  const method = dice.pick(['GET', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
  return {
    what: `${method} ${path.slice(0, 80)}`,
    method,
    path: encodeURI(path).replaceAll('%25', '%'),
    headers: {
      ...from(dice),
      cookie: dice.pick([person.cookies, '', 'gatehouse_session=%00; gatehouse_session=%ff', `a=${MARK}`]),
    },
    expected: 'answered',
  };
}

/** An authorization request of a client that exists, with one parameter that is bad. */
export function badAuthorize(dice: Dice, { person }: FuzzTarget): Made {
  const name = dice.pick([
    ...Object.keys(person.authorize),
    'prompt',
    'request',
    'request_uri',
    'response_mode',
    'claims',
  ]);
  const value = dice.pick([
    ...VALUES,
    ...ADDRESSES,
    'plain',
    'token',
    'none',
    'admin%20openid',
    'https://127.0.0.1:1/client.json',
    '{',
  ]);
  const parameters = Object.entries({ ...person.authorize, [name]: value })
    .filter(([other]) => other !== name || dice.below(5) > 0)
    .map(([key, text]) => `${key}=${key === name ? text : encodeURIComponent(text)}`);
  if (dice.below(5) === 0) parameters.push(`${name}=${value}`);
  // Without one parameter of a good request: never quite good, a missing or strange one may be allowed.
  const query = [...parameters, 'code_challenge_method=plain'].join('&');
  const isForm = dice.below(4) === 0;
  return {
    what: `authorize ${name} = ${value.slice(0, 40)}`,
    method: isForm ? 'POST' : dice.pick(['GET', 'GET', 'GET', 'DELETE']),
    path: isForm ? '/oauth/authorize' : `/oauth/authorize${dice.pick(['', '', `/${MARK}`])}?${query}`,
    headers: {
      ...from(dice),
      cookie: person.cookies,
      ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    body: isForm ? Buffer.from(query) : undefined,
    expected: 'answered',
  };
}

/** Metadata of a client that cannot be registered. */
export function badRegistration(dice: Dice): Made {
  const good = { client_name: MARK, redirect_uris: ['http://127.0.0.1:1/callback'] };
  const wrong = dice.pick<unknown>([
    {
      ...good,
      redirect_uris: dice.pick<unknown>([
        [],
        null,
        7,
        [MARK],
        ['javascript:alert(1)'],
        ['http://evil.test/'],
        [BIG],
        [{}],
        ['https://a.test/#x'],
      ]),
    },
    { client_name: MARK },
    { ...good, grant_types: dice.pick<unknown>([['password'], ['implicit'], 7, [null], MARK]) },
    { ...good, response_types: dice.pick<unknown>([['token'], ['id_token'], 7, [null]]) },
    { ...good, token_endpoint_auth_method: dice.pick<unknown>([MARK, 'private_key_jwt', 7, {}]) },
    { ...good, client_name: dice.pick<unknown>([7, {}, BIG]) },
    [good],
    null,
    7,
  ]);
  const text = JSON.stringify(wrong);
  const body = dice.pick([text, text, text.slice(0, -1), '['.repeat(5_000), '']);
  return {
    what: `register ${body.slice(0, 300)}`,
    method: 'POST',
    path: '/oauth/register',
    headers: {
      ...from(dice),
      'content-type': dice.pick(['application/json', 'application/json', 'text/plain']),
    },
    body: Buffer.from(body),
  };
}

/** Tokens and codes that never were, from a client that exists and from others. */
export function badGrant(dice: Dice, { person, token }: FuzzTarget): Made {
  const path = dice.pick(['/oauth/token', '/oauth/token', '/oauth/revoke', '/oauth/introspect']);
  const client = dice.pick([
    person.authorize['client_id'] ?? '',
    MARK,
    '%00',
    'https://127.0.0.1:1/client.json',
  ]);
  const form = dice.pick([
    `grant_type=authorization_code&code=${dice.pick(VALUES)}&redirect_uri=${dice.pick(VALUES)}&code_verifier=${dice.pick(VALUES)}`,
    `grant_type=refresh_token&refresh_token=${dice.pick(VALUES)}&scope=${dice.pick(VALUES)}`,
    `grant_type=${dice.pick(VALUES)}`,
    `token=${dice.pick(VALUES)}&token_type_hint=${dice.pick(VALUES)}`,
    `token=${token.slice(0, -9)}`,
    '',
  ]);
  return {
    what: `POST ${path} ${form.slice(0, 60)}`,
    method: 'POST',
    path,
    headers: {
      ...from(dice),
      'content-type': 'application/x-www-form-urlencoded',
      authorization: dice.pick(['', `Basic ${MARK}`, 'Basic Og==']),
    },
    body: Buffer.from(`${form}&client_id=${client}`),
    expected: 'answered',
  };
}

/** An id that is not there, under every route of people and policy, and verbs that none of them has. */
export function badPeoplePath(dice: Dice, { ids }: FuzzTarget): Made {
  const segment = dice.pick(SEGMENTS);
  const [method, path] = dice.pick([
    ...['organizations', 'users', 'sessions', 'interceptors', 'mcp_servers'].flatMap(
      (name): [string, string][] => [
        [dice.pick(['GET', 'DELETE', 'PATCH']), `/api/v1/${name}/${segment}`],
        ['POST', `/api/v1/${name}/${segment}:${dice.pick(['enable', 'disable', 'test', MARK, ''])}`],
      ],
    ),
    ['DELETE', `/api/v1/organizations/${ids.organization}/members/${segment}`],
    ['DELETE', `/api/v1/organizations/${ids.organization}/invitations/${segment}`],
    ['GET', `/api/v1/interceptors/${segment}/logs`],
    ['POST', `/api/v1/audit:${segment}`],
    ['DELETE', `/api/v1/signing_secret${dice.pick(['', ':rotate', `:${MARK}`])}`],
  ] as [string, string][]);
  return { what: `${method} ${path.slice(0, 80)}`, method, path, headers: {} };
}

/** A virtual server that is not there, or asked with a token that is not for it. */
export function badServer(dice: Dice): Made {
  const name = dice.pick([...SEGMENTS, 'desk', 'desk/', 'DESK', 'desk%2f..', 'desk?toolsets=%00']);
  const body = dice.pick(['', '{}', '[]', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', '\0']);
  return {
    what: `POST /mcp/${name.slice(0, 60)} ${body}`,
    method: dice.pick(['POST', 'POST', 'GET', 'DELETE']),
    path: `/mcp/${name}`,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: Buffer.from(body),
    expected: 'answered',
  };
}
