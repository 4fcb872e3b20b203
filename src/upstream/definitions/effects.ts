/**
 * Effects of remote tools, as far as their hints and names tell. They are proposals that a person decides on. Pure.
 */
import type { Effect, ToolAnnotations } from '../../catalog/model/types.ts';
import type { ListedAnnotations, ListedTool } from '../../store/tables/upstream-tool-tables.ts';

/** Effects, from harmless to dangerous. */
const EFFECTS: readonly Effect[] = ['read', 'create', 'update', 'delete'];

/** Beginnings of the names of tools that read. */
const READING = /^(?:get|list|search|fetch|find|read|query)(?![a-z])/;

/** The effect that hints stand for; the most dangerous one if they say nothing. */
export function proposedEffect(annotations: ListedAnnotations = {}): Effect {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
  if (readOnlyHint === true) return 'read';
  if (destructiveHint === false) return 'create';
  return destructiveHint === true && idempotentHint === true ? 'update' : 'delete';
}

/** The effect of a tool that no person looks at. It only counts as reading if its name says so too. */
export function unseenEffect({ name, annotations }: ListedTool): Effect {
  const effect = proposedEffect(annotations);
  return effect === 'read' && !isReadingName(name) ? 'delete' : effect;
}

/** Whether a name begins like that of a tool that reads, after any prefix: `get_issue`, `notion-search`. */
function isReadingName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return READING.test(words) || READING.test(words.replace(/^[a-z0-9]+[^a-z0-9]+/, ''));
}

/**
 * The effect that applies: the approved one, or a more dangerous one that the server has declared since then.
 *
 * @param approved by a person or a rule, for the definition `from`
 * @param later hints of definitions that the server lists now and nobody approved
 */
export function effectNow(
  approved: Effect,
  from: ListedAnnotations | undefined,
  later: readonly (ListedAnnotations | undefined)[],
): Effect {
  const known = rank(proposedEffect(from));
  const admitted = later
    .map((annotations) => rank(proposedEffect(annotations)))
    .filter((each) => each > known);
  return EFFECTS[Math.max(rank(approved), ...admitted)] ?? 'delete';
}

/** The most dangerous of some effects; `read` for an empty list. */
export function strictestEffect(effects: readonly Effect[]): Effect {
  return EFFECTS[Math.max(0, ...effects.map(rank))] ?? 'delete';
}

function rank(effect: Effect): number {
  return EFFECTS.indexOf(effect);
}

/** Published hints of an effect. @param isIdempotent as approved with the definition */
export function hintsOf(effect: Effect, isIdempotent: boolean): ToolAnnotations {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'delete',
    idempotentHint: effect === 'read' || isIdempotent,
    openWorldHint: true,
  };
}
