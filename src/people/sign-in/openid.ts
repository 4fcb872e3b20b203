/**
 * Talks to one OpenID provider through openid-client: metadata, the address of its sign-in page, and the
 * identity of the user who comes back. The library is loaded on first use. Stores nothing, decides nothing.
 */
import type { ClientAuth, Configuration, IDToken, UserInfoResponse } from 'openid-client';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import { fetchOver } from './identity-provider-fetch.ts';
import { isPageFailure, PageFailure } from '../../core/page-failure.ts';

/** Tolerated difference between clocks, in seconds (docs/security.md#clock-skew). */
export const CLOCK_TOLERANCE_S = 300;

type Library = typeof import('openid-client');

/** Longest `sub`. @see OpenID Connect Core 1.0 section 2 */
const MAX_SUBJECT_LENGTH = 255;

/** The user who came back, as the provider describes them. */
export interface NamedPerson {
  /** Issuer of the ID token. */
  issuer: string;
  /** The issuer's name for the user, which it never gives to another one. */
  subject: string;
  /** As given; '' without an address. */
  email: string;
  /** `undefined` if the provider does not say. */
  emailVerified: boolean | undefined;
  givenName: string;
  familyName: string;
  /** When the person last proved it to the provider, Unix milliseconds; `undefined` if the provider does not say. */
  provenAt: number | undefined;
}

/** Values made at the start of the flow. */
export interface FlowChecks {
  state: string;
  nonce: string;
  /** PKCE code verifier. */
  verifier: string;
}

/** Data for the sign-in page. */
interface SignInRequest extends FlowChecks {
  redirectUri: string;
  /** As the user wrote it; '' if not known. */
  email: string;
  /** Whether the person has to prove again who they are, although the provider may remember their browser. */
  isAgain: boolean;
}

/** Reads the provider's metadata. @throws PageFailure of a sign-in: `unreachable`, `answer` */
export async function configuredClient(
  { issuer, clientId, secret }: { issuer: string; clientId: string; secret: string | undefined },
  sender: Pick<Sender, 'send'>,
): Promise<Configuration> {
  const oidc = await import('openid-client');
  const isPlain = issuer.startsWith('http:');
  try {
    return await oidc.discovery(
      new URL(issuer),
      clientId,
      { [oidc.clockTolerance]: CLOCK_TOLERANCE_S },
      secret === undefined ? oidc.None() : clientSecret(oidc, secret),
      {
        [oidc.customFetch]: fetchOver(sender),
        // The address policy decides whether http is allowed at all.
        execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
      },
    );
  } catch (error) {
    throw failureOf(oidc, error);
  }
}

/**
 * The address of the sign-in page from the metadata: https, or http if the whole provider uses it.
 *
 * @throws PageFailure of a sign-in: `answer`
 */
export async function signInAddress(
  config: Configuration,
  { redirectUri, state, nonce, verifier, isAgain, email }: SignInRequest,
): Promise<string> {
  const oidc = await import('openid-client');
  const challenge = await oidc.calculatePKCECodeChallenge(verifier);
  try {
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(email !== '' && { login_hint: email }),
      // Some providers know only one of the two. With max_age the answer has to state the time.
      ...(isAgain && { prompt: 'login', max_age: '0' }),
    });
    requireSafeScheme(config, url);
    return url.href;
  } catch (error) {
    throw failureOf(oidc, error);
  }
}

/**
 * Hosts that a person should know before they go to the provider: the issuer, and the host of its sign-in page if
 * different.
 *
 * @throws PageFailure of a sign-in: `answer`
 */
export function signInHosts(config: Configuration): string[] {
  const { issuer, authorization_endpoint: endpoint = '' } = config.serverMetadata();
  if (!URL.canParse(endpoint)) throw new PageFailure('sign_in', 'answer');
  const page = new URL(endpoint);
  requireSafeScheme(config, page);
  return [...new Set([new URL(issuer).host, page.host])];
}

/** @throws PageFailure of a sign-in: `answer`, unless the address is https, or http if the issuer uses it */
function requireSafeScheme(config: Configuration, { protocol }: URL): void {
  if (protocol === 'https:' || protocol === new URL(config.serverMetadata().issuer).protocol) return;
  throw new PageFailure('sign_in', 'answer');
}

/**
 * Checks the answer, exchanges its code, and reads the identity from the ID token or else from the provider.
 *
 * @param address of the callback with its query
 * @throws PageFailure of a sign-in: `denied`, `unreachable`, `answer`
 */
export async function handIn(
  config: Configuration,
  address: URL,
  { state, nonce, verifier }: FlowChecks,
): Promise<NamedPerson> {
  const oidc = await import('openid-client');
  try {
    const tokens = await oidc.authorizationCodeGrant(config, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined || claims.sub.length > MAX_SUBJECT_LENGTH)
      throw new PageFailure('sign_in', 'answer');
    if (claims.email !== undefined && !isVerifiedElsewhere(config, claims)) return personOf(claims, claims);
    const info = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
    // The flag that an address is verified counts only for the address next to it.
    return personOf(
      claims,
      info.email === undefined ? claims : { ...claims, email_verified: undefined, ...info },
    );
  } catch (error) {
    throw failureOf(oidc, error);
  }
}

/** HTTP Basic unless the provider's metadata lists only the form. @see OpenID Connect Discovery 1.0 section 3 */
function clientSecret(oidc: Library, secret: string): ClientAuth {
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic')
      ? oidc.ClientSecretBasic(secret)
      : oidc.ClientSecretPost(secret);
    authenticate(server, client, body, headers);
  };
}

/** Whether only the provider's user endpoint may say if the address of the ID token is verified. */
function isVerifiedElsewhere(config: Configuration, claims: IDToken): boolean {
  return claims['email_verified'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
}

function personOf(
  { iss, sub, auth_time: provenAt }: IDToken,
  claims: IDToken | UserInfoResponse,
): NamedPerson {
  return {
    issuer: iss,
    subject: sub,
    email: textOf(claims.email),
    emailVerified: verifiedOf(claims.email_verified),
    givenName: textOf(claims.given_name),
    familyName: textOf(claims.family_name),
    provenAt: provenAt === undefined ? undefined : provenAt * 1_000,
  };
}

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim : '';
}

/** Some providers send strings for the boolean values. Any other value counts as false. */
function verifiedOf(claim: unknown): boolean | undefined {
  return claim === undefined ? undefined : claim === true || claim === 'true';
}

/** The provider is unreachable, or its answer is invalid. */
function failureOf(oidc: Library, error: unknown): PageFailure<'sign_in'> {
  if (isPageFailure(error, 'sign_in')) return error;
  if (error instanceof oidc.AuthorizationResponseError)
    return new PageFailure('sign_in', 'denied', { cause: error });
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundFailure) return new PageFailure('sign_in', 'unreachable', { cause: error });
  }
  return new PageFailure('sign_in', 'answer', { cause: error });
}
