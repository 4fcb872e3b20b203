/** Clients and requests of people as our own rules see them, read from the library's. Pure. */
import { timingSafeEqual } from 'node:crypto';
import type { Client } from 'oidc-provider';
import { hashSecret } from '../../core/ids.ts';

/** A client that people sign in to. */
export interface PersonClient {
  clientId: string;
  /** Its own words; undefined: none. */
  name: string | undefined;
  method: string;
  /** Compares in constant time. Always false for a client without a secret. */
  hasSecret: (given: string) => boolean;
}

/** An authorization request that waits for a person. Parameters as the library has checked them. */
export interface WaitingRequest {
  uid: string;
  clientId: string;
  redirectUri: string;
  resource: string;
  scopes: readonly string[];
  /** Whether the client wants the person to be asked whatever was allowed before. */
  mustAsk: boolean;
}

/** @param client as the library has it */
export function toPersonClient(client: Client | undefined): PersonClient | undefined {
  if (client === undefined) return undefined;
  return {
    clientId: client.clientId,
    name: client.clientName,
    method: client.tokenEndpointAuthMethod ?? '',
    hasSecret: (given) => isSecretOf(client, given),
  };
}

/** Over hashes, so that neither length nor content shows in the time it takes. */
export function isSecretOf({ clientSecret }: Client, given: string): boolean {
  if (clientSecret === undefined) return false;
  return timingSafeEqual(Buffer.from(hashSecret(clientSecret)), Buffer.from(hashSecret(given)));
}

/** @param params of an authorization request that the library has checked */
export function toWaitingRequest(uid: string, params: Record<string, unknown>): WaitingRequest {
  const text = (name: string): string => (typeof params[name] === 'string' ? params[name] : '');
  return {
    uid,
    clientId: text('client_id'),
    redirectUri: text('redirect_uri'),
    resource: text('resource'),
    scopes: text('scope').split(' '),
    mustAsk: text('prompt').split(' ').includes('consent'),
  };
}
