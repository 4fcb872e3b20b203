/** Distinguishes people who open an address in a browser from programs that call it. */
import { parseAccept } from 'hono/utils/accept';

/** Whether somebody probably opened the address in a browser: a GET whose `Accept` names HTML and prefers it to JSON. */
export function isPageVisit(method: string | undefined, accept: string | undefined): boolean {
  if (method !== 'GET') return false;
  const accepted = parseAccept(accept ?? '');
  const quality = (type: string): number => accepted.find((entry) => entry.type === type)?.q ?? 0;
  return quality('text/html') > quality('application/json');
}
