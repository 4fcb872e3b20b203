/**
 * The result of a remote tool as it is passed on: its blocks in order, cleaned and cut to limits. Pure.
 *
 * Only content for a model or a person is passed on. `_meta` is removed, links become text, and our own texts never
 * stand in a block of the server.
 */
import { isObject, memberOf, type JsonObject } from '../../core/json.ts';
import { passedText } from '../definitions/plain-text.ts';

/** A content block that may be passed on. */
export type PassedBlock = (
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text: string } }
) & { annotations?: PassedAnnotations };

/** The audience of a block and its priority. */
export interface PassedAnnotations {
  audience?: ('user' | 'assistant')[];
  priority?: number;
}

/** A result that may be passed on. */
export interface PassedResult {
  content: readonly PassedBlock[];
  structuredContent?: JsonObject;
  /** One sentence for each thing that was left out or cut, in our words. */
  notices: readonly string[];
}

/** A result as the server sent it. */
export interface RawResult {
  content?: unknown;
  structuredContent?: unknown;
}

/** The structured result of a read is too large to be passed on. */
export class TooLargeFailure extends Error {
  override readonly name = 'TooLargeFailure';

  constructor(maxBytes: number) {
    super(
      `The answer has more than ${maxBytes} bytes or ${MAX_LEVELS} levels, so it is not passed on. Make the request narrower: fewer records, fewer fields or a filter.`,
    );
  }
}

/** Deepest level of structured content. */
const MAX_LEVELS = 200;

const MAX_BLOCKS = 200;

/** Most bytes of images and sounds together, counted in base64. */
const MAX_BINARY = 1_048_576;

/** Longest name, address or media type, in characters. */
const MAX_WORD = 500;

const BASE64 = /^[A-Za-z0-9+/_=\r\n-]*$/;

/**
 * @param options.maxBytes of the texts together, and of the structured content, in bytes of UTF-8
 * @param options.isRead whether the tool only reads; another one has already done its work
 * @param options.scrub removes live credentials
 * @throws TooLargeFailure for structured content of a read
 */
export function passedResult(
  { content, structuredContent }: RawResult,
  options: { maxBytes: number; isRead: boolean; scrub: (text: string) => string },
): PassedResult {
  const { maxBytes, isRead, scrub } = options;
  const clean = (text: string): string => scrub(passedText(text));
  const given: readonly unknown[] = Array.isArray(content) ? content : [];
  const blocks = given.slice(0, MAX_BLOCKS).map((block) => passedBlock(block, { clean, scrub }));
  const isTooDeep = !isWithin(MAX_LEVELS, structuredContent);
  const structured =
    isObject(structuredContent) && !isTooDeep ? cleanedObject(structuredContent, clean) : undefined;
  const json = structured === undefined ? undefined : JSON.stringify(structured);
  const isTooLarge = isTooDeep || (json !== undefined && Buffer.byteLength(json) > maxBytes);
  if (isTooLarge && isRead) throw new TooLargeFailure(maxBytes);
  const hasText = blocks.some((block) => block.type === 'text' && block.text !== '');
  const isCopied = json !== undefined && !hasText && !isTooLarge;
  const cut = withinSize(isCopied ? [{ type: 'text', text: json }, ...blocks] : blocks, maxBytes);
  return {
    content: cut.content,
    ...(structured !== undefined && !isTooLarge && { structuredContent: structured }),
    notices: [
      ...(isTooLarge
        ? [
            `The tool has done its work. Its structured answer has more than ${maxBytes} bytes or ${MAX_LEVELS} levels, so it is left out.`,
          ]
        : []),
      ...(given.length > MAX_BLOCKS
        ? [`${given.length - MAX_BLOCKS} of ${given.length} blocks are left out.`]
        : []),
      ...cut.notices,
    ],
  };
}

/** Whether a value is nested no deeper than `levels`. */
function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(levels - 1, member));
}

/** Functions for every text: `scrub` removes live credentials, `clean` also invisible characters. */
type Cleaning = Record<'clean' | 'scrub', (text: string) => string>;

