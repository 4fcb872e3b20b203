/**
 * Lists the IP addresses that are not on the public internet. An outbound call never reaches them unless the
 * operator allows it. Knows addresses only: no names, no settings.
 *
 * Forms that carry an IPv4 address inside an IPv6 one (NAT64, 6to4, Teredo, IPv4-compatible, IPv4-translated) are refused as a
 * whole. The mapped form `::ffff:a.b.c.d` is judged by the inner address.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const BLOCKED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** @see https://www.iana.org/assignments/iana-ipv6-special-registry */
const BLOCKED_IPV6: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const blocked = new BlockList();
for (const [network, prefix] of BLOCKED_IPV4) blocked.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of BLOCKED_IPV6) blocked.addSubnet(network, prefix, 'ipv6');

/**
 * The address in the one form that comparisons use: no zone (`fe80::1%eth0`), no brackets, and a mapped IPv4
 * address as IPv4.
 *
 * @returns `undefined` if the text is not an IP address
 */
export function canonicalAddress(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  if (isIP(bare) === 0) return undefined;
  return isIPv6(bare) ? (innerIpv4(bare) ?? bare) : bare;
}

/** The IPv4 address of `::ffff:0:0/96`, in any spelling. */
function innerIpv4(address: string): string | undefined {
  const written = new URL(`http://[${address}]`).hostname;
  const match = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(written);
  if (match === null) return undefined;
  const high = Number.parseInt(match[1] ?? '', 16);
  const low = Number.parseInt(match[2] ?? '', 16);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/**
 * True for every address that is private, local, reserved or carries another address inside.
 *
 * @param address in canonical form
 * @see security rules for outbound calls: docs/security.md
 */
export function isBlockedAddress(address: string): boolean {
  return blocked.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
