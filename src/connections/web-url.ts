/** Rules for URLs that a browser is sent to (docs/contract.md#verification-modes). */
import { isLoopbackHostname } from '../core/hosts.ts';

/**
 * Says in one sentence why a browser cannot be redirected to a URL; `undefined` for a valid URL.
 *
 * @param options.httpOk accepts http for any host (endpoints of stand-ins, which the outbound policy checks)
 */
export function webUrlProblem(value: string, options: { httpOk?: boolean } = {}): string | undefined {
  if (!URL.canParse(value) || /[\s\\]/.test(value)) return 'Must be an absolute URL.';
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') return 'Must not contain a user name or password.';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:') return 'Must be an https URL; http is accepted on loopback only.';
  if (options.httpOk || isLoopbackHostname(url.hostname)) return undefined;
  return 'Must be an https URL; http is accepted on loopback only.';
}

/** Whether `url` lies within one of the allowed URLs: same origin, and its path at or below theirs. */
export function isWithinAllowed(url: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  const target = new URL(url);
  return allowed.some((entry) => {
    const base = new URL(entry);
    const path = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
    return (
      target.origin === base.origin && (target.pathname === base.pathname || target.pathname.startsWith(path))
    );
  });
}
