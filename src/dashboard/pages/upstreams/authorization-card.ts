/**
 * The card about credentials: how people connect to a remote MCP server, and how Gatehouse is registered as a
 * client there.
 */
import { html } from 'hono/html';
import type { UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import { spelled } from '../../../upstream/definitions/plain-text.ts';
import { tag } from '../../components/badge.ts';
import { card, facts } from '../../components/card.ts';
import { copyable } from '../../components/code.ts';
import { isolated, time } from '../../components/format.ts';
import type { Html, Text } from '../../frame/html.ts';
import { frame } from '../../words/frame.ts';
import { upstreams } from '../../words/upstreams.ts';

const words = upstreams.authorization;

/** The card. If no consent is needed, it shows the type only. */
export function authorizationCard(upstream: UpstreamView): Html {
  const { authorization_type: type, issuer, redirect_uri: redirectUri, state } = upstream;
  const rows: { label: string; value: Text; hint?: string | undefined }[] = [
    { label: words.type, value: type ?? frame.none },
  ];
  if (redirectUri !== null)
    rows.push(
      {
        label: words.issuer,
        value: issuer === null ? words.unknown : isolated(spelled(issuer)),
        hint: issuer === null || state === 'not_added' ? undefined : words.pinned,
      },
      ...clientRows(upstream),
      { label: words.redirectUri, value: copyable(redirectUri, words.redirectUri) },
      ...scopeRows(upstream),
    );
  return card({ id: 'authorization', kind: 'stacked', title: words.heading, content: facts(rows) });
}

function clientRows({ registration }: UpstreamView): { label: string; value: Text }[] {
  if (registration === null) return [];
  const { way, client_id: clientId, registered_at: at } = registration;
  return [
    { label: words.way, value: way === null ? words.noWay : words.ways[way] },
    ...(clientId === null ? [] : [{ label: words.clientId, value: html`<code>${clientId}</code>` }]),
    ...(at === null ? [] : [{ label: words.registered, value: time(at) }]),
  ];
}

function scopeRows({ scopes }: UpstreamView): { label: string; value: Text }[] {
  if (scopes.length === 0) return [];
  return [
    { label: words.scopes, value: html`<span class="tags">${scopes.map((scope) => tag(scope))}</span>` },
  ];
}
