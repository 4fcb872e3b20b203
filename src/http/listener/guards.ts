/** Chooses the environment of a request by its Host, and checks whether its Origin may send it. */
import type { Environment } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Paths that answer under any Host, because load balancers call them by address. */
const OPEN_PATHS = new Set(['/healthz', '/readyz']);

/** An IPv4 or IPv6 address as Host, with or without a port. */
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/**
 * The environments of a listener, by the Hosts they answer to.
 *
 * An unknown Host is refused on every route, so that neither DNS rebinding nor a misconfigured proxy reaches anything
 * (docs/contract.md#3-environments, docs/security.md#foreign-host-or-origin). Only the request's headers are read.
 */
export class HostGuard {
  readonly #byHost = new Map<string, Environment>();
  readonly #first: Environment | undefined;
  readonly #ofAddresses: Environment | undefined;
  readonly #wrongHost: string;

  /**
   * @param loopbackPort port of the listener if it listens on loopback: its aliases then belong to
   *   `development` unless an environment claims them
   * @param anyAddress whether every IP address means the first environment. DNS rebinding needs a name, so addresses
   *   are no danger to a listener that is meant for a network
   * @param wrongHost the message of a refusal
   */
  constructor(
    environments: readonly Environment[],
    loopbackPort: number | undefined,
    anyAddress: boolean | undefined = false,
    wrongHost = 'No environment has the address of this request. Use the base URL of the environment.',
  ) {
    this.#wrongHost = wrongHost;
    this.#first = environments[0];
    this.#ofAddresses = anyAddress ? this.#first : undefined;
    for (const environment of environments) {
      const url = new URL(environment.baseUrl);
      this.#byHost.set(url.host, environment);
      if (url.port === '') this.#byHost.set(`${url.hostname}:${DEFAULT_PORT[url.protocol]}`, environment);
    }
    const development = environments.find((environment) => environment.name === 'development');
    if (loopbackPort === undefined || development === undefined) return;
    for (const host of loopbackHosts(loopbackPort)) {
      if (!this.#byHost.has(host)) this.#byHost.set(host, development);
    }
  }

  /**
   * @param host the Host header as sent
   * @param path path of the request, without query
   * @throws ServiceError WRONG_HOST
   */
  environmentOf(host: string | undefined, path: string): Environment {
    const found = host === undefined ? undefined : this.#byHost.get(host.toLowerCase());
    const environment =
      found ??
      (OPEN_PATHS.has(path) ? this.#first : undefined) ??
      (ADDRESS.test(host ?? '') ? this.#ofAddresses : undefined);
    if (environment !== undefined) return environment;
    throw new ServiceError('WRONG_HOST', this.#wrongHost);
  }
}

/** Hosts that mean a loopback listener on this port. */
function loopbackHosts(port: number): string[] {
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${port}`);
  return port === 80 ? [...hosts, ...LOOPBACK_NAMES] : hosts;
}

/**
 * Checks the Origin header against the environment of the request.
 *
 * Refuses requests that a page of another site made a browser send (docs/security.md#foreign-host-or-origin). Programs
 * send no Origin and pass. Pages need no check: a browser opens them by navigation.
 */
export class OriginGuard {
  readonly #loopback: ReadonlySet<string>;

  /** @param loopbackPort port of the listener if it listens on loopback */
  constructor(loopbackPort: number | undefined) {
    const hosts = loopbackPort === undefined ? [] : loopbackHosts(loopbackPort);
    this.#loopback = new Set(hosts.map((host) => `http://${host}`));
  }

  /**
   * Passes if there is no Origin, or if it is the environment's own or an alias of the loopback listener. `null`
   * (sandboxed frames, local files) is foreign.
   *
   * @throws ServiceError WRONG_ORIGIN
   */
  check(origin: string | undefined, environment: Environment): void {
    if (origin === undefined || this.#loopback.has(origin)) return;
    if (origin === new URL(environment.baseUrl).origin) return;
    throw new ServiceError(
      'WRONG_ORIGIN',
      'This request comes from a page of another site. Only pages of this environment and programs may call.',
    );
  }
}
