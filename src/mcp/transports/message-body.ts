/**
 * Reads a JSON request body within limits (docs/security.md#malformed-input), once, so that the protocol
 * layer does not read it again.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { memberOf, parsedJson } from '../../core/json.ts';
import { shownKey } from '../../core/safe-json.ts';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { JoinedBytes } from '../../core/joined-bytes.ts';

/** Maximum nesting of objects and lists. */
const MAX_DEPTH = 64;

/** The name itself, or with any of its characters escaped. */
const MAY_NAME_PROTO = /__proto__|\\u00[567]/i;

/**
 * The parsed body; `undefined` if it is empty or not JSON, which the protocol layer answers itself.
 *
 * @throws ServiceError TOO_LARGE; INVALID_ARGUMENT if it is nested more than 64 levels deep, or has a member
 * `__proto__`, which the protocol layer would silently drop
 */
export async function readMessageBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  if (isNestedTooDeep(text)) {
    throw invalidField('', `The body is nested more than ${MAX_DEPTH} levels deep.`, 'depth');
  }
  const body = parsed(text);
  const place = MAY_NAME_PROTO.test(text) ? placeOfProto(body) : undefined;
  if (place === undefined) return body;
  throw invalidField(place.map(shownKey).join('.'), 'A member cannot have the name __proto__.', 'name');
}

function parsed(text: string): unknown {
  try {
    return parsedJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Path of the first member with that name. It is built while returning, because a body may have very many
 * other members.
 */
function placeOfProto(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return ['__proto__'];
  for (const name of Object.keys(value)) {
    const place = placeOfProto(memberOf(value, name));
    if (place !== undefined) return [name, ...place];
  }
  return undefined;
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new JoinedBytes();
    const refuse = (): void => {
      request.removeAllListeners('data');
      reject(tooLarge(maxBytes));
    };
    if (Number(request.headers['content-length']) > maxBytes) {
      refuse();
      return;
    }
    request.on('data', (chunk: Buffer) => {
      if (body.size + chunk.length > maxBytes) refuse();
      else body.add(chunk);
    });
    request.once('end', () => resolve(body.whole()));
    request.once('error', reject);
  });
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('TOO_LARGE', `A request body has at most ${maxBytes} bytes. Send less at once.`);
}

/** Counts brackets outside strings: cheaper than parsing, and safe at any depth. */
function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth++;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
