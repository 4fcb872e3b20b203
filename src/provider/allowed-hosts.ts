/**
 * The operator's list of private hosts that outbound calls may reach all the same
 * (`GATEHOUSE_ALLOW_PRIVATE_HOSTS`). Matches text and addresses; resolves nothing.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { canonicalAddress } from './blocked-addresses.ts';

/** Entries are hosts (`api.internal`, `127.0.0.1`, `[::1]`), `host:port`, or CIDRs (`10.1.0.0/16`). */
export class AllowedHosts {
  /** `host` or `host:port`, lower case, addresses in canonical form. */
  readonly #hosts = new Set<string>();
  readonly #networks = new BlockList();
  readonly #hasNetworks: boolean = false;

  /** @throws Error naming the first entry that is none of the three forms */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (entry.includes('/')) {
        this.#addNetwork(entry);
        this.#hasNetworks = true;
      } else {
        this.#hosts.add(parseHost(entry));
      }
    }
  }

  /** True when addresses are allowed by network, so that a name can only be judged once it is resolved. */
  get hasNetworks(): boolean {
    return this.#hasNetworks;
  }

  /** @param host a URL's hostname, without brackets */
  hasHost(host: string, port: number): boolean {
    if (this.#hosts.size === 0) return false;
    const name = canonicalAddress(host) ?? host.toLowerCase().replace(/\.$/, '');
    return this.#hosts.has(name) || this.#hosts.has(`${name}:${port}`);
  }

  /** @param address in canonical form */
  hasAddress(address: string): boolean {
    return this.#hasNetworks && this.#networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }

  #addNetwork(entry: string): void {
    const match = /^(.+)\/(\d{1,3})$/.exec(entry);
    const network = match?.[1] ?? '';
    const prefix = Number(match?.[2]);
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    if ((!isIPv4(network) && !isIPv6(network)) || prefix > (family === 'ipv4' ? 32 : 128))
      throw badEntry(entry);
    this.#networks.addSubnet(network, prefix, family);
  }
}

/** `Host.Example`, `[::1]:3000`, `::1` as hasHost looks them up. */
function parseHost(entry: string): string {
  const whole = canonicalAddress(entry);
  if (whole !== undefined) return whole;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(entry);
  if (match === null) throw badEntry(entry);
  const host = match[1] ?? '';
  const name = canonicalAddress(host) ?? host.toLowerCase().replace(/\.$/, '');
  return match[2] === undefined ? name : `${name}:${Number(match[2])}`;
}

function badEntry(entry: string): Error {
  return new Error(
    `"${entry}" is not a host, host:port or CIDR. Write for example api.internal, 127.0.0.1:8080 or 10.1.0.0/16.`,
  );
}
