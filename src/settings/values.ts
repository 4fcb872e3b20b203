/**
 * Kinds of single settings: text, numbers, durations, sizes, choices, lists.
 *
 * Each kind checks the value that YAML gives, and reads the same value from text (an environment variable, a
 * flag, an expanded `${VAR}`). Messages never repeat the value: it may be a secret.
 *
 * All settings use zod's small form: every command builds these schemas at start, and the other form costs an
 * idle server 2 MB more.
 */
import * as z from 'zod/mini';
import { parseDuration } from '../core/clock.ts';

/** The written form of a setting, which decides how text becomes its value. */
export type SettingKind = 'text' | 'integer' | 'boolean' | 'duration' | 'size' | 'list';

/** Facts about a setting in addition to its shape; the generated documentation is made from them. */
export interface SettingInfo {
  /** One or a few sentences. */
  meaning: string;
  /** Second environment variable, in addition to the one that follows from the path. */
  variable?: string;
  /** The default in words, if it is not a fixed value. */
  default?: string;
  /** Never shown. */
  isSecret?: boolean;
}

/** Facts about a setting, with those that follow from its shape. */
interface KnownSetting extends SettingInfo {
  kind: SettingKind;
  /** Such as `1s to 30d`. */
  range?: string | undefined;
}

const kinds = new WeakMap<z.ZodMiniType, SettingKind>();
const ranges = new WeakMap<z.ZodMiniType, string>();
const infos = new WeakMap<object, KnownSetting>();

/** Info of a schema member that is a setting; `undefined` for groups. */
export function settingInfo(schema: object): KnownSetting | undefined {
  return infos.get(schema);
}

/** A setting that may be left out. */
export function optional<S extends z.ZodMiniType>(leaf: S, info: SettingInfo): z.ZodMiniExactOptional<S> {
  return remember(z.exactOptional(leaf), leaf, info);
}

/** A setting with a fixed default, written as it would be in the file. */
export function withDefault<S extends z.ZodMiniType>(
  leaf: S,
  value: z.input<S>,
  info: SettingInfo,
): z.ZodMiniPrefault<S> {
  return remember(z.prefault(leaf, value), leaf, info);
}

/** A setting that is required wherever its group is present. */
export function required<S extends z.ZodMiniType>(leaf: S, info: SettingInfo): S {
  return remember(leaf, leaf, info);
}

/** Text. @param accepts the valid texts @param expected ends the sentence "must be …" */
export function text(accepts: RegExp | ((text: string) => boolean), expected: string): z.ZodMiniString {
  const error = `must be ${expected}`;
  const base = z.string({ error });
  return kind(
    'text',
    base.check(accepts instanceof RegExp ? z.regex(accepts, error) : z.refine(accepts, error)),
  );
}

/** One of a few words. */
export function choice<const W extends readonly [string, ...string[]]>(
  words: W,
): z.ZodMiniEnum<{ [K in W[number]]: K }> {
  return kind('text', z.enum(words, { error: `must be one of: ${words.join(', ')}` }));
}

/** One of a few words, where `true` means one of them and `false` another. */
export function switchOf<const Word extends string>(
  words: readonly Word[],
  meant: { true: Word; false: Word },
) {
  const error = `must be one of: ${words.join(', ')}, true, false`;
  const byText = new Map<unknown, Word>([
    ...words.map((word) => [word, word] as const),
    ...[true, 'true', '1'].map((yes) => [yes, meant.true] as const),
    ...[false, 'false', '0'].map((no) => [no, meant.false] as const),
  ]);
  const schema = z.pipe(
    z.union([z.boolean(), z.string()], { error }).check(z.refine((written) => byText.has(written), error)),
    z.transform((written: boolean | string): Word => byText.get(written) ?? meant.false),
  );
  return kind('text', schema);
}

/** A whole number. */
export function integer(minimum: number, maximum: number): z.ZodMiniNumber {
  const range = `${minimum} to ${maximum}`;
  const error = `must be a whole number from ${range}`;
  return kind('integer', z.int({ error }).check(z.minimum(minimum, error), z.maximum(maximum, error)), range);
}

/** `true` or `false`. */
export function flag(): z.ZodMiniBoolean {
  return kind('boolean', z.boolean({ error: 'must be true or false' }));
}

/** A duration such as `10m`; the parsed value is in milliseconds. */
export function duration(minimum: string, maximum: string) {
  const range = `${minimum} to ${maximum}`;
  const error = `must be a duration from ${range}, written like 250ms, 2s, 10m, 1h or 30d`;
  const [least, most] = [parseDuration(minimum) ?? 0, parseDuration(maximum) ?? Infinity];
  const schema = z
    .pipe(
      z.string({ error }).check(z.regex(/^\d{1,9}(ms|s|m|h|d)$/, error)),
      z.transform((written: string) => parseDuration(written) ?? -1),
    )
    .check(z.refine((ms) => ms >= least && ms <= most, error));
  return kind('duration', schema, range);
}

/** A size such as `10 MB` (1 kB = 1000 bytes, 1 KiB = 1024) or a number of bytes; the parsed value is in bytes. */
export function size(minimum: string, maximum: string) {
  const range = `${minimum} to ${maximum}`;
  const error = `must be a size from ${range}, written like 60 kB, 10 MB or as a number of bytes`;
  const [least, most] = [parseSize(minimum) ?? 0, parseSize(maximum) ?? Infinity];
  const schema = z
    .pipe(
      z.union([z.int({ error }), z.string({ error }).check(z.regex(SIZE, error))], { error }),
      z.transform((written: string | number) => parseSize(String(written)) ?? -1),
    )
    .check(z.refine((bytes) => bytes >= least && bytes <= most, error));
  return kind('size', schema, range);
}

/**
 * A list of texts, separated by commas in an environment variable or flag. @param minimum least number of
 * entries
 */
export function list(accepts: RegExp | ((text: string) => boolean), expected: string, minimum = 0) {
  const entries = z
    .array(text(accepts, expected), { error: 'must be a list' })
    .check(
      z.minLength(minimum, 'must not be empty: name something or remove it'),
      z.maxLength(1000, 'must not have over 1000 entries'),
    );
  return kind('list', entries);
}

/**
 * Returns the value that YAML would give for the same setting, from its text.
 *
 * Text that does not fit the kind is returned unchanged, so that the schema rejects it with its own sentence.
 */
export function fromText(settingKind: SettingKind, written: string): unknown {
  const trimmed = written.trim();
  if (settingKind === 'integer') return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed;
  if (settingKind === 'boolean')
    return { true: true, '1': true, false: false, '0': false }[trimmed] ?? trimmed;
  if (settingKind === 'list')
    return trimmed
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  return trimmed;
}

const SIZE = /^(\d{1,12})\s?(B|kB|KB|MB|GB|KiB|MiB|GiB)?$/;
const UNIT_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** @returns bytes, or `undefined` if the text is not a size */
function parseSize(written: string): number | undefined {
  const match = SIZE.exec(written);
  return match === null ? undefined : Number(match[1]) * (UNIT_BYTES[match[2] ?? 'B'] ?? 1);
}

function kind<S extends z.ZodMiniType>(name: SettingKind, schema: S, range?: string): S {
  kinds.set(schema, name);
  if (range !== undefined) ranges.set(schema, range);
  return schema;
}

function remember<S extends z.ZodMiniType>(schema: S, leaf: z.ZodMiniType, info: SettingInfo): S {
  infos.set(schema, { ...info, kind: kinds.get(leaf) ?? 'text', range: ranges.get(leaf) });
  return schema;
}
