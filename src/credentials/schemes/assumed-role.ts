/**
 * Exchanges our identity token for temporary credentials of a role, with one unsigned request to the security token
 * service, which answers in XML.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 */
import type { Clock } from '../../core/clock.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { OutboundResponse } from '../../outbound/outbound.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import { parseRetryAfter } from '../../outbound/retry.ts';
import { parseXmlAnswer, textOfElement, UnreadableXml, type XmlElement } from '../../outbound/xml-answer.ts';
import { providerWords } from '../oauth/provider-words.ts';
import { TokenFailure, type TokenFailureKind } from '../oauth/token-endpoint.ts';

const MAX_ANSWER_BYTES = 128 * 1024;

/** AWS documents no limit for a session token; a longer one does not fit into a header. */
const MAX_TOKEN_CHARACTERS = 16_384;

/** Longest possible session, in seconds. */
const MAX_SESSION_SECONDS = 43_200;

const CREDENTIALS = ['AssumeRoleWithWebIdentityResponse', 'AssumeRoleWithWebIdentityResult', 'Credentials'];

/** Errors that the operator has to fix are `client_refused`; passing ones are `temporary`. */
const KIND_OF_CODE: Readonly<Record<string, TokenFailureKind>> = {
  AccessDenied: 'client_refused',
  ExpiredTokenException: 'client_refused',
  IDPRejectedClaim: 'client_refused',
  InvalidIdentityToken: 'client_refused',
  RegionDisabledException: 'client_refused',
  ValidationError: 'client_refused',
  IDPCommunicationError: 'temporary',
  RequestLimitExceeded: 'temporary',
  ServiceUnavailable: 'temporary',
  Throttling: 'temporary',
  ThrottlingException: 'temporary',
};

/** The role, the session and its lifetime. */
export interface RoleRequest {
  /** Address of the security token service. */
  url: string;
  roleArn: string;
  /** Appears in the log of the AWS account: letters, digits, `_+=,.@-`. */
  sessionName: string;
  /** Our identity token. */
  token: string;
  /** Seconds, from 900 to 43200. */
  durationSeconds: number;
}

/** Temporary credentials. */
export interface RoleSession {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** Seconds from the receipt by the clock of the service, so that ours may be wrong. */
  expiresInSeconds: number;
}

/**
 * Sends one request and retries nothing.
 *
 * @throws TokenFailure
 */
export async function assumeRole(
  { http, clock }: { http: Pick<Sender, 'send'>; clock: Clock },
  { url, roleArn, sessionName, token, durationSeconds }: RoleRequest,
  { timeoutMs }: { timeoutMs: number },
): Promise<RoleSession> {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: token,
    DurationSeconds: String(durationSeconds),
  });
  let response: OutboundResponse;
  try {
    response = await http.send({
      method: 'POST',
      url: new URL(url),
      headers: { accept: 'text/xml', 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      headersTimeoutMs: timeoutMs,
      totalTimeoutMs: timeoutMs,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
  } catch (cause) {
    if (!(cause instanceof OutboundFailure)) throw cause;
    const message = cause.sent
      ? 'The security token service gave no usable answer.'
      : 'The request to the security token service could not be sent.';
    throw new TokenFailure(cause.sent ? 'unknown' : 'not_sent', `${message} ${cause.message}`, { cause });
  }
  const root = readXml(response);
  if (response.status !== 200) throw refusal(response, root, token, clock.now());
  const session = root === undefined ? undefined : readSession(root, response, clock.now());
  if (session === undefined) throw unusable(response);
  return session;
}

function readXml({ body }: OutboundResponse): XmlElement | undefined {
  try {
    return parseXmlAnswer(body.toString('utf8'));
  } catch (error) {
    if (error instanceof UnreadableXml) return undefined;
    throw error;
  }
}

/** Returns `undefined` if a member is missing, unfit for a header, or expired. */
function readSession(root: XmlElement, { headers }: OutboundResponse, now: number): RoleSession | undefined {
  const member = (name: string): string => textOfElement(root, [...CREDENTIALS, name]) ?? '';
  const [accessKeyId, secretAccessKey, sessionToken] = [
    member('AccessKeyId'),
    member('SecretAccessKey'),
    member('SessionToken'),
  ];
  if (!/^\w{16,128}$/.test(accessKeyId) || !isSendable(secretAccessKey) || !isSendable(sessionToken))
    return undefined;
  const answeredAt = Date.parse(headers['date'] ?? '');
  const endsAt = Date.parse(member('Expiration'));
  const seconds = Math.floor((endsAt - (Number.isNaN(answeredAt) ? now : answeredAt)) / 1_000);
  if (!(seconds > 0)) return undefined;
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken,
    expiresInSeconds: Math.min(seconds, MAX_SESSION_SECONDS),
  };
}

function isSendable(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_TOKEN_CHARACTERS;
}

function refusal(
  response: OutboundResponse,
  root: XmlElement | undefined,
  token: string,
  now: number,
): TokenFailure {
  const { status, headers } = response;
  const said = (name: string): string | undefined =>
    root === undefined ? undefined : textOfElement(root, ['ErrorResponse', 'Error', name]);
  const code = said('Code');
  const answer = {
    status,
    error: providerWords(code, [token]),
    description: providerWords(said('Message'), [token]),
    retryAfterMs: parseRetryAfter(headers['retry-after'], now),
  };
  const known = code !== undefined && Object.hasOwn(KIND_OF_CODE, code) ? KIND_OF_CODE[code] : undefined;
  if (status === 429 || status >= 500 || known === 'temporary')
    return new TokenFailure('temporary', 'The security token service cannot answer at the moment.', answer);
  if (code === undefined) return unusable(response);
  return new TokenFailure(
    known ?? 'refused',
    'The security token service refuses the identity token or the role.',
    answer,
  );
}

function unusable({ status }: OutboundResponse): TokenFailure {
  return new TokenFailure('unknown', 'The security token service gave no usable answer.', { status });
}
