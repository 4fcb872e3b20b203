/**
 * The listener of a stdio process. It opens with the first link, and serves only the connect pages and the callback.
 * It closes if no link is open and no browser is still at a provider
 * (docs/contract.md#the-link-listener-of-gatehouse-mcp).
 *
 * If another process of the same installation holds the port, that process serves the links from the same database.
 * This listener takes the port over when it becomes free.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { listenerOrigin } from '../../core/hosts.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Environment } from '../../core/environment.ts';
import { Listener } from '../../http/listener/listener.ts';
import type { NodeRoute } from '../../http/listener/request-context.ts';
import { LinkStore } from '../../store/accounts/link-store.ts';
import type { Services } from '../services/services.ts';
import { healthRoute } from '../services/migration-listener.ts';
import { DONE_ROUTE, isConnectPath, isSignInPath, pagesRoute } from './page-routes.ts';
import { isPortTaken, whoHolds } from './port-holder.ts';

const CHECK_INTERVAL_MS = 2_000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

export class LinkListener {
  readonly #services: Services;
  readonly #checkMs: number;
  #listener: Listener | undefined;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Environments without a configured base URL: theirs is this listener's address, with a new port at each opening. */
  readonly #addressed: readonly Environment[];
  readonly #donePage = Promise.withResolvers<void>();
  /**
   * True if the last check found no open link and no address was requested since. A link is stored a moment after its
   * address is requested, so one check is not enough to close.
   */
  #wasIdle = false;
  #isEnded = false;

  /** @param checkMs interval between checks whether the listener is still needed */
  constructor(services: Services, checkMs = CHECK_INTERVAL_MS) {
    this.#services = services;
    this.#checkMs = checkMs;
    this.#addressed = services.environments.all.filter(({ baseUrl }) => baseUrl === '');
  }

  /**
   * Public origin for a link of this environment, after making sure that a process listens there.
   *
   * A base URL that is not on this machine's loopback belongs to a `gatehouse serve`: nothing is opened for it.
   *
   * @throws ServiceError UNAVAILABLE if a foreign program holds the port
   */
  async baseUrl(environmentId: string): Promise<string> {
    const services = this.#services;
    const environment = services.environments.get(environmentId);
    if (isElsewhere(environment, services.settings.port)) return environment.baseUrl;
    this.#wasIdle = false;
    await this.#opened();
    return environment.baseUrl;
  }

  /** Whether this process serves links now; otherwise another process does, or none. */
  get isOpen(): boolean {
    return this.#listener !== undefined;
  }

  /** Resolves when a browser got the page for a connected account, or after `ms` at the latest. */
  async lastPage(ms: number): Promise<void> {
    if (!this.isOpen) return;
    const timer = new AbortController();
    const late = delay(ms, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([this.#donePage.promise, late]);
    timer.abort();
  }

  /** Closes for good, including a listener that is about to open, so that nothing keeps the process alive. */
  async close(): Promise<void> {
    this.#isEnded = true;
    await this.#opening?.catch(() => {});
    await this.#rest();
  }

  /** Closes until the next link. */
  async #rest(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.close();
  }

  async #opened(): Promise<void> {
    this.#opening ??= this.#open(this.#services).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(services: Services): Promise<void> {
    if (this.#listener !== undefined || this.#isEnded) return;
    const { settings, environments, log } = services;
    const host = LOOPBACK.test(settings.host) ? settings.host : '127.0.0.1';
    const listener = new Listener({
      host,
      port: settings.port,
      log,
      limits: settings.inbound,
      logRequests: settings.logRequests,
      onRequest: ({ route }) => {
        if (route === DONE_ROUTE) this.#donePage.resolve();
      },
    });
    this.#watch();
    try {
      const { port } = await listener.listen();
      for (const { id } of this.#addressed) environments.assignBaseUrl(id, listenerOrigin(host, port));
    } catch (error) {
      if (!isPortTaken(error)) throw error;
      const holder = await whoHolds(listenerOrigin(host, settings.port), services.id);
      if (holder.kind === 'same') return;
      throw new ServiceError(
        'UNAVAILABLE',
        `Port ${settings.port} is used by another program, so links cannot be served. Set GATEHOUSE_PORT (or port in gatehouse.yaml) to a free one.`,
        { cause: error },
      );
    }
    listener.serve({
      environments: environments.all,
      routes: [healthRoute(services.id, 'links'), linkPages(services)],
    });
    this.#listener = listener;
    log.info('link_listener_opened', { pid: process.pid });
  }

  /** Takes over a free port while links are open, and closes once no link is open. */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      this.#check().catch((err: unknown) => this.#services.log.debug('link_listener_check', { err }));
    }, this.#checkMs).unref();
  }

  async #check(): Promise<void> {
    const services = this.#services;
    const open = await new LinkStore(services.db.read).countOpen(services.clock.now());
    const isIdle = open === 0;
    if (isIdle && this.#wasIdle) await this.#rest();
    else if (!isIdle) await this.#opened();
    this.#wasIdle = isIdle;
  }
}

function isElsewhere({ baseUrl }: Environment, port: number): boolean {
  if (baseUrl === '') return false;
  const url = new URL(baseUrl);
  return (
    !LOOPBACK.test(url.hostname) ||
    url.protocol !== 'http:' ||
    (port !== 0 && Number(url.port || 80) !== port)
  );
}

/** If owners confirm by signing in, they can do so here too. */
function linkPages(services: Services): NodeRoute {
  const isConfirmedHere = services.environments.all.some(
    ({ userVerification }) => userVerification === 'signed_in',
  );
  return pagesRoute(services, (path) => isConnectPath(path) || (isConfirmedHere && isSignInPath(path)));
}
