/**
 * The text of a posted form, within a limit and joined as it comes: a peer that sends a byte at a time would take up 200
 * bytes for each of them in a list of pieces, which is what the framework's reader keeps.
 */
import { JoinedBytes } from '../../core/joined-bytes.ts';
import type { PageContext } from './page-response.ts';

/** @returns undefined for a body of more than `maxBytes`, whatever length was announced */
export async function formText(c: PageContext, maxBytes: number): Promise<string | undefined> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) return undefined;
  const body = new JoinedBytes();
  for await (const piece of c.req.raw.body ?? []) {
    if (body.size + piece.byteLength > maxBytes) return undefined;
    body.add(piece);
  }
  return new TextDecoder().decode(body.whole());
}
