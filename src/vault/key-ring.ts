/**
 * The keys that seal secrets: a list of `id:base64(32 bytes)`; the first seals, all open (docs/contract.md#data-folder-and-keys).
 *
 * Key material stays in the ring: no message, log line or property name carries it.
 */

/** Keys that cannot be used at start. The message is for the operator and says how to fix it. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}

export interface Key {
  id: string;
  /** 32 bytes. */
  bytes: Buffer;
}

/** At least one key; the first one seals. */
export type KeyRing = readonly [Key, ...Key[]];

/**
 * @param text entries separated by commas or newlines
 * @param source origin of the text, for messages
 * @throws KeyError with every faulty entry, by its position
 */
export function parseKeyRing(text: string, source: string): KeyRing {
  const problems: string[] = [];
  const keys: Key[] = [];
  for (const [index, entry] of text.split(/[,\n]/).entries()) {
    if (entry.trim() === '') continue;
    const match = /^([\w.-]{1,64}):([\w+/-]{43}=?)$/.exec(entry.trim());
    const bytes = Buffer.from(match?.[2] ?? '', 'base64');
    const id = match?.[1] ?? '';
    if (bytes.length !== 32) problems.push(`Entry ${index + 1} is not id:base64 of 32 bytes.`);
    else if (keys.some((key) => key.id === id)) problems.push(`Entry ${index + 1} repeats the id ${id}.`);
    else keys.push({ id, bytes });
  }
  const [first, ...rest] = keys;
  if (problems.length === 0 && first !== undefined) return [first, ...rest];
  if (problems.length === 0) problems.push('It holds no key.');
  throw new KeyError(
    `The master keys in ${source} cannot be used. ${problems.join(' ')} A key is made with: ` +
      'echo "key1:$(openssl rand -base64 32)"',
  );
}
