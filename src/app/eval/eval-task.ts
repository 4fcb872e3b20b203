/**
 * Tasks in the words of people, with the calls that solve each and the state that has to be reached. They are data:
 * the files of evals/, against the stand-ins of sandbox/.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { parseStrictYaml } from '../../core/yaml/strict-yaml.ts';

const input = z.record(z.string(), z.unknown());

/** A value of an answer that later calls use: the first value under `take`, within the first object that has `of`. */
const kept = z.union([z.string(), z.strictObject({ of: input, take: z.string() })]);

const call = z.strictObject({
  tool: z.string(),
  input: input.default({}),
  keep: z.record(z.string(), kept).default({}),
});

const check = call.extend({
  /** The answer must contain an object with these members. */
  has: z.unknown().optional(),
  /** The answer must not contain an object with these members. */
  lacks: z.unknown().optional(),
});

const task = z.strictObject({
  /** `<group>.<name>`, unique. */
  id: z.string().regex(/^[a-z]+\.[a-z0-9-]+$/),
  /** The task in the words of a person. */
  ask: z.string().min(20),
  /** Calls that solve it, in order. */
  calls: z.array(call).min(1),
  /** Texts that an answer to the person must contain, for tasks that ask something. */
  answer: z.array(z.string()).default([]),
  /** Calls that read the state afterwards, over REST. */
  end: z.array(check).default([]),
});

const file = z.strictObject({ tasks: z.array(task).min(1) });

/** A value to keep from an answer. */
export type Kept = z.output<typeof kept>;

/** A task. */
export type EvalTask = z.output<typeof task>;

/** Folder of the shipped tasks, in a checkout and in the published package. */
const SHIPPED = [new URL('../evals', import.meta.url), new URL('../../../evals', import.meta.url)];

/**
 * The shipped tasks, in the order of their files.
 *
 * @throws Error that names the file and the position of the mistake
 */
export function shippedTasks(): EvalTask[] {
  const folder = fileURLToPath(
    SHIPPED.find((one) => existsSync(one)) ?? new URL('../../../evals', import.meta.url),
  );
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return names.toSorted().flatMap((name) => readTasks(name, readFileSync(`${folder}/${name}`, 'utf8')));
}

/** @throws Error that names the file and the position of the mistake */
export function readTasks(name: string, text: string): EvalTask[] {
  const yaml = parseStrictYaml(text);
  const read = file.safeParse(yaml.tree);
  const wrong = [
    ...yaml.problems.map(({ line, message }) => `${name}:${line}: ${message}`),
    ...(read.error?.issues ?? []).map(({ path, message }) => {
      const place = path.filter((part) => typeof part !== 'symbol');
      // A missing member has no line, so the line of the object that lacks it is used.
      const line = place.map((_, index) => yaml.lineOf(place.slice(0, place.length - index))).find(Boolean);
      return `${name}:${line ?? 1}: ${place.join('.')}: ${message}`;
    }),
  ];
  if (!read.success || wrong.length > 0) throw new Error(wrong.join('\n'));
  return read.data.tasks;
}
