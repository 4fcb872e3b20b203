/** Identifies the holder of a port that we need: another process of this installation, or a foreign program. */

import { codeOf } from '../../core/errors.ts';
/** Answer of `/healthz` of a Gatehouse. */
interface Health {
  installation_id?: unknown;
  pid?: unknown;
  /** `links`: a process that listens only while links are open. */
  serves?: unknown;
}

export type PortHolder =
  { kind: 'same'; pid: number | undefined; servesLinksOnly: boolean } | { kind: 'stranger' };

/** Long enough for a server that has just started, whose first answer is slow. */
const ANSWER_MS = 3_000;

/** In characters: many times the length of a Gatehouse answer. */
const MAX_ANSWER = 10_000;

/** Queries the server at this loopback origin. All but a Gatehouse of the same installation counts as foreign. */
export async function whoHolds(origin: string, installationId: string): Promise<PortHolder> {
  try {
    const response = await fetch(`${origin}/healthz`, {
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const health = JSON.parse(await shortText(response)) as Health;
    if (health.installation_id !== installationId) return { kind: 'stranger' };
    return {
      kind: 'same',
      pid: typeof health.pid === 'number' ? health.pid : undefined,
      servesLinksOnly: health.serves === 'links',
    };
  } catch {
    return { kind: 'stranger' };
  }
}

/** @throws Error if it is longer than our own answers: a foreign program may send without end */
async function shortText(response: Response): Promise<string> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length > MAX_ANSWER) throw new Error('No Gatehouse says that much.');
  }
  return text;
}

/** The reason why a server cannot have its port, and the advice. @param linkMs lifetime of links */
export function portHeldMessage(port: number, holder: PortHolder, linkMs: number): string {
  const held = `Port ${port} is held by`;
  const elsewhere = 'set port (GATEHOUSE_PORT, --port) to a free one';
  if (holder.kind === 'stranger' || holder.pid === undefined)
    return `${held} another program. Stop it, or ${elsewhere}.`;
  const by = `another Gatehouse of this installation (pid ${holder.pid})`;
  if (!holder.servesLinksOnly) return `${held} ${by}. Stop it, or ${elsewhere}.`;
  const minutes = Math.ceil(linkMs / 60_000);
  return (
    `${held} ${by}: the "gatehouse mcp" of a desktop client, or a "gatehouse connect" that waits. ` +
    `It releases the port when its links are finished or have expired, each ${minutes} min after it was created. ` +
    `Finish them, end that client or command, or ${elsewhere}.`
  );
}

/** Whether an error of `listen` says that the port is taken. */
export function isPortTaken(error: unknown): boolean {
  return codeOf(error) === 'EADDRINUSE';
}
