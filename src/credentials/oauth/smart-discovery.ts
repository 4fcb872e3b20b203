/**
 * Reads the endpoints of a FHIR server from its discovery document.
 *
 * Codes, refresh tokens, client secrets and users are sent to these addresses. A document may therefore only name
 * origins that the connector or the connection allows. Follows no redirect, retries nothing, keeps nothing.
 *
 * @see HL7 SMART App Launch 2.2, Conformance: /.well-known/smart-configuration
 */
import { isObject } from '../../core/json.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import { parseJsonAnswer } from '../../outbound/json-answer.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import { parseRetryAfter } from '../../outbound/retry.ts';
import { TokenFailure } from './token-endpoint.ts';

/** Limit of the unpacked document; real ones have a few kilobytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024;

const MAX_ADDRESS_CHARACTERS = 2_048;

/** The parts of a document that matter here. */
export interface SmartEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
  /** The required value of `iss` in a callback. */
  issuer: string;
}

/**
 * Reads `<FHIR base>/.well-known/smart-configuration`.
 *
 * @param fhirBase without a slash at its end
 * @param origins allowed origins of endpoints
 * @throws TokenFailure. Nothing was sent that could be spent, so its kind is `not_sent` or `temporary`, or `refused`
 *   for an unusable document
 */
export async function discoverSmart(
  fhirBase: string,
  origins: readonly string[],
  { http, now, timeoutMs }: { http: Pick<Sender, 'send'>; now: number; timeoutMs: number },
): Promise<SmartEndpoints> {
  const response = await http
    .send({
      method: 'GET',
      url: new URL(`${fhirBase}/.well-known/smart-configuration`),
      headers: { accept: 'application/json' },
      headersTimeoutMs: timeoutMs,
      totalTimeoutMs: timeoutMs,
      maxResponseBytes: MAX_DOCUMENT_BYTES,
    })
    .catch((cause: unknown) => {
      if (!(cause instanceof OutboundFailure)) throw cause;
      const kind = cause.kind === 'too_large' || cause.kind === 'bad_encoding' ? 'refused' : 'not_sent';
      throw new TokenFailure(kind, `The FHIR server could not be asked for its endpoints. ${cause.message}`, {
        cause,
      });
    });
  const { status, headers, body } = response;
  if (status === 429 || status >= 500) {
    const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
    const message = `The FHIR server answered ${status} when it was asked for its endpoints.`;
    throw new TokenFailure('temporary', message, { status, retryAfterMs });
  }
  if (status !== 200) throw unusable(`it answered ${status}`, status);
  return endpointsIn(readDocument(body), fhirBase, origins);
}

function readDocument(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const document = parseJsonAnswer(body.toString('utf8'));
    if (isObject(document)) return document;
  } catch {
    // The error below reports it.
  }
  throw unusable('it is not a JSON object');
}

function endpointsIn(
  document: Readonly<Record<string, unknown>>,
  fhirBase: string,
  origins: readonly string[],
): SmartEndpoints {
  const { code_challenge_methods_supported: methods, issuer } = document;
  const address = (name: string): string => {
    const value = document[name];
    if (typeof value !== 'string' || value.length > MAX_ADDRESS_CHARACTERS || !URL.canParse(value))
      throw unusable(`it has no usable ${name}`);
    const url = new URL(value);
    if (url.username !== '' || url.password !== '' || value.includes('#') || !origins.includes(url.origin))
      throw unusable(`its ${name} is not at ${origins.join(' or ')}`);
    return url.href;
  };
  // Version 1 of the guide does not list methods.
  if (methods !== undefined && !(Array.isArray(methods) && methods.includes('S256')))
    throw unusable('it does not support the code challenge S256');
  return {
    authorizationUrl: address('authorization_endpoint'),
    tokenUrl: address('token_endpoint'),
    issuer: typeof issuer === 'string' && issuer.length <= MAX_ADDRESS_CHARACTERS ? issuer : fhirBase,
  };
}

/** The error does not quote the document, which may hold any text. */
function unusable(why: string, status = 200): TokenFailure {
  return new TokenFailure(
    'refused',
    `The discovery document of the FHIR server cannot be used: ${why}. The operator has to check the address and the connector.`,
    { status },
  );
}
