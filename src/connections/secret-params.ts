/**
 * Secrets that callers give among a connection's `params`: the key file of a service account, a private key.
 *
 * A connection has one secret, whatever its type: each of these replaces the client secret. It is sealed in the same
 * column, never stored among the params and never shown. Pure.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { SecretParam } from '../authorization-types/facts.ts';
import { typeOf } from '../authorization-types/index.ts';
import { rulesOf } from '../authorization-types/blocks.ts';
import type { Connector } from '../catalog/model/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import { isObject, parsedJson } from '../core/json.ts';
import type { ConnectionPatch } from './connection-views.ts';

/** Names of these params. */
export const SECRET_PARAMS: readonly SecretParam[] = ['service_account_json', 'private_key'];

/** The parts of a key file that a service account signs with. */
export interface ServiceAccount {
  clientEmail: string;
  /** PEM, RSA. */
  privateKey: string;
  /** `kid` of its signatures. */
  keyId: string | undefined;
  /** The id that an administrator authorizes; `undefined` if the file has none. */
  clientId: string | undefined;
}

/** Elliptic curves of keys that can be used, by OpenSSL's name. */
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Everything wrong with secrets among the params; never repeats one. */
export function secretParamViolations({ params = {}, client_secret }: ConnectionPatch): FieldViolation[] {
  const given = SECRET_PARAMS.filter((name) => isGiven(params, name));
  const out = given.flatMap((name) => {
    const description = problemOf(name, params[name]);
    return description === undefined ? [] : [{ field: `params.${name}`, description, constraint: 'format' }];
  });
  const names = [...(typeof client_secret === 'string' ? ['client_secret'] : []), ...given];
  if (names.length > 1) {
    out.push({
      field: `params.${given[0]}`,
      description: `A connection has one secret. Give one of ${names.join(' and ')}.`,
      constraint: 'exclusive',
    });
  }
  return out;
}

/**
 * Violations for secrets that no authorization type of the connector would sign with: a type that sends its secret would
 * send them. If the request names a type, only that one counts.
 */
export function unfitSecretViolations(
  { title, auth }: Pick<Connector, 'title' | 'auth'>,
  { params = {}, authorization_type: type }: ConnectionPatch,
): FieldViolation[] {
  const ways = auth.filter((way) => type === undefined || way.type === type);
  return SECRET_PARAMS.filter(
    (name) =>
      isGiven(params, name) && !ways.some((way) => typeOf(way).secretParam?.(rulesOf(way) ?? {}) === name),
  ).map((name) => ({
    field: `params.${name}`,
    description: `${title} takes no ${name}: nothing would be signed with it. Leave it out; a client secret is given as client_secret.`,
    constraint: 'unknown',
  }));
}

/** Whether a text holds a private key, alone or in a key file: such a secret is signed with and never sent. */
export function holdsPrivateKey(text: string): boolean {
  return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
}

/**
 * The secret that a request gives, wherever it stands. `null` removes the stored one; `undefined` means none is named.
 *
 * Call after `secretParamViolations`.
 */
export function givenSecret({ params = {}, client_secret }: ConnectionPatch): string | null | undefined {
  for (const name of SECRET_PARAMS) {
    if (!Object.hasOwn(params, name)) continue;
    const value = params[name];
    if (value === null) return null;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  return client_secret;
}

/** The params without the secrets among them. */
export function publicParams(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).filter(([name]) => SECRET_PARAMS.every((secret) => secret !== name)),
  );
}

/** Reads the key file of a service account; `undefined` if the text is not a valid one. */
export function readServiceAccount(text: string): ServiceAccount | undefined {
  const file = jsonObject(text);
  if (file === undefined) return undefined;
  const {
    client_email: clientEmail,
    private_key: privateKey,
    private_key_id: keyId,
    client_id: clientId,
  } = file;
  if (!isFilled(clientEmail) || !isFilled(privateKey)) return undefined;
  if (readPrivateKey(privateKey)?.asymmetricKeyType !== 'rsa') return undefined;
  return {
    clientEmail,
    privateKey,
    keyId: isFilled(keyId) ? keyId : undefined,
    clientId: isFilled(clientId) ? clientId : undefined,
  };
}

/** Reads a private key as PEM; `undefined` if it cannot sign assertions (RSA, or EC on a NIST curve, can). */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
    const isUsable = key.asymmetricKeyType === 'ec' && CURVES.includes(key.asymmetricKeyDetails?.namedCurve);
    return isUsable ? key : undefined;
  } catch {
    return undefined;
  }
}

function problemOf(name: SecretParam, value: unknown): string | undefined {
  if (name === 'private_key') {
    return typeof value === 'string' && readPrivateKey(value) !== undefined
      ? undefined
      : 'Must be a private key in PEM form: RSA, or EC on the curve P-256, P-384 or P-521.';
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return readServiceAccount(text) === undefined
    ? 'Must be the key file of a service account: JSON with client_email and an RSA private_key in PEM form.'
    : undefined;
}

function isGiven(params: Readonly<Record<string, unknown>>, name: SecretParam): boolean {
  return Object.hasOwn(params, name) && params[name] !== null && params[name] !== undefined;
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parsedJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
