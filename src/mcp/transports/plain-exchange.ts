/** A plain message and its answer over HTTP, on node's own objects (docs/decisions/0022-single-answers.md). */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { plainAnswer, VERSIONS, type PlainRequest } from './plain-message.ts';

/** The media type of JSON as clients write it. Other spellings are left to the SDK's transport. */
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/**
 * Whether the headers are those of a 2025-era POST (streamable HTTP, "Sending messages to the server") as clients write
 * them.
 */
export function havePlainForm(headers: IncomingHttpHeaders): boolean {
  const { accept = '' } = headers;
  const version = headers['mcp-protocol-version'];
  return (
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    JSON_TYPE.test(headers['content-type'] ?? '') &&
    (version === undefined || VERSIONS.some((known) => known === version))
  );
}

/** Accepts a notification. */
export function acceptNotification(response: ServerResponse): void {
  response.writeHead(202).end();
}

/**
 * Answers a plain request. Resolves when the answer is written, or when the client has disconnected, which aborts
 * the call.
 *
 * @param run throws a ProtocolError for errors that the client may see
 */
export async function answerPlain(
  { id }: PlainRequest,
  run: (signal: AbortSignal) => Parameters<typeof plainAnswer>[1],
  response: ServerResponse,
): Promise<void> {
  const abort = new AbortController();
  const gone = new Promise<undefined>((resolve) => {
    response.once('close', () => {
      if (response.writableFinished) return;
      abort.abort();
      resolve(undefined);
    });
  });
  const answer = await Promise.race([gone, plainAnswer(id, run(abort.signal))]);
  if (answer !== undefined) sendJson(response, answer);
}

/** Sends one JSON body. */
export function sendJson(response: ServerResponse, answer: object): void {
  const text = JSON.stringify(answer);
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}