function passedBlock(block: unknown, cleaning: Cleaning): PassedBlock {
  const annotations = passedAnnotations(memberOf(block, 'annotations'));
  const passed = blockContent(block, cleaning);
  return annotations === undefined ? passed : { ...passed, annotations };
}

function blockContent(block: unknown, { clean, scrub }: Cleaning): PassedBlock {
  const word = (value: unknown): string => (typeof value === 'string' ? clean(value).slice(0, MAX_WORD) : '');
  const type = memberOf(block, 'type');
  const text = memberOf(block, 'text');
  if (type === 'text' && typeof text === 'string') return { type, text: clean(text) };
  const data = memberOf(block, 'data');
  const isBinary = type === 'image' || type === 'audio';
  if (isBinary && typeof data === 'string' && BASE64.test(data) && !holdsSecret(data, scrub))
    return { type, data, mimeType: word(memberOf(block, 'mimeType')) || 'application/octet-stream' };
  const resource = memberOf(block, 'resource');
  const inner = memberOf(resource, 'text');
  const uri = word(memberOf(resource, 'uri')) || word(memberOf(block, 'uri'));
  if (type === 'resource' && typeof inner === 'string' && !uri.startsWith('ui:')) {
    const mimeType = word(memberOf(resource, 'mimeType'));
    return { type, resource: { uri, ...(mimeType !== '' && { mimeType }), text: clean(inner) } };
  }
  const parts = [word(type) || 'unknown', word(memberOf(block, 'name')), uri].filter((part) => part !== '');
  return { type: 'text', text: `[${parts.join(' ')}]` };
}

/**
 * Whether base64 data contains a live credential, encoded or decoded. Then it is not an image, and is left out,
 * because it cannot be scrubbed.
 */
function holdsSecret(data: string, scrub: (text: string) => string): boolean {
  return [data, Buffer.from(data, 'base64').toString('latin1')].some((text) => scrub(text) !== text);
}

function passedAnnotations(given: unknown): PassedAnnotations | undefined {
  const audience = memberOf(given, 'audience');
  const priority = memberOf(given, 'priority');
  const named: readonly unknown[] = Array.isArray(audience) ? audience : [];
  const people = (['user', 'assistant'] as const).filter((each) => named.includes(each));
  const passed: PassedAnnotations = {
    ...(people.length > 0 && { audience: people }),
    ...(typeof priority === 'number' && priority >= 0 && priority <= 1 && { priority }),
  };
  return Object.keys(passed).length === 0 ? undefined : passed;
}

/** Cuts texts to the size that all of them may have together. Images and sounds that do not fit are left out. */
function withinSize(
  blocks: readonly PassedBlock[],
  maxBytes: number,
): { content: PassedBlock[]; notices: string[] } {
  const content: PassedBlock[] = [];
  let textBytes = 0;
  let binaryBytes = 0;
  let omitted = 0;
  for (const block of blocks) {
    if ('data' in block) {
      binaryBytes += block.data.length;
      if (binaryBytes <= MAX_BINARY) content.push(block);
      else omitted += 1;
      continue;
    }
    const text = block.type === 'text' ? block.text : block.resource.text;
    const left = maxBytes - textBytes;
    textBytes += Buffer.byteLength(text);
    if (left <= 0 && text !== '') continue;
    const kept = textBytes <= maxBytes ? text : startOfBytes(text, left);
    content.push(
      block.type === 'text'
        ? { ...block, text: kept }
        : { ...block, resource: { ...block.resource, text: kept } },
    );
  }
  return {
    content,
    notices: [
      ...(textBytes > maxBytes
        ? [`The text is cut: it shows the first ${maxBytes} of ${textBytes} bytes.`]
        : []),
      ...(omitted > 0 ? [`${omitted} images or sounds are left out: together they are too large.`] : []),
    ],
  };
}

/** The start of a text, without half of a character at its end. */
function startOfBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '');
}

function cleanedObject(value: JsonObject, clean: (text: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '__proto__')
      .map(([name, member]) => [clean(name), cleanedValue(member, clean)]),
  );
}

function cleanedValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item: unknown) => cleanedValue(item, clean));
  return isObject(value) ? cleanedObject(value, clean) : value;
}
