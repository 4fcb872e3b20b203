/**
 * Host names and addresses in settings: addresses that a listener may bind, loopback, entries of a list of hosts.
 * Does no look-ups.
 */
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

const WILDCARD = new BlockList();
WILDCARD.addAddress('0.0.0.0');
WILDCARD.addAddress('::', 'ipv6');

/** The last label begins with a letter: `0`, `0x7f.1` and the like are addresses in disguise. */
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$/i;

/** True for `localhost`, 127.0.0.0/8 and ::1, with or without the brackets of a URL. */
export function isLoopbackHost(host: string): boolean {
  const bare = withoutBrackets(host);
  return /^localhost$/i.test(bare) || isInside(LOOPBACK, bare);
}

/**
 * The same for the hostname of a parsed URL to which a browser or a secret goes. An IPv4 address mapped into IPv6
 * (`[::ffff:7f00:1]`) does not count as loopback here, because not every program treats it as one.
 */
export function isLoopbackHostname(hostname: string): boolean {
  return isLoopbackHost(hostname) && !hostname.startsWith('[::ffff:');
}

/** True for the addresses that mean every interface: 0.0.0.0 and ::. */
export function isWildcardHost(host: string): boolean {
  return isInside(WILDCARD, host);
}

/** True for an IP address or a host name, without port and brackets. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || HOST_NAME.test(text);
}

/** True for `host`, `host:port`, `[::1]`, `[::1]:port` or a CIDR: an entry of `outbound.allow_private_hosts`. */
export function isHostPattern(text: string): boolean {
  const withPort = /^(?:\[(?<six>[^\]]+)\]|(?<host>[^:/[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  if (withPort !== undefined) {
    const { six, host, port } = withPort;
    if (port !== undefined && Number(port) > 65_535) return false;
    return six === undefined ? isHost(host ?? '') : isIP(six) === 6;
  }
  return isIP(text) === 6 || isCidr(text);
}

/** True for `10.0.0.0/8` or `fd00::/8`. */
export function isCidr(text: string): boolean {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  const version = isIP(match?.[1] ?? '');
  return version !== 0 && Number(match?.[2]) <= (version === 4 ? 32 : 128);
}

/** The origin of a plain HTTP listener, e.g. `http://[::1]:3000`. */
export function listenerOrigin(host: string, port: number): string {
  return new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`).origin;
}

/** The host of a URL as an address or name, without brackets. */
function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

function isInside(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
