/**
 * Attached files in the form that Graph expects. Larger ones would need an upload session at another host, which no
 * tool does. Pure.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/message-post-attachments
 */
import type { JsonObject } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';

/** Most bytes of all files of a call, and of a file that is read. */
export const MAX_FILE_BYTES = 700_000;

/** The same size in words. */
export const MAX_FILE = '700 kB';

/** A file in the parameters of a tool. */
export interface FileInput {
  name?: string | undefined;
  text?: string | undefined;
  content_base64?: string | undefined;
  content_type?: string | undefined;
}

/**
 * Files as Graph takes them.
 *
 * @param violations collects the problems
 * @returns `undefined` if not given
 */
export function attachmentBodies(
  files: readonly FileInput[] | undefined,
  violations: FieldViolation[],
): JsonObject[] | undefined {
  if (files === undefined) return undefined;
  const bodies = files.flatMap((file, i) => {
    const body = attachmentBody(file, `attachments[${i}]`, violations);
    return body === undefined ? [] : [body];
  });
  violations.push(...sizeViolations(bodies, 'attachments'));
  return bodies;
}

/** Violations if the files together are too large. @param field that the violation names */
export function sizeViolations(bodies: readonly JsonObject[], field: string): FieldViolation[] {
  const bytes = bodies.reduce((sum, { contentBytes }) => sum + byteLength(String(contentBytes)), 0);
  if (bytes <= MAX_FILE_BYTES) return [];
  return [
    violation(field, `Must have at most ${MAX_FILE} in a call, and has ${kilobytes(bytes)}.`, 'max_bytes'),
  ];
}

/** One file as Graph takes it; `undefined` if something is wrong. @param field that violations name; '' for none */
export function attachmentBody(
  { name, text, content_base64: base64, content_type: type }: FileInput,
  field: string,
  violations: FieldViolation[],
): JsonObject | undefined {
  const at = (member: string): string => (field === '' ? member : `${field}.${member}`);
  if ((text === undefined) === (base64 === undefined)) {
    violations.push(violation(at('text'), 'Give exactly one of text and content_base64.', 'exactly_one_of'));
    return undefined;
  }
  const contentBytes =
    text === undefined ? base64?.replaceAll(/\s/g, '') : Buffer.from(text).toString('base64');
  if (contentBytes === undefined || !isBase64(contentBytes)) {
    violations.push(
      violation(at('content_base64'), 'Must be base64. For the content of a text file use text.', 'format'),
    );
    return undefined;
  }
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    name,
    contentType: type ?? (text === undefined ? 'application/octet-stream' : 'text/plain'),
    contentBytes,
  };
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

/** Number of bytes that a base64 text encodes. */
function byteLength(base64: string): number {
  return (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);
}

/** A size in words, rounded up. */
export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000)} kB`;
}
