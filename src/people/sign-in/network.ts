/** Identifies the network of an address, because one user or attacker often has many addresses. Pure. */
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network of one user: the IPv4 address itself, or the /64 of an IPv6 address.
 *
 * @param ip from the listener; '' if unknown
 */
export function networkOf(ip: string): string {
  return isIPv6(ip) ? `${groupsOf(ip).slice(0, 4).join(':')}::/64` : ip;
}

/** The network that one attacker easily has whole: the /24 of an IPv4 address, or the /48 of an IPv6 address. */
export function wideNetworkOf(ip: string): string {
  if (isIPv4(ip)) return `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`;
  return isIPv6(ip) ? `${groupsOf(ip).slice(0, 3).join(':')}::/48` : ip;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(ip: string): string[] {
  const [head = '', tail] = (ip.split('%')[0] ?? '').toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const filled = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  return filled.map((group) => group.replace(/^0+(?=.)/, ''));
}
