/**
 * Reads a JSON body strictly: size before parsing, encoding, syntax, depth, and characters that stores and providers
 * reject. Knows no fields; schemas check those later.
 *
 * If a member is repeated the last one counts, for all readers, because the body is parsed only once. `__proto__` is
 * refused, so that no copy of a body can change a prototype.
 */
import { invalidField, ServiceError, type FieldViolation } from '../../core/errors.ts';
import { JoinedBytes } from '../../core/joined-bytes.ts';
import { isObject, parsedJson } from '../../core/json.ts';
import { fieldName, refuse } from './violations.ts';

const MAX_DEPTH = 64;
const TOO_DEEP = 'max_depth';

/** A body, and its violations before any schema runs. */
export interface JsonBody {
  value: Record<string, unknown>;
  violations: readonly FieldViolation[];
}

/**
 * @param maxBytes of the body as sent
 * @param ownTexts members whose texts the handler checks and reports itself
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE; INVALID_ARGUMENT if it is no object or nested too deeply
 */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
  ownTexts: readonly string[] = [],
): Promise<JsonBody> {
  requireJson(request.headers);
  const value = parse(decode(await readBody(request, maxBytes)));
  if (!isObject(value)) {
    throw invalidField('', 'The body must be a JSON object.', 'type');
  }
  const violations: FieldViolation[] = [];
  inspect(value, [], violations, ownTexts);
  // Later readers may recurse as deep as the body does.
  if (violations.some(({ constraint }) => constraint === TOO_DEEP)) throw refuse(violations);
  return { value, violations };
}

/** @throws ServiceError UNSUPPORTED_MEDIA_TYPE for anything but plain `application/json` in UTF-8 */
function requireJson(headers: Headers): void {
  const type = (headers.get('content-type') ?? '').toLowerCase();
  const encoding = (headers.get('content-encoding') ?? 'identity').toLowerCase();
  const isJson = /^application\/json *(; *charset *= *"?utf-8"? *)?$/.test(type);
  if (isJson && encoding === 'identity') return;
  throw new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body as JSON in UTF-8, uncompressed, with "Content-Type: application/json".',
  );
}

/** Collects the body and stops at the limit, whatever its announced length. */
async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const body = new JoinedBytes();
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) break;
      body.add(chunk);
    }
  } catch {
    throw invalidField('', 'The body ended before it was complete.', 'incomplete');
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  return body.whole();
}

/** A 413, also for bodies that only announce their length. */
export function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('TOO_LARGE', `A request body has at most ${maxBytes} bytes.`, {
    details: { max_bytes: maxBytes },
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidField('', 'The body is not valid UTF-8.', 'encoding');
  }
}

/** The parser's own message quotes the body, which may hold a secret, so it is not passed on. */
function parse(text: string): unknown {
  try {
    return parsedJson(text);
  } catch {
    throw invalidField('', 'The body is not valid JSON.', 'json');
  }
}

function inspect(value: unknown, path: string[], out: FieldViolation[], ownTexts: readonly string[]): void {
  const isOwn = path[0] !== undefined && ownTexts.includes(path[0]);
  if (typeof value === 'string') {
    if (!isOwn) inspectText(value, path, out);
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    out.push({ field: fieldName(path), description: 'This number is too large.', constraint: 'number' });
  } else if (typeof value === 'object' && value !== null) {
    if (path.length >= MAX_DEPTH) {
      const description = `A body is nested at most ${MAX_DEPTH} levels deep.`;
      out.push({ field: fieldName(path), description, constraint: TOO_DEEP });
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      path.push(key);
      if (key === '__proto__') {
        out.push({
          field: fieldName(path),
          description: 'A field cannot have this name.',
          constraint: 'name',
        });
      } else if (!Array.isArray(value) && !isOwn) inspectText(key, path, out);
      inspect(member, path, out, ownTexts);
      path.pop();
    }
  }
}

function inspectText(text: string, path: readonly string[], out: FieldViolation[]): void {
  if (text.includes('\0')) {
    out.push({
      field: fieldName(path),
      description: 'Must not contain NUL characters.',
      constraint: 'characters',
    });
  } else if (!text.isWellFormed()) {
    const description = 'Must not contain half of a surrogate pair.';
    out.push({ field: fieldName(path), description, constraint: 'characters' });
  }
}
