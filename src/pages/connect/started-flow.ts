/**
 * A browser's latest visits to a provider or to the sign-in, remembered for an hour in a cookie. Several may be
 * running in different tabs.
 *
 * It keeps the link that each visit began with, so that its tab returns to it, and the outcome, so that a reload
 * shows the same page. It only decides what is shown, never what is allowed.
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
  outcome?: Outcome | undefined;
}

const STORED = /^([\w-]{1,64})\.([\w-]{22})(?:\.([a-z_]{1,30}))?$/;

/** Separates the visits in the cookie. */
const SEPARATOR = '~';

/** Most visits that a browser remembers. A further one replaces the oldest. */
const MAX_FLOWS = 6;

/**
 * @param state of the flow; only its hash is kept
 * @returns path that brings this browser back to the link
 */
export function rememberFlow(c: PageContext, token: string, state: string): string {
  const mark = markOf(state);
  keep(c, { token, mark });
  return againPath(mark);
}

/** Stores the outcome of the visit that this callback belongs to, if the browser remembers it. */
export function rememberOutcome(c: PageContext, outcome: Outcome): void {
  const flow = startedFlow(c);
  if (flow !== undefined) keep(c, { ...flow, outcome });
}

/**
 * Redirects to the link of the visit that `flow` in the query names. Pages use this address, because the token of
 * the link itself is a secret.
 */
export const AGAIN_PATH = '/connect/again';

/**
 * Path of the sign-in that leads back to a link.
 *
 * @param again from `rememberFlow`
 * @param isChange whether another person is signed in, who will be replaced
 */
export function signInFirst(again: string, isChange: boolean): string {
  return `/sign-in?${new URLSearchParams({ next: again, ...(isChange && { again: '1' }) }).toString()}`;
}

function againPath(mark: string): string {
  return `${AGAIN_PATH}?${new URLSearchParams({ flow: mark }).toString()}`;
}

/** Path where the browser can try again: the page itself, or the link of the visit that this callback ends. */
export function wayBack(c: PageContext): string | undefined {
  // At this address the path back is what could not be found.
  if (c.req.path === AGAIN_PATH) return undefined;
  if (c.req.path.startsWith('/connect/')) return '?';
  const flow = startedFlow(c);
  return flow && againPath(flow.mark);
}

/** Path of the link that `AGAIN_PATH` was opened for, if the browser remembers it. */
export function rememberedLink(c: PageContext): string | undefined {
  const flow = flowsOf(c).find(({ mark }) => mark === c.req.query('flow'));
  return flow && `/connect/${flow.token}`;
}

/**
 * Outcome of the visit that this callback belongs to, if this is a reload. The provider's own words are in the
 * query.
 */
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

/** The remembered visit with the state in the query. */
function startedFlow(c: PageContext): StartedFlow | undefined {
  const state = c.req.query('state');
  return state === undefined ? undefined : flowsOf(c).find(({ mark }) => mark === markOf(state));
}

/** The remembered visits, latest first. */
function flowsOf(c: PageContext): StartedFlow[] {
  return (flowCookie.read(c) ?? '').split(SEPARATOR).flatMap((stored) => {
    const [, token, mark, outcome] = STORED.exec(stored) ?? [];
    if (token === undefined || mark === undefined) return [];
    const isKnown = outcome === CONNECTED || (outcome !== undefined && isCallbackKind(outcome));
    return [{ token, mark, outcome: isKnown ? outcome : undefined }];
  });
}

function keep(c: PageContext, flow: StartedFlow): void {
  const others = flowsOf(c).filter(({ mark }) => mark !== flow.mark);
  const stored = [flow, ...others]
    .slice(0, MAX_FLOWS)
    .map(({ token, mark, outcome }) => [token, mark, outcome].filter(Boolean).join('.'));
  flowCookie.write(c, stored.join(SEPARATOR));
}

function markOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url').slice(0, 22);
}
