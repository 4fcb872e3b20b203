/** `/accounts/connect`: a signed-in person chooses an app to connect, and is sent to a link of their own. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { normalizeEmail } from '../../core/email-address.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { layout } from '../frame/layout.ts';
import { menu } from '../frame/menu.ts';
import { sendToOwnLink } from '../frame/own-link.ts';
import { sendPage, viewOf, type PageContext, type PageVariables } from '../frame/page-response.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { formProblems, hidden, inputField } from '../sign-in/people-fields.ts';
import { personCaller } from '../sign-in/person-caller.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';

/** Longest name of an account. */
const MAX_NAME_LENGTH = 200;

/** A connection that the person can connect. */
interface Choice {
  /** Of the connection. */
  name: string;
  /** Of its app. */
  title: string;
  description: string;
  /** Whether the person already has an account at this connection. */
  isKnown: boolean;
}

/** Throws PageFailure and ServiceError to the caller's error page. */
export function connectAnotherRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { accounts, forms, links, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/accounts/connect', async (c) => {
    const person = await signIn.requireSignedIn(c, '/accounts/connect');
    if (person instanceof Response) return person;
    const page = { csrf: forms.open(c).csrf, person, choices: await choices(c, person) };
    return sendPage(c, choicesPage(viewOf(c), page), { form: { leadsTo: [] } });
  });

  routes.post('/accounts/connect', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/accounts/connect');
    if (person instanceof Response) return person;
    const { connector = '', identifier } = fields;
    const known = (await choices(c, person)).find(({ name, isKnown }) => isKnown && name === connector);
    if (known !== undefined) {
      const violation =
        identifier === undefined ? undefined : await nameViolation(c, person, known, identifier);
      if (identifier === undefined || violation !== undefined) {
        const page = { csrf: forms.open(c).csrf, person, choice: known, identifier, violation };
        const status = violation === undefined ? 200 : 400;
        return sendPage(c, secondPage(viewOf(c), page), { status, form: { leadsTo: [] } });
      }
    }
    const { link } = await links.create(personCaller(c, person), {
      connector,
      user_id: person.userId,
      ...(known !== undefined && { identifier }),
    });
    return sendToOwnLink(c, link);
  });

  async function choices(c: PageContext, person: SignedInPerson): Promise<Choice[]> {
    const { id } = c.get('environment');
    const [connectable, own] = await Promise.all([
      links.connectable(id),
      accounts.list(personCaller(c, person), { page_size: 100 }),
    ]);
    const known = new Set(own.connected_accounts.map(({ connector }) => connector));
    return connectable.map(({ name, connector: { title, description } }) => ({
      name,
      title,
      description,
      isKnown: known.has(name),
    }));
  }

  /** A violation of the name of a second account. The rules of names are those of links. */
  async function nameViolation(
    c: PageContext,
    person: SignedInPerson,
    { name: connector }: Choice,
    identifier: string,
  ): Promise<FieldViolation | undefined> {
    const of = (constraint: string, description = '') => ({ field: 'identifier', description, constraint });
    if (identifier.trim() === '') return of('required');
    // Pages show the address of a person in place of the id, which is the name of an account without a chosen one.
    const isOwnAddress = normalizeEmail(identifier.trim()) === person.email;
    const names = isOwnAddress ? [identifier, person.userId] : [identifier];
    const same = await Promise.all(
      names.map(async (name) => accounts.list(personCaller(c, person), { connector, identifier: name })),
    );
    return same.every(({ connected_accounts: found }) => found.length === 0)
      ? undefined
      : of('taken', viewOf(c).words.accounts.connecting.taken);
  }

  return routes;
}

function choicesPage(
  view: View,
  { csrf, person, choices }: { csrf: string; person: SignedInPerson; choices: readonly Choice[] },
): Html {
  const { frame, accounts } = view.words;
  const words = accounts.connecting;
  return layout(view, {
    title: words.title,
    menu: menu(view, { csrf, current: 'accounts' }),
    content: html`
      <h1>${words.title}</h1>
      ${
        choices.length === 0
          ? html`<p>${words.none}</p>`
          : html`<p class="lead">${words.lead}</p>
              <form method="post" action="/accounts/connect">
                ${hidden({ csrf })}
                <ul class="choices">
                  ${choices.map((choice) => choiceItem(view, choice, choices))}
                </ul>
              </form>`
      }
      <p><a href="/accounts">${frame.cancel}</a></p>
    `,
    footer: frame.signedInAs(person.email),
  });
}

/** An entry of the list. The connection's own name is shown if there are several connections of one app. */
function choiceItem(view: View, { name, title, description, isKnown }: Choice, all: readonly Choice[]): Html {
  const isAmbiguous = all.filter((other) => other.title === title).length > 1;
  const { has } = view.words.accounts.connecting;
  return html`<li>
    <button class="quiet" type="submit" name="connector" value="${name}">
      ${isAmbiguous ? `${title} (${name})` : title}${isKnown ? html`<small>${has}</small>` : ''}
      <small>${view.words.connect.fromCatalog(description)}</small>
    </button>
  </li>`;
}

function secondPage(
  view: View,
  page: {
    csrf: string;
    person: SignedInPerson;
    choice: Choice;
    identifier: string | undefined;
    violation: FieldViolation | undefined;
  },
): Html {
  const { frame, accounts, signIn } = view.words;
  const words = accounts.connecting;
  const violations = page.violation === undefined ? [] : [page.violation];
  return layout(view, {
    title: words.second(page.choice.title),
    menu: menu(view, { csrf: page.csrf, current: 'accounts' }),
    hasProblems: violations.length > 0,
    content: html`
      <h1>${words.second(page.choice.title)}</h1>
      <p class="lead">${words.secondLead}</p>
      ${formProblems(signIn, violations, { identifier: words.name })}
      <form method="post" action="/accounts/connect">
        ${hidden({ csrf: page.csrf, connector: page.choice.name })}
        ${inputField(
          signIn,
          {
            name: 'identifier',
            label: words.name,
            type: 'text',
            autocomplete: 'off',
            value: page.identifier ?? '',
            maxLength: MAX_NAME_LENGTH,
            isFirst: true,
          },
          violations,
        )}
        <button type="submit">${frame.continue}</button>
      </form>
      <p><a href="/accounts/connect">${frame.cancel}</a></p>
    `,
    footer: frame.signedInAs(page.person.email),
  });
}
