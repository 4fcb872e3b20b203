/**
 * Who sends a request, as far as the connection and the operator's own proxies say (settings `request_info`).
 *
 * Headers are believed from a proxy of `trusted_proxies` only: anybody else could name any address and so pass
 * policies and rate limits.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Visitor } from '../../core/caller.ts';

/** The settings `request_info`. Names of headers in any case. */
export interface RequestInfo {
  /** CIDRs. Empty: no header is believed. */
  trustedProxies: readonly string[];
  ipHeader?: string;
  regionHeader?: string;
  cityHeader?: string;
}

const MAX_USER_AGENT_LENGTH = 1_024;
const MAX_CITY_LENGTH = 200;

/** Makes the visitor of a request; the settings are read once. */
export class Visitors {
  readonly #info: RequestInfo | undefined;
  readonly #proxies: BlockList | undefined;

  constructor(info: RequestInfo | undefined) {
    this.#info = info;
    this.#proxies = info === undefined ? undefined : networks(info.trustedProxies);
  }

  visitorOf(request: IncomingMessage): Visitor {
    const peer = peerAddress(request);
    const userAgent = (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH);
    if (this.#info === undefined || !this.#isProxy(peer))
      return { ip: peer, userAgent, region: '', city: '' };
    const { ipHeader, regionHeader, cityHeader } = this.#info;
    return {
      ip: this.#addressIn(headerOf(request, ipHeader)) ?? peer,
      userAgent,
      region: regionIn(headerOf(request, regionHeader)),
      city: cityIn(headerOf(request, cityHeader)),
    };
  }

  /**
   * Each proxy appends whom it heard, so the last address that is no proxy of ours is the one that a proxy of ours
   * vouches for; what stands before it may be invented.
   */
  #addressIn(header: string): string | undefined {
    for (const part of header.split(',').toReversed()) {
      const address = addressOf(part.trim());
      if (address === undefined) return undefined;
      if (!this.#isProxy(address)) return address;
    }
    return undefined;
  }

  #isProxy(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#proxies?.check(address, version === 4 ? 'ipv4' : 'ipv6') === true;
  }
}

/** Address of the peer; an IPv4 address in IPv6 form is given as IPv4. */
export function peerAddress(request: IncomingMessage): string {
  return plainAddress(request.socket.remoteAddress ?? '');
}

function networks(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** An address as proxies write it: with or without port and brackets. */
function addressOf(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = plainAddress(bare);
  return isIP(address) === 0 ? undefined : address;
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function headerOf({ headers }: IncomingMessage, name: string | undefined): string {
  const value = name === undefined ? undefined : headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.join(',') : (value ?? '')).trim();
}

/** ISO 3166-1 alpha-2. `XX` is what several proxies write for a place they do not know. */
function regionIn(header: string): string {
  return /^(?!XX)[a-z]{2}$/i.test(header) ? header.toUpperCase() : '';
}

/** Proxies write it in UTF-8, which node reads as Latin-1, or percent-encoded. */
function cityIn(header: string): string {
  let city = header;
  try {
    const bytes = Buffer.from(header, 'latin1');
    city = decodeURIComponent(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Neither: what stands there is the city, in Latin-1.
  }
  return city
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MAX_CITY_LENGTH)
    .toWellFormed();
}
