/** Times as the Reporting API documents them: RFC 3339 in UTC. Pure. */

/**
 * The same moment written with Z; the fraction of a second keeps its digits.
 *
 * @param time RFC 3339, checked
 */
export function zuluTime(time: string): string {
  if (time.endsWith('Z')) return time;
  const fraction = /\.\d+/.exec(time)?.[0] ?? '';
  return new Date(time.replace(fraction, '')).toISOString().replace(/\.000Z$/, `${fraction}Z`);
}
