/** Bad token requests, MCP messages and connect forms. */
import { MARK, type Dice, type FuzzTarget, type Made } from './bad-request.ts';
import { badInput } from './bad-tool-input.ts';
import { BIG } from './templates.ts';

export function badTokenRequest(dice: Dice): Made {
  const form = dice.pick([
    '',
    'grant_type=client_credentials',
    `grant_type=client_credentials&client_id=${MARK}&client_secret=${MARK}`,
    `grant_type=password&username=${MARK}&password=${MARK}`,
    'grant_type=client_credentials&grant_type=client_credentials',
    `client_id=%00&client_secret=%00&grant_type=client_credentials`,
    `client_id=%ff&client_secret=%ff&grant_type=client_credentials`,
    `grant_type=authorization_code&code=${MARK}`,
    `scope=${'x'.repeat(100_000)}`,
    '&&&===&&&',
  ]);
  const type = dice.pick([
    'application/x-www-form-urlencoded',
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
  ]);
  const authorization = dice.pick([
    '',
    'Basic',
    `Basic ${MARK}`,
    `Basic ${Buffer.from('a').toString('base64')}`,
    'Bearer x',
  ]);
  return {
    what: `POST /oauth/token ${form.slice(0, 60)} as ${type}`,
    method: 'POST',
    path: '/oauth/token',
    headers: { 'content-type': type, authorization },
    body: Buffer.from(form),
  };
}

/**
 * A well-formed call whose arguments the tool refuses; MCP answers such an error with 200. It corrects many wrong values,
 * but never an argument that does not exist.
 */
export function badMcpCall(dice: Dice, target: FuzzTarget): Made {
  const { tool, input, what } = badInput(dice, target);
  const version = dice.pick(['2025-11-25', '2025-06-18']);
  const params = { name: tool, arguments: { ...input, colour: MARK } };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'gatehouse-user-id': MARK,
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return mcp(`tools/call ${what}`, headers, JSON.stringify(message));
}

/** A message with something wrong in its envelope or its headers. */
export function badMcpMessage(dice: Dice): Made {
  const message = {
    jsonrpc: dice.pick<unknown>(['2.0', '1.0', 2]),
    id: dice.pick<unknown>([1, 'a', null, {}, 1.5]),
    method: dice.pick<unknown>([
      'tools/call',
      'tools/list',
      'initialize',
      'server/discover',
      MARK,
      '',
      7,
      null,
    ]),
    params: dice.pick<unknown>([
      { name: MARK },
      { name: 7 },
      { name: '__proto__', arguments: {} },
      {},
      [],
      null,
      MARK,
    ]),
  };
  const body = dice.pick([
    JSON.stringify(message),
    JSON.stringify([message]),
    JSON.stringify(message).slice(0, 40),
    '[]',
    'null',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  ]);
  const headers = {
    'content-type': dice.pick(['application/json', 'application/json', 'text/plain']),
    accept: dice.pick(['application/json, text/event-stream', '*/*', 'text/html']),
    'mcp-protocol-version': dice.pick(['2025-11-25', '2026-07-28', '1999-01-01', MARK]),
    'gatehouse-user-id': dice.pick([MARK, '', 'x'.repeat(500)]),
  };
  return mcp(body.slice(0, 100), headers, body);
}

function mcp(what: string, headers: Record<string, string>, body: string): Made {
  return {
    what: `POST /mcp ${what}`,
    method: 'POST',
    path: '/mcp',
    headers,
    body: Buffer.from(body),
    expected: 'answered',
  };
}

export function badForm(dice: Dice, { linkPath }: FuzzTarget): Made {
  const path = dice.pick([linkPath, `/connect/${'a'.repeat(43)}`, `/connect/${MARK}`]);
  const body = dice.pick([
    '',
    `csrf=${MARK}`,
    `csrf=${MARK}&api_key=${MARK}`,
    `csrf=%00&api_key=%ff`,
    `api_key=${BIG}`,
    '&&==',
  ]);
  return {
    what: `POST ${path} ${body.slice(0, 60)}`,
    method: 'POST',
    path,
    headers: {
      'content-type': dice.pick([
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain',
      ]),
      cookie: dice.pick(['', `a=${MARK}`]),
    },
    body: Buffer.from(body),
  };
}
