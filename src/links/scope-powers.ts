/**
 * The permissions that scopes give, derived from the tools that need them, so that a page can group them. Pure.
 *
 * A catalog gives each scope a meaning in words. For each tool it states the `effect` and the needed scopes, as
 * groups of alternatives. The first alternative of a group is the narrowest.
 */
import type { Tool } from '../catalog/model/types.ts';

/** The most that a scope lets a tool do; `other`: no tool needs it. */
export type ScopePower = 'delete' | 'change' | 'read' | 'other';

type Needs = Pick<Tool, 'scopes' | 'effect'>;

const POWER_OF = { read: 'read', create: 'change', update: 'change', delete: 'delete' } as const;

/** From weak to strong. */
const STRENGTH: readonly ScopePower[] = ['other', 'read', 'change', 'delete'];

/**
 * The power of a scope. A tool that changes something may need a second scope only to read: a group whose narrowest scope
 * is one that reading tools need gives no power to a tool that has another group.
 */
export function powerOf(scope: string, tools: readonly Needs[]): ScopePower {
  const forReading = new Set(
    tools.filter(({ effect }) => effect === 'read').flatMap(({ scopes }) => scopes.map(([first]) => first)),
  );
  const powers = tools
    .filter(({ effect, scopes }) =>
      scopes.some(
        (alternatives) =>
          alternatives.includes(scope) &&
          (effect === 'read' || scopes.length === 1 || !forReading.has(alternatives[0])),
      ),
    )
    .map(({ effect }): ScopePower => POWER_OF[effect]);
  return STRENGTH.findLast((power) => powers.includes(power)) ?? 'other';
}

/** Whether another of the asked scopes allows everything that this one is needed for, and more. */
export function isIncluded(scope: string, asked: readonly string[], tools: readonly Needs[]): boolean {
  const uses = groupsWith(scope, tools);
  if (uses.length === 0) return false;
  return asked.some(
    (other) =>
      other !== scope &&
      uses.every((alternatives) => alternatives.includes(other)) &&
      groupsWith(other, tools).length > uses.length,
  );
}

function groupsWith(scope: string, tools: readonly Needs[]): (readonly string[])[] {
  return tools.flatMap(({ scopes }) => scopes.filter((alternatives) => alternatives.includes(scope)));
}
