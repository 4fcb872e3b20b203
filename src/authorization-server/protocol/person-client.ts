/** Clients and requests of people, converted from the library's form to ours. Pure. */
import { timingSafeEqual } from 'node:crypto';
import type { Client } from 'oidc-provider';
import { hashSecret } from '../../core/ids.ts';

/** A client that people sign in to. */
export interface PersonClient {
  clientId: string;
  /** Chosen by the client; `undefined` without one. */
  name: string | undefined;
  method: string;
  /** Compares in constant time. Always false for a client without a secret. */
  hasSecret: (given: string) => boolean;
}

/** An authorization request that waits for a user, with the parameters that the library has checked. */
export interface WaitingRequest {
  uid: string;
  clientId: string;
  redirectUri: string;
  resource: string;
  scopes: readonly string[];
  /** Whether the client requires a new consent despite an earlier one. */
  mustAsk: boolean;
}

/** @param client in the library's form */
export function toPersonClient(client: Client | undefined): PersonClient | undefined {
  if (client === undefined) return undefined;
  return {
    clientId: client.clientId,
    name: client.clientName,
    method: client.tokenEndpointAuthMethod ?? '',
    hasSecret: (given) => isSecretOf(client, given),
  };
}

/** Compares hashes, so that the time it takes reveals neither length nor content. */
export function isSecretOf({ clientSecret }: Client, given: string): boolean {
  if (clientSecret === undefined) return false;
  return timingSafeEqual(Buffer.from(hashSecret(clientSecret)), Buffer.from(hashSecret(given)));
}

/** @param params already checked by the library */
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
