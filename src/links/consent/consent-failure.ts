/** Classifies a failed consent or token request for the user who waits for it. Pure. */
import { OutboundFailure, type OutboundFailureKind } from '../../outbound/outbound-failure.ts';
import type { MetadataFailure } from '../../credentials/schemes/consent-metadata.ts';
import { providerWords } from '../../credentials/oauth/provider-words.ts';
import type { TokenFailure, TokenFailureKind } from '../../credentials/oauth/token-endpoint.ts';
import { PageFailure, type PageFailureKind } from '../../core/page-failure.ts';

/** Errors by which a user or an administrator refused; the first is RFC 6749's, the last two are from OAuth 1.0a. */
const DENIALS: ReadonlySet<string> = new Set([
  'access_denied',
  'user_denied',
  'user_cancelled_login',
  'user_cancelled_authorize',
  'user_refused',
  'permission_denied',
]);

const FAILURE_OF: Readonly<Record<TokenFailureKind, PageFailureKind<'callback'>>> = {
  invalid_grant: 'code_refused',
  refused: 'code_refused',
  client_refused: 'client_refused',
  not_sent: 'unreachable',
  temporary: 'unreachable',
  unknown: 'unreachable',
};

/** The provider answered, but the answer cannot be read. */
const UNREADABLE: ReadonlySet<OutboundFailureKind> = new Set(['bad_response', 'bad_encoding', 'too_large']);

/** A callback with `error`: RFC 6749 section 4.1.2.1. The provider wrote its text, or anyone who made the address. */
export function consentFailure(query: URLSearchParams, connectorTitle: string): PageFailure<'callback'> {
  const error = query.get('error') ?? '';
  return new PageFailure('callback', DENIALS.has(error) ? 'denied' : 'provider_error', {
    connectorTitle,
    providerText: providerWords(said(error, query.get('error_description') ?? ''), [
      query.get('state') ?? '',
    ]),
  });
}

/** A failed request before the consent page: nobody has allowed anything yet. */
export function startFailure(cause: TokenFailure, connectorTitle: string): PageFailure<'callback'> {
  const words = said(cause.providerError ?? '', cause.providerDescription ?? '');
  return new PageFailure('callback', cause.kind === 'client_refused' ? 'start_refused' : 'start_failed', {
    connectorTitle,
    providerText: words === '' ? undefined : words,
    cause,
  });
}

/** A failed exchange of the code. Distinguishes an unusable answer from no answer. */
export function exchangeFailure(cause: TokenFailure, connectorTitle: string): PageFailure<'callback'> {
  const isAnswered =
    cause.status !== undefined ||
    (cause.cause instanceof OutboundFailure && UNREADABLE.has(cause.cause.kind));
  const kind = cause.kind === 'unknown' && isAnswered ? 'bad_answer' : FAILURE_OF[cause.kind];
  const words = said(cause.providerError ?? '', cause.providerDescription ?? '');
  return new PageFailure('callback', kind, {
    connectorTitle,
    providerText: words === '' ? undefined : words,
    cause,
  });
}

/** Tokens arrived, but other values that the account needs are missing, or belong to several accounts. */
export function metadataFailure(cause: MetadataFailure, connectorTitle: string): PageFailure<'callback'> {
  const { choices } = cause;
  const words = providerWords(choices.join('; '), []);
  return new PageFailure('callback', choices.length > 0 ? 'several_accounts' : 'no_metadata', {
    connectorTitle,
    providerText: choices.length > 0 ? words : undefined,
    cause,
  });
}

function said(error: string, description: string): string {
  return [error, description].filter((part) => part !== '').join(': ');
}
