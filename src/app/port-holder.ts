/** Who holds a port that we want: another process of this installation, or a stranger. */

/** Answer of `/healthz` of a Gatehouse. */
interface Health {
  installation_id?: unknown;
  pid?: unknown;
}

export type PortHolder = { kind: 'same'; pid: number | undefined } | { kind: 'stranger' };

/** Asks whoever listens at this loopback origin. Anything but a Gatehouse of the same installation is a stranger. */
export async function whoHolds(origin: string, installationId: string): Promise<PortHolder> {
  try {
    const response = await fetch(`${origin}/healthz`, {
      redirect: 'error',
      signal: AbortSignal.timeout(1_000),
    });
    const health = (await response.json()) as Health;
    if (health.installation_id !== installationId) return { kind: 'stranger' };
    return { kind: 'same', pid: typeof health.pid === 'number' ? health.pid : undefined };
  } catch {
    return { kind: 'stranger' };
  }
}

/** Whether an error of `listen` says that the port is taken. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
