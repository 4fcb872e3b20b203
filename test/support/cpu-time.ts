/** How much computing something costs, whatever else the machine has to do meanwhile. */

/** @returns the processor time of this thread while the work ran, in milliseconds; waiting costs nothing */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
