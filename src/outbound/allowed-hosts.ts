/**
 * The operator's list of private hosts that outbound calls may reach (`GATEHOUSE_ALLOW_PRIVATE_HOSTS`).
 * Compares text and addresses; resolves nothing.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { canonicalAddress } from './blocked-addresses.ts';

/** Entries are hosts (`api.internal`, `127.0.0.1`, `[::1]`), `host:port`, or CIDRs (`10.1.0.0/16`). */
export class AllowedHosts {
  /** `host` or `host:port`, lower case, addresses in canonical form. */
  readonly #hosts = new Set<string>();
  readonly #networks = new BlockList();
  readonly #hasNetworks: boolean = false;

  /** @throws Error naming every entry that has none of the three forms */
  constructor(entries: readonly string[]) {
    const bad: string[] = [];
    for (const entry of entries) {
      const host = entry.includes('/') ? undefined : parseHost(entry);
      if (host !== undefined) this.#hosts.add(host);
      else if (this.#addNetwork(entry)) this.#hasNetworks = true;
      else bad.push(entry);
    }
    if (bad.length > 0) throw badEntries(bad);
  }

  /** True if addresses are allowed by network, so that a name can be judged only after it is resolved. */
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

  /** Returns false if the entry is not a network. */
  #addNetwork(entry: string): boolean {
    const match = /^(.+)\/(\d{1,3})$/.exec(entry);
    const network = match?.[1] ?? '';
    const prefix = Number(match?.[2]);
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    if ((!isIPv4(network) && !isIPv6(network)) || prefix > (family === 'ipv4' ? 32 : 128)) return false;
    this.#networks.addSubnet(network, prefix, family);
    return true;
  }
}

/** Normalizes `Host.Example`, `[::1]:3000`, `::1` for hasHost; `undefined` if the entry is not a host. */
function parseHost(entry: string): string | undefined {
  const whole = canonicalAddress(entry);
  if (whole !== undefined) return whole;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(entry);
  if (match === null) return undefined;
  const host = match[1] ?? '';
  const name = canonicalAddress(host) ?? host.toLowerCase().replace(/\.$/, '');
  return match[2] === undefined ? name : `${name}:${Number(match[2])}`;
}

function badEntries(entries: readonly string[]): Error {
  const words = entries.map((entry) => `"${entry}"`).join(', ');
  return new Error(
    `${words} ${entries.length === 1 ? 'is not a' : 'are not each a'} host, host:port or CIDR. Write for example api.internal, 127.0.0.1:8080 or 10.1.0.0/16.`,
  );
}
