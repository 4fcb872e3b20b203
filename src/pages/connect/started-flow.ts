/**
 * What a browser remembers for an hour about a visit to a provider: the link it began with, so that it can try
 * again, and how the visit ended, so that a reload shows the same. Trusted for nothing but what is shown.
 */
import { createHash } from 'node:crypto';
import { consentFailure } from '../../links/consent/consent-failure.ts';
import { PageFailure, type PageFailureKind } from '../../core/page-failure.ts';
import { isCallbackKind } from './callback-pages.ts';
import { flowCookie } from '../frame/own-cookie.ts';
import type { PageContext } from '../frame/page-response.ts';

/** The end of a visit that connected an account. */
export const CONNECTED = 'connected';

type Outcome = PageFailureKind<'callback'> | typeof CONNECTED;

interface StartedFlow {
  token: string;
  mark: string;
  outcome: Outcome | undefined;
}

const STORED = /^([\w-]{1,64})\.([\w-]{22})(?:\.([a-z_]{1,30}))?$/;

/** @param state of the flow; only its hash is kept */
export function rememberFlow(c: PageContext, token: string, state: string): void {
  flowCookie.write(c, `${token}.${markOf(state)}`);
}

/** Keeps how the visit ended that this callback belongs to, if it is the one that the browser remembers. */
export function rememberOutcome(c: PageContext, outcome: Outcome): void {
  const flow = startedFlow(c);
  if (flow !== undefined) flowCookie.write(c, `${flow.token}.${flow.mark}.${outcome}`);
}

/** Leads to the link that the browser remembers. Pages name it instead of the link, whose token is a secret. */
export const AGAIN_PATH = '/connect/again';

/** The sign-in that leads back to the link that the browser remembers. */
export const SIGN_IN_FIRST = `/sign-in?${new URLSearchParams({ next: AGAIN_PATH }).toString()}`;

/** Where the browser can try again: at the address of the page itself, or at the link of the visit that this callback ends. */
export function wayBack(c: PageContext): string | undefined {
  if (c.req.path.startsWith('/connect/')) return '?';
  return startedFlow(c) === undefined ? undefined : AGAIN_PATH;
}

/** Path of the link that the browser remembers. */
export function rememberedLink(c: PageContext): string | undefined {
  const token = STORED.exec(flowCookie.read(c) ?? '')?.[1];
  return token === undefined ? undefined : `/connect/${token}`;
}

/** How the visit ended that this callback belongs to, if this is its reload. The provider's own words are in its query. */
export function earlierOutcome(
  c: PageContext,
  failure: PageFailure<'callback'>,
): PageFailure<'callback'> | typeof CONNECTED | undefined {
  const outcome = failure.kind === 'state' ? startedFlow(c)?.outcome : undefined;
  if (outcome === undefined || outcome === CONNECTED) return outcome;
  const { connectorTitle } = failure;
  return outcome === 'denied' || outcome === 'provider_error'
    ? consentFailure(new URL(c.req.url).searchParams, connectorTitle ?? '')
    : new PageFailure('callback', outcome, { connectorTitle });
}

/** `undefined` unless the state of the address is that of the remembered visit. */
function startedFlow(c: PageContext): StartedFlow | undefined {
  const [, token, mark, outcome] = STORED.exec(flowCookie.read(c) ?? '') ?? [];
  const state = c.req.query('state');
  if (token === undefined || mark === undefined || state === undefined || markOf(state) !== mark)
    return undefined;
  const isKnown = outcome === CONNECTED || (outcome !== undefined && isCallbackKind(outcome));
  return { token, mark, outcome: isKnown ? outcome : undefined };
}

function markOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url').slice(0, 22);
}
