/** Bad callbacks of a provider, and bad starts of a flow. */
import { MARK, type Dice, type FuzzTarget, type Made } from './bad-request.ts';

/** A callback that must not be taken: with the right state and cookie too, something about it is wrong. */
export function badCallback(dice: Dice, { callbackPath, state, cookie }: FuzzTarget): Made {
  const path = dice.pick([
    callbackPath,
    callbackPath,
    callbackPath.replace(/conn_\w+/, MARK),
    callbackPath.replace(/conn_\w+/, '%2e%2e%2f%00'),
    callbackPath.replace(/conn_\w+/, '%ff'),
  ]);
  const query = dice.pick([
    '',
    `state=${state}`,
    `state=${state}&code=`,
    `state=${state}&code=${MARK}&code=${MARK}`,
    `state=${state}&code=${MARK}&error=${MARK}`,
    `state=${state}&state=${state}&code=${MARK}`,
    `state=${state}&code=${MARK}&iss=${MARK}`,
    `state=${state}&code=${MARK}&iss=`,
    `state=${state}&code=${MARK}&x=%ff`,
    `state=${state}&code=${MARK}&x=${'x'.repeat(9_000)}`,
    `state=${state}%00&code=${MARK}`,
    `state=${MARK}&code=${MARK}`,
    `state=${'A'.repeat(43)}&code=${MARK}`,
    `state[]=${state}&code[]=${MARK}`,
    `error=${MARK}&error_description=${encodeURIComponent(`<script>${MARK}</script>`)}`,
    '&&&===&&&',
    '%',
  ]);
  return {
    what: `GET ${path}?${query.slice(0, 60)}`,
    method: 'GET',
    path: `${path}?${query}`,
    headers: { cookie: dice.pick([cookie, cookie, '', `${cookie}x`, `a=${MARK}`]) },
  };
}

/** A link that leads nowhere, or no way to open one. */
export function badDeparture(dice: Dice, { cookie }: FuzzTarget): Made {
  const token = dice.pick([MARK, 'a'.repeat(43), '%00', '%ff', 'x'.repeat(5_000), '..%2f..%2fgo']);
  return {
    what: `GET /connect/${token.slice(0, 60)}/go`,
    method: 'GET',
    path: `/connect/${token}/go`,
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  };
}
