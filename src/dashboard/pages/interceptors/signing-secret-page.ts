/** The secret that signs requests to interceptors and webhooks: shown and rotated after a fresh sign-in. */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { SigningSecretView } from '../../../signed-sender/signing-secrets.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { requireFresh } from '../../access/fresh.ts';
import { card } from '../../components/card.ts';
import { copyableCode } from '../../components/code.ts';
import { actionButton } from '../../components/form.ts';
import { note } from '../../components/note.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { showPage } from '../../frame/respond.ts';
import { frame } from '../../words/frame.ts';
import { interceptors } from '../../words/interceptors.ts';

const words = interceptors.secret;

/** Path of the page. */
export const SIGNING_SECRET = '/dashboard/interceptors/signing-secret';

/** Adds the page and its two buttons. */
export function addSigningSecret(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.get(SIGNING_SECRET, (c) => {
    requireFresh(c);
    return showPage(c, questionPage(c));
  });
  for (const [verb, title] of [
    ['show', words.shown],
    ['rotate', words.rotated],
  ] as const)
    routes.post(`${SIGNING_SECRET}/${verb}`, async (c) => {
      requireFresh(c, SIGNING_SECRET);
      await deps.posted.read(c);
      return showPage(c, secretPage(title, await deps.signingSecrets[verb](c.get('viewer').caller)));
    });
}

function questionPage(c: DashboardContext): Page {
  return {
    title: words.title,
    lead: words.lead,
    content: card({
      id: 'signing-secret',
      kind: 'narrow',
      title: words.heading,
      content: html`<div class="tick">
          <span class="say"><b>${words.show}</b><br />${words.showHint}</span>
          ${actionButton(c, `${SIGNING_SECRET}/show`, words.show)}
        </div>
        <div class="tick">
          <span class="say"><b>${words.rotate}</b><br />${words.rotateHint}</span>
          ${actionButton(c, `${SIGNING_SECRET}/rotate`, words.rotate)}
        </div>`,
    }),
  };
}

function secretPage(title: string, { secret, previous_until: until }: SigningSecretView): Page {
  const shownUntil = until === null ? undefined : frame.utc(until.slice(0, 16).replace('T', ' '));
  return {
    title,
    crumbs: [{ label: words.title, href: SIGNING_SECRET }],
    content: html`${shownUntil === undefined ? '' : note(words.previous(shownUntil))}
    ${card({
      id: 'secret',
      kind: 'once',
      title: words.heading,
      content: html`<p class="lead">${words.store}</p>
        ${copyableCode(frame.secret.value, secret)}
        ${copyableCode(frame.secret.asLine, `SIGNING_SECRET=${secret}`)}`,
    })}`,
  };
}
