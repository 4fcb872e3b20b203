/**
 * Loaded before the program (`--import`): its clock runs some milliseconds away from the machine's. They are
 * DATE_OFFSET_MS, so that a stored database does not grow old; or what the file DATE_OFFSET_FILE says now, so that a
 * test lets the clock of a running process jump. Timers continue as a machine's do: they do not depend on the clock.
 */
import { readFileSync } from 'node:fs';

const { DATE_OFFSET_MS = '0', DATE_OFFSET_FILE: file } = process.env;
const systemNow = Date.now;
const now = (): number =>
  systemNow() + Number(file === undefined ? DATE_OFFSET_MS : readFileSync(file, 'utf8'));

globalThis.Date = new Proxy(Date, {
  construct: (target, given: unknown[], made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made) as object,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
