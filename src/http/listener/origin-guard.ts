/**
 * Refuses requests that a page of somebody else's site made a browser send (docs/security.md#foreign-host-or-origin).
 * Programs send no Origin and pass. Pages need none of this: a browser opens them by navigation.
 */
import type { Environment } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';
import { loopbackHosts } from './host-guard.ts';

/** Checks the Origin header against the environment the request belongs to. */
export class OriginGuard {
  readonly #loopback: ReadonlySet<string>;

  /** @param loopbackPort port of the listener when it listens on loopback */
  constructor(loopbackPort: number | undefined) {
    const hosts = loopbackPort === undefined ? [] : loopbackHosts(loopbackPort);
    this.#loopback = new Set(hosts.map((host) => `http://${host}`));
  }

  /**
   * Passes when there is no Origin, or it is the environment's own or an alias of the loopback listener.
   * `null` (sandboxed frames, local files) is foreign.
   *
   * @throws ServiceError WRONG_ORIGIN
   */
  check(origin: string | undefined, environment: Environment): void {
    if (origin === undefined || this.#loopback.has(origin)) return;
    if (origin === new URL(environment.baseUrl).origin) return;
    throw new ServiceError(
      'WRONG_ORIGIN',
      'This request comes from a page of another site. Pages of the environment itself and programs may call.',
    );
  }
}
