/** Bad requests of every kind from a seed: the same seed gives the same requests. */
import * as bodies from './bad-bodies.ts';
import * as callbacks from './bad-callbacks.ts';
import * as lines from './bad-lines.ts';
import * as people from './bad-people.ts';
import * as proxied from './bad-proxied.ts';
import * as protocols from './bad-protocols.ts';
import { Dice, type BadRequest, type FuzzTarget, type Made } from './bad-request.ts';
import { badToolInput } from './bad-tool-input.ts';

/** Kinds of bad requests and how often each comes in relation to the others. */
const MAKERS: readonly [number, (dice: Dice, target: FuzzTarget) => Made][] = [
  [4, bodies.badField],
  [4, badToolInput],
  [2, lines.badQuery],
  [2, proxied.badProxyPath],
  ...[
    ...Object.values(bodies),
    ...Object.values(lines),
    ...Object.values(protocols),
    ...Object.values(callbacks),
    ...Object.values(proxied),
    ...Object.values(people),
  ].map((maker): [number, (dice: Dice, target: FuzzTarget) => Made] => [1, maker]),
];

const BAG = MAKERS.flatMap(([times, maker]) => Array.from({ length: times }, () => maker));

/** `count` bad requests. */
export function* badRequests(seed: number, count: number, target: FuzzTarget): Generator<BadRequest> {
  const dice = new Dice(seed);
  for (let i = 0; i < count; i += 1) {
    const request = dice.pick(BAG)(dice, target);
    yield {
      expected: 'refused',
      body: undefined,
      ...request,
      path: request.path.replace(/\{(\w+)\}/g, (_, name: string) => target.ids[name] ?? name),
      headers: { authorization: `Bearer ${target.token}`, ...request.headers },
    };
  }
}
