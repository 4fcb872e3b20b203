/**
 * The sender of a request, as reported by the connection and the operator's own proxies (settings `request_info`).
 *
 * Headers count only if a proxy of `trusted_proxies` sent them. Other senders could name any address and so bypass
 * policies and rate limits.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Visitor } from '../../core/caller.ts';

/** The settings `request_info`. Header names may be in any case. */
export interface RequestInfo {
  /** CIDRs. Empty: no header is trusted. */
  trustedProxies: readonly string[];
  ipHeader?: string;
  regionHeader?: string;
  cityHeader?: string;
}

const MAX_USER_AGENT_LENGTH = 1_024;
const MAX_CITY_LENGTH = 200;

/** Makes the visitor of a request; reads the settings once. */
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
   * Each proxy appends the address of its client. So the last address that is not one of our proxies is reported by
   * one of them; earlier entries may be forged.
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

/** Address of the client; an IPv4 address in IPv6 form is returned as IPv4. */
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

/** Parses an address as proxies write it: with or without port and brackets. */
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

/** ISO 3166-1 alpha-2. Several proxies send `XX` for an unknown place. */
function regionIn(header: string): string {
  return /^(?!XX)[a-z]{2}$/i.test(header) ? header.toUpperCase() : '';
}

/** Decodes the city. Proxies send it in UTF-8, which node reads as Latin-1, or percent-encoded. */
function cityIn(header: string): string {
  let city = header;
  try {
    const bytes = Buffer.from(header, 'latin1');
    city = decodeURIComponent(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Neither encoding: the header is the city in Latin-1.
  }
  return city
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MAX_CITY_LENGTH)
    .toWellFormed();
}
