/** Pages of API credentials: the list, one credential, a new secret. */
import { html } from 'hono/html';
import type { CredentialView, NewCredentialView } from '../../../api-credentials/api-credentials.ts';
import { tag } from '../../components/badge.ts';
import { card, empty, facts, linkButton } from '../../components/card.ts';
import { copyable, copyableCode } from '../../components/code.ts';
import { timeOrNone } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import { secretOnce } from '../../components/secret-once.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { credentials as words } from '../../words/credentials.ts';

/** Path of the list. */
export const CREDENTIALS = '/dashboard/credentials';

/** Path of one credential. */
export function credentialPath({ id }: { id: string }): string {
  return `${CREDENTIALS}/${encodeURIComponent(id)}`;
}

/** The list, newest first. */
export function credentialList(rows: readonly CredentialView[], makers: ReadonlyMap<string, Text>): Page {
  const { columns } = words;
  return {
    title: words.title,
    lead: words.lead,
    actions: linkButton(`${CREDENTIALS}/new`, words.add, 'primary'),
    content: card({
      id: 'credentials',
      title: words.heading,
      content:
        rows.length === 0
          ? empty(words.none, linkButton(`${CREDENTIALS}/new`, words.add))
          : table<CredentialView>(
              words.title,
              [
                {
                  label: columns.name,
                  cell: (row) =>
                    nameCell({ href: credentialPath(row), name: row.name, detail: row.client_id }),
                },
                { label: columns.scopes, cell: ({ scopes }) => scopeTags(scopes), leftOutOn: 'tablet' },
                { label: columns.lastUsed, cell: lastUsed },
                { label: columns.by, cell: ({ id }) => makers.get(id) ?? words.unknown, leftOutOn: 'phone' },
                { label: columns.made, cell: (row) => timeOrNone(row.created_at), leftOutOn: 'phone' },
              ],
              rows,
            ),
    }),
  };
}

/** One credential. `overlap` says that the previous secret still works. */
export function credentialPage(
  credential: CredentialView,
  made: Text | undefined,
  { overlap, canRotate }: { overlap: string | undefined; canRotate: boolean },
): Page {
  const { facts: labels, columns } = words;
  const path = credentialPath(credential);
  return {
    title: credential.name,
    actions: html`<div class="acts-row">
      ${canRotate ? linkButton(`${path}/rotate`, words.rotate.button) : ''}
      ${linkButton(`${path}/delete`, words.remove.link, 'danger')}
    </div>`,
    content: html`${canRotate ? '' : note(words.rotate.atCommandLine(credential.id))}
    ${overlap === undefined ? '' : note(overlap)}
    ${card({
      id: 'facts',
      title: labels.heading,
      content: facts([
        { label: labels.id, value: copyable(credential.id, labels.id) },
        { label: labels.clientId, value: copyable(credential.client_id, labels.clientId) },
        { label: labels.secret, value: labels.secretStored },
        { label: columns.scopes, value: meanings(credential) },
        { label: labels.organization, value: credential.organization_id || labels.everything },
        { label: columns.lastUsed, value: lastUsed(credential) },
        { label: columns.by, value: made ?? words.unknown },
        { label: columns.made, value: timeOrNone(credential.created_at) },
      ]),
    })}`,
  };
}

/** The answer that shows a secret, once. */
export function secretPage(
  title: string,
  credential: NewCredentialView,
  { baseUrl, until }: { baseUrl: string; until?: string },
): Page {
  const { secret } = words;
  const path = credentialPath(credential);
  const curl = [
    `curl ${baseUrl}/oauth/token \\`,
    '  -d grant_type=client_credentials \\',
    `  -d client_id=${credential.client_id} \\`,
    `  -d client_secret=${credential.client_secret}`,
  ].join('\n');
  return {
    title,
    crumbs: [{ label: credential.name, href: path }],
    content: html`${until === undefined ? '' : note(secret.both(until))}
    ${secretOnce({
      title: secret.title(credential.name),
      value: credential.client_secret,
      variable: 'GATEHOUSE_CLIENT_SECRET',
      more: html`${copyableCode(secret.clientId, `GATEHOUSE_CLIENT_ID=${credential.client_id}`)}
      ${copyableCode(secret.curl, curl)}`,
      next: path,
    })}`,
  };
}

function lastUsed({ last_used_at: at }: CredentialView): Text {
  return at === null ? words.unused : timeOrNone(at);
}

function scopeTags(scopes: readonly string[]): Html {
  return html`<span class="tags">${scopes.map((scope) => html`${tag(scope)} `)}</span>`;
}

function meanings({ scopes }: CredentialView): Html {
  return html`<ul class="plain-list">
    ${scopes.map((scope) => html`<li>${tag(scope)} <small>${words.scopes[scope]}</small></li>`)}
  </ul>`;
}
