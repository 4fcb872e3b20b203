/** Identifies a network by an IPv4 address, or by the prefix of an IPv6 address, because one user has many of those. Pure. */
import { isIPv6 } from 'node:net';

/** Groups of an IPv6 address that name its network (64 bits). */
const NETWORK_GROUPS = 4;

/** @param ip from the listener; '' if unknown */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = (ip.split('%')[0] ?? '').toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const filled = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  const groups = filled.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}
