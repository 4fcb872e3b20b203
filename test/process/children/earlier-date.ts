/**
 * Loaded before the program (`--import`): its clock runs DATE_OFFSET_MS milliseconds away from the machine's. With it
 * a stored database does not grow old: sessions, links and outcomes in it last as they did when it was made.
 */
const offsetMs = Number(process.env.DATE_OFFSET_MS ?? 0);
const systemNow = Date.now;
const now = (): number => systemNow() + offsetMs;

globalThis.Date = new Proxy(Date, {
  construct: (target, given: unknown[], made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made) as object,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
