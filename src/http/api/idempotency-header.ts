/**
 * The header `Idempotency-Key`: an alias of `idempotency_key`, and the only way to send a key with proxied requests.
 *
 * @see draft-ietf-httpapi-idempotency-key-header, whose quoted form is used unchanged
 */
import { invalidField } from '../../core/errors.ts';

const NAME = 'idempotency-key';

/** Same rules as for `idempotency_key` in a body. */
const MAX_LENGTH = 255;

/**
 * Returns the idempotency key of a request, or `undefined` if it has none.
 *
 * @throws ServiceError INVALID_ARGUMENT if the header is empty, too long, not ASCII or has several values
 */
export function idempotencyHeader({ rawHeaders }: { rawHeaders: readonly string[] }): string | undefined {
  const values = new Set(
    rawHeaders.filter((_, i) => i % 2 === 1 && (rawHeaders[i - 1] ?? '').toLowerCase() === NAME),
  );
  const [value, ...others] = values;
  if (value === undefined) return undefined;
  if (others.length > 0) {
    const description = 'This header came more than once, with different values. Send it once.';
    throw invalidField(NAME, description, 'ambiguous');
  }
  const key = value.trim();
  if (key === '') throw invalidField(NAME, 'Must not be empty.', 'min_length');
  if (key.length > MAX_LENGTH)
    throw invalidField(NAME, `Must be at most ${MAX_LENGTH} characters long.`, 'max_length');
  if (!/^[ -~]+$/.test(key))
    throw invalidField(NAME, 'Must hold printable ASCII characters only.', 'characters');
  return key;
}

/** @throws ServiceError INVALID_ARGUMENT if header and body name different keys */
export function sameKey(inHeader: string | undefined, inBody: string | undefined): string | undefined {
  if (inHeader !== undefined && inBody !== undefined && inHeader !== inBody) {
    throw invalidField(
      'idempotency_key',
      'idempotency_key and the header Idempotency-Key are the same thing and differ here. Give one of them.',
      'exclusive',
    );
  }
  return inBody ?? inHeader;
}
