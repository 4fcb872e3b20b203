/**
 * Decides which hosts and addresses an outbound call may reach.
 *
 * Two checks, because each alone can be circumvented: the written host before connecting (a literal address
 * is never looked up), and every address a name resolves to. The connection then goes to one of the addresses
 * that were checked, so a second, different DNS answer (rebinding) never counts.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { AllowedHosts } from './allowed-hosts.ts';
import { canonicalAddress, isBlockedAddress } from './blocked-addresses.ts';
import { OutboundFailure } from './outbound-failure.ts';

/** All addresses of a name, in the order to try them. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveBySystem: Resolve = (hostname, callback) => systemLookup(hostname, { all: true }, callback);

/** Allows public https hosts, and the additional hosts of the operator. */
export class AddressPolicy {
  readonly #allowed: AllowedHosts;
  readonly #resolve: Resolve;

  /**
   * @param options.allowPrivateHosts hosts, `host:port` or CIDRs that may be reached although they are
   * private, also by `http:`
   * @param options.resolve replaces the system's resolver
   * @throws Error naming an entry that is not valid
   */
  constructor(options: { allowPrivateHosts: readonly string[]; resolve?: Resolve }) {
    this.#allowed = new AllowedHosts(options.allowPrivateHosts);
    this.#resolve = options.resolve ?? resolveBySystem;
  }

  /**
   * Checks the scheme, the userinfo, and the address if the host is a literal one.
   *
   * @throws OutboundFailure `refused_address`
   */
  checkUrl(url: URL): void {
    if (url.username !== '' || url.password !== '') throw refused();
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused();
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (this.#allowed.hasHost(host, portOf(url))) return;
    const address = canonicalAddress(host);
    const plain = url.protocol === 'http:';
    if (address === undefined) {
      if (plain && !this.#allowed.hasNetworks) throw refused();
    } else if (!this.#isAllowed(address, plain)) {
      throw refused();
    }
  }

  /**
   * Returns a `lookup` for connections to this origin. It fails with OutboundFailure `refused_address` if any
   * address of the name is not allowed; otherwise it returns the checked addresses.
   */
  lookupFor(url: URL): LookupFunction {
    const plain = url.protocol === 'http:';
    const port = portOf(url);
    return (hostname, options, callback) => {
      this.#resolve(hostname, (error, addresses) => {
        if (error !== null) return callback(error, '');
        const known = this.#allowed.hasHost(hostname, port);
        const allAllowed = addresses.every(({ address }) => known || this.#isAllowed(address, plain));
        const first = addresses[0];
        if (first === undefined || !allAllowed) return callback(refused(), '');
        if (options.all === true) return callback(null, addresses);
        return callback(null, first.address, first.family);
      });
    };
  }

  #isAllowed(text: string, plain: boolean): boolean {
    const address = canonicalAddress(text);
    if (address === undefined) return false;
    return this.#allowed.hasAddress(address) || (!plain && !isBlockedAddress(address));
  }
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

function refused(): OutboundFailure {
  return new OutboundFailure('refused_address', false);
}
