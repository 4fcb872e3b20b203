/** The page behind a link: who asks for what, and a form with exactly the fields the connector declares. */
import { html } from 'hono/html';
import type { LinkPage } from '../auth/links.ts';
import type { CredentialField } from '../catalog/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import { layout, type Html } from './layout.ts';

/** A form that came back because something in it is wrong. */
export interface RejectedForm {
  violations: readonly FieldViolation[];
  /** As entered; of these, secret fields are never shown again. */
  entered: Readonly<Record<string, string>>;
}

/** What the page says beside the link's own facts. */
export interface ConnectPageOptions {
  /** Public host of this Gatehouse, so that people see where their key goes. */
  host: string;
  /** Unix milliseconds, for the time that is left. */
  now: number;
  rejected?: RejectedForm;
}

/** By status, why the account is asked for now. A new account needs no explanation. */
const REASONS: Readonly<Record<string, string>> = {
  ACTIVE: 'This account is connected already. What you enter replaces what is stored now.',
  EXPIRED: 'The credentials stored for this account no longer work. Enter new ones to go on.',
  DISCONNECTED: 'This account was disconnected. Enter the credentials to connect it again.',
  PENDING_VERIFICATION:
    'Credentials for this account are waiting to be confirmed. What you enter replaces them.',
};

/** The whole page. */
export function connectPage(page: LinkPage, options: ConnectPageOptions): Html {
  const { connectorTitle, fields } = page;
  const reason = REASONS[page.status];
  return layout({
    title: `Connect ${connectorTitle}`,
    content: html`
      <h1>Connect ${connectorTitle}</h1>
      <p class="lead">
        An AI agent wants to use ${connectorTitle} for you. It sees the answers, never what you enter here.
      </p>
      <dl>
        <div>
          <dt>Asked for by</dt>
          <dd><bdi>${page.environmentName}</bdi><small>Gatehouse at ${options.host}</small></dd>
        </div>
        <div>
          <dt>App</dt>
          <dd>
            ${connectorTitle}<small>connection <bdi>${page.connector}</bdi></small>
          </dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd><bdi>${page.identifier}</bdi></dd>
        </div>
      </dl>
      ${reason === undefined ? '' : html`<p>${reason}</p>`}
      ${options.rejected === undefined ? '' : problemSummary(fields, options.rejected.violations)}
      <form method="post">
        <input type="hidden" name="csrf" value="${page.csrf}" />
        ${fields.map((field, index) => formField(field, index, options.rejected))}
        <div class="note">
          <p><strong>Did you ask for this?</strong></p>
          <p>
            If the link reached you unexpectedly, close this page: what you enter would serve somebody else's
            agent.
          </p>
        </div>
        <button type="submit">Connect ${connectorTitle}</button>
      </form>
    `,
    footer: html`What you enter is stored encrypted. ${onwards(page.submitOrigin)} This page works until
      <time datetime="${new Date(page.expiresAt).toISOString()}">${clockTime(page.expiresAt)}</time>
      (${timeLeft(page.expiresAt - options.now)}).`,
  });
}

/** Identifiers of the inputs: from their position, because names are not ours to choose. */
function inputId(index: number): string {
  return `field-${index}`;
}

function formField(field: CredentialField, index: number, rejected: RejectedForm | undefined): Html {
  const id = inputId(index);
  const problems = (rejected?.violations ?? []).filter((violation) => violation.field === field.name);
  const isInvalid = rejected !== undefined && problems.length > 0;
  const describedBy = [field.hint === undefined ? '' : `${id}-hint`, problems.length > 0 ? `${id}-error` : '']
    .filter((part) => part !== '')
    .join(' ');
  const kept = field.input === 'text' && rejected !== undefined ? enteredText(rejected, field.name) : '';
  return html`<div class="field">
    <label for="${id}">${field.label}${field.required ? '' : html` <span>(optional)</span>`}</label>
    ${field.hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${field.hint}</p>`}
    ${
      problems.length === 0
        ? ''
        : html`<p class="error" id="${id}-error">
            ${problems.map((problem) => problem.description).join(' ')}
          </p>`
    }
    <input
      id="${id}"
      name="${field.name}"
      type="${field.input}"
      value="${kept}"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      ${describedBy === '' ? '' : html`aria-describedby="${describedBy}"`}
      ${isInvalid ? html`aria-invalid="true"` : ''}
      ${field.required ? 'required' : ''}
    />
  </div>`;
}

function enteredText(rejected: RejectedForm, name: string): string {
  return Object.hasOwn(rejected.entered, name) ? (rejected.entered[name] ?? '') : '';
}

/** What is wrong, above the form: screen readers hear it at once, and each line leads to its field. */
function problemSummary(fields: readonly CredentialField[], violations: readonly FieldViolation[]): Html {
  return html`<div class="note problem" role="alert">
    <p><strong>Nothing was stored.</strong> Please look at this again:</p>
    <ul>
      ${violations.map((violation) => {
        const index = fields.findIndex((field) => field.name === violation.field);
        return html`<li>
          ${
            index < 0
              ? violation.description
              : html`<a href="#${inputId(index)}">${violation.description}</a>`
          }
        </li>`;
      })}
    </ul>
  </div>`;
}

function onwards(submitOrigin: string | null): Html | string {
  if (submitOrigin === null) return '';
  return html`Afterwards you are sent to <bdi>${new URL(submitOrigin).host}</bdi> to confirm that it is you.`;
}

/** `14:32 UTC`: the server does not know the reader's time zone. */
function clockTime(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(11, 16)} UTC`;
}

/** `58 minutes left`, rounded down, so that nobody is promised a minute too many. */
function timeLeft(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return 'less than a minute left';
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left`;
  return `${Math.floor(minutes / 60)} hours left`;
}
