/**
 * The fingerprint of a definition, and the states of the tools of a list. Pure.
 *
 * The texts that a model reads are pinned: a definition that differs by one character counts as another one, and is
 * held back until somebody approves it.
 */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../core/json.ts';
import { listedTool } from './listed-tool.ts';
import type { ListedTool } from '../../store/tables/upstream-tool-tables.ts';

/** Members of schemas whose values a server may choose for each account. */
const VALUES = new Set(['enum', 'default', 'examples']);

/**
 * `sha256` of the canonical JSON of a definition, in hexadecimal.
 *
 * @param pin `shape`: values that a server may choose for each account are left out of its schemas
 */
export function definitionHash(tool: ListedTool, pin: 'full' | 'shape' = 'full'): string {
  return createHash('sha256')
    .update(canonicalJson(pinnedTool(tool, pin)))
    .digest('hex');
}

/**
 * The pinned members of a definition, which may be shown to every account.
 *
 * @param pin `shape`: without the values that a server may choose for each account
 */
export function pinnedTool(tool: ListedTool, pin: 'full' | 'shape' = 'full'): ListedTool {
  const listed = listedTool(tool);
  const { inputSchema, outputSchema } = listed;
  if (pin === 'full') return listed;
  return {
    ...listed,
    inputSchema: shapeOfObject(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: shapeOfObject(outputSchema) }),
  };
}

/** A schema without the values of its keywords `enum`, `default` and `examples`. Members with these names stay. */
function shapeOf(schema: unknown, areNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => shapeOf(item));
  return isObject(schema) ? shapeOfObject(schema, areNames) : schema;
}

function shapeOfObject(schema: JsonObject, areNames = false): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => areNames || !VALUES.has(name))
      .map(([name, member]) => [name, shapeOf(member, !areNames && MAPS.has(name))]),
  );
}

/** Keywords whose members are names, not keywords. */
const MAPS = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/**
 * One fingerprint for a whole list, independent of its order.
 * @param hashes of its definitions
 */
export function listHash(hashes: Iterable<string>): string {
  return createHash('sha256')
    .update([...hashes].sort().join('\n'))
    .digest('hex');
}

/**
 * JSON with one spelling for each value: members sorted by UTF-16 code units, no blanks. Members that are `undefined`
 * are left out.
 *
 * @see RFC 8785; JavaScript writes numbers and strings as it demands
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Names within one object are unique, so no two of them compare as equal.
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/**
 * State of a definition.
 * - `new`: nobody has decided, and no form of this tool was ever approved
 * - `approved`: published as it is
 * - `held`: it differs from the approved form, or cannot be published
 * - `gone`: approved, but in no account's list
 */
export type PinState = 'new' | 'approved' | 'held' | 'gone';

/** A stored definition, as far as decisions about it need. */
export interface Pin {
  /** The tool's name at its server. */
  tool: string;
  hash: string;
  state: PinState;
  /** Time of the approval; null if there was none, or if another form was approved instead of this one. */
  decided_at?: number | null;
}

/**
 * Who approves new definitions: a person; a person, except for the first list; or nobody (for the operator's own
 * servers).
 */
export type ApprovalMode = 'manual' | 'first' | 'trusted';

/** A definition of a list, judged. */
export interface Judged {
  tool: string;
  hash: string;
  /** Reason why it cannot be published, even if somebody approves it: no name, or a schema beyond the limits. */
  obstacle: string | undefined;
  /** Whether the text check found something. */
  isSuspicious: boolean;
}

/**
 * State changes of the definitions of a list, compared with the known ones.
 *
 * @param list the whole list of one account
 * @param known of the connection
 * @param seenElsewhere hashes that the last list of another account has
 * @param isFirst whether the connection never had a list before
 */
export function pinChanges(
  list: readonly Judged[],
  known: readonly Pin[],
  options: { mode: ApprovalMode; isFirst: boolean; seenElsewhere: ReadonlySet<string> },
): Pin[] {
  const { mode, isFirst, seenElsewhere } = options;
  const before = new Map(known.map((pin) => [`${pin.tool}\n${pin.hash}`, pin]));
  const decided = new Set(known.filter(isDecided).map(({ tool }) => tool));
  const listed = new Set(list.map(({ tool, hash }) => `${tool}\n${hash}`));
  const found = list.flatMap(({ tool, hash, obstacle, isSuspicious }): Pin[] => {
    const pin = before.get(`${tool}\n${hash}`);
    if (pin?.state === 'gone') return [{ tool, hash, state: pin.decided_at === null ? 'held' : 'approved' }];
    if (pin !== undefined) return [];
    if (obstacle !== undefined) return [{ tool, hash, state: 'held' }];
    const isApproved = mode === 'trusted' || (mode === 'first' && isFirst && !isSuspicious);
    return [{ tool, hash, state: isApproved ? 'approved' : decided.has(tool) ? 'held' : 'new' }];
  });
  const lost = known
    .filter(
      ({ tool, hash, state }) =>
        state === 'approved' && !listed.has(`${tool}\n${hash}`) && !seenElsewhere.has(hash),
    )
    // A tool whose definition changed stays published with its approved form.
    .filter(({ tool }) => !list.some((judged) => judged.tool === tool))
    .map(({ tool, hash }): Pin => ({ tool, hash, state: 'gone' }));
  return [...found, ...lost];
}

/** The newest approved form of the tool, even if its server no longer lists it. */
export function newestApproved<Form extends Pin & { decided_at: number | null }>(
  forms: readonly Form[],
  tool: string,
): Form | undefined {
  return forms
    .filter((form) => form.tool === tool && isDecided(form))
    .toSorted((a, b) => (b.decided_at ?? 0) - (a.decided_at ?? 0))[0];
}

function isDecided({ state }: Pin): boolean {
  return state === 'approved' || state === 'gone';
}
