/** `/sign-up`: creates an organization and its first user. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../core/errors.ts';
import { layout, ownName } from '../frame/layout.ts';
import type { Html } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';
import { caution, formProblems, hidden, inputField } from './people-fields.ts';
import { MAX_EMAIL_LENGTH, type CodeWay } from './sign-in-pages.ts';

/** Values that the form asks for, by field name. */
export interface SignUpFields {
  name: string;
  email: string;
  given_name: string;
  family_name: string;
}

/** @param page.signedInAs address of a signed-in user, who is only asked for the organization */
export function signUpPage(
  view: View,
  page: {
    csrf: string;
    /** Mark of the form. */
    once: string;
    host: string;
    fields: SignUpFields;
    violations: readonly FieldViolation[];
    signedInAs?: string;
    /** The same form arrived before. */
    isRepeated: boolean;
    code: CodeWay;
  },
): Html {
  const { fields, violations, signedInAs } = page;
  const { frame, signIn } = view.words;
  const words = signIn.signUp;
  return layout(view, {
    title: words.title,
    hasProblems: violations.length > 0,
    content: html`
      <h1>${words.title}</h1>
      <p class="lead">${words.lead(ownName(view), page.host)}</p>
      ${caution(page.code.isFailing ? words.mailFails : undefined)}
      ${caution(page.isRepeated ? words.repeated : undefined)}
      ${formProblems(signIn, violations, {
        name: words.name,
        email: words.email,
        given_name: words.givenName,
        family_name: words.familyName,
      })}
      <form method="post" action="/sign-up">
        ${hidden({ csrf: page.csrf, once: page.once })}
        ${inputField(
          signIn,
          {
            name: 'name',
            label: words.name,
            type: 'text',
            autocomplete: 'organization',
            value: fields.name,
            maxLength: 200,
            isFirst: true,
          },
          violations,
        )}
        ${signedInAs === undefined ? personFields(signIn, page) : ''}
        <button type="submit">${signedInAs === undefined ? frame.continue : words.create}</button>
      </form>
    `,
    footer: signedInAs === undefined ? words.beenHere : words.owner(signedInAs),
  });
}

function personFields(
  words: Words['signIn'],
  {
    fields,
    violations,
    code,
  }: { fields: SignUpFields; violations: readonly FieldViolation[]; code: CodeWay },
): Html {
  return html`${inputField(
    words,
    {
      name: 'email',
      label: words.signUp.email,
      type: 'email',
      autocomplete: 'email',
      hint: code.way === 'log' ? words.signUp.emailHintWithoutMail : words.signUp.emailHint,
      value: fields.email,
      maxLength: MAX_EMAIL_LENGTH,
    },
    violations,
  )}
  ${inputField(
    words,
    {
      name: 'given_name',
      label: words.signUp.givenName,
      type: 'text',
      autocomplete: 'given-name',
      value: fields.given_name,
      maxLength: 100,
      isOptional: true,
    },
    violations,
  )}
  ${inputField(
    words,
    {
      name: 'family_name',
      label: words.signUp.familyName,
      type: 'text',
      autocomplete: 'family-name',
      value: fields.family_name,
      maxLength: 100,
      isOptional: true,
    },
    violations,
  )}`;
}
