/** `/sign-up`: creates an organization and its first user. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../core/errors.ts';
import { layout, type Html } from '../frame/layout.ts';
import { alert, hidden, inputField } from './people-fields.ts';
import { MAX_EMAIL_LENGTH } from './sign-in-pages.ts';

/** Values that the form asks for, by field name. */
export interface SignUpFields {
  name: string;
  email: string;
  given_name: string;
  family_name: string;
}

/** @param page.signedInAs address of a signed-in user, who is only asked for the organization */
export function signUpPage(page: {
  csrf: string;
  host: string;
  fields: SignUpFields;
  violations: readonly FieldViolation[];
  signedInAs?: string;
  isFailing: boolean;
}): Html {
  const { fields, violations, signedInAs } = page;
  return layout({
    title: 'Sign up',
    content: html`
      <h1>Sign up</h1>
      <p class="lead">Makes an organization of yours in Gatehouse at <bdi>${page.host}</bdi>.</p>
      ${alert(page.isFailing ? 'The mail server did not take the last mail, so codes may not arrive.' : undefined)}
      <form method="post" action="/sign-up">
        ${hidden({ csrf: page.csrf })}
        ${inputField(
          {
            name: 'name',
            label: 'Name of the organization',
            type: 'text',
            autocomplete: 'organization',
            value: fields.name,
            maxLength: 200,
          },
          violations,
        )}
        ${signedInAs === undefined ? personFields(fields, violations) : ''}
        <button type="submit">${signedInAs === undefined ? 'Continue' : 'Make the organization'}</button>
      </form>
    `,
    footer:
      signedInAs === undefined
        ? html`Been here before? <a href="/sign-in">Sign in</a>`
        : html`You are signed in as <bdi>${signedInAs}</bdi> and will own it.`,
  });
}

function personFields(fields: SignUpFields, violations: readonly FieldViolation[]): Html {
  return html`${inputField(
    {
      name: 'email',
      label: 'Your e-mail address',
      type: 'email',
      autocomplete: 'email',
      hint: 'A code is sent to it in the next step.',
      value: fields.email,
      maxLength: MAX_EMAIL_LENGTH,
    },
    violations,
  )}
  ${inputField(
    {
      name: 'given_name',
      label: 'Given name',
      type: 'text',
      autocomplete: 'given-name',
      value: fields.given_name,
      maxLength: 100,
      isOptional: true,
    },
    violations,
  )}
  ${inputField(
    {
      name: 'family_name',
      label: 'Family name',
      type: 'text',
      autocomplete: 'family-name',
      value: fields.family_name,
      maxLength: 100,
      isOptional: true,
    },
    violations,
  )}`;
}
