/** `/sign-up`, if open to everyone: a code proves the address before anything is created. */
import { Hono } from 'hono';
import { ServiceError, type FieldViolation } from '../../core/errors.ts';
import { PageFailure } from '../../core/page-failure.ts';
import { normalizeEmail } from '../../core/email-address.ts';
import { organizationNameViolations, personViolations } from '../../people/people-rules.ts';
import { BY_EMAIL, type SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { messagePage } from '../frame/message-pages.ts';
import { formMark } from '../frame/spent-forms.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import {
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import {
  askForCode,
  codeWay,
  providerAnswer,
  refusedCode,
  rememberPerson,
  type CodeForm,
} from './sign-in-code.ts';
import { notSetUpPage } from './sign-in-pages.ts';
import { HOME } from './sign-in-path.ts';
import { rememberSession, signingIn } from './sign-in-session.ts';
import { signUpPage, type SignUpFields } from './sign-up-pages.ts';

/** Organizations that a signed-in user may create per minute. Others are limited by the codes. */
const MAX_MADE = 5;

/** Routes throw PageFailure and ServiceError; the caller has the error page. */
export function signUpRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { forms, organizations, people, sessions, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();
  const isClosed = (c: PageContext) => deps.environments.get(c.get('environment').id).signUp !== 'open';

  routes.get('/sign-up', async (c) => {
    if (isClosed(c)) return refuse(c);
    const person = await signIn.find(c);
    const { way } = codeWay(deps.codes, c.get('environment').id);
    if (person === undefined && way === 'none') return sendPage(c, notSetUpPage(viewOf(c)), { status: 503 });
    return show(deps, c, { person, fields: fieldsOf({}) });
  });

  routes.post('/sign-up', async (c) => {
    const { browser, fields: given } = await forms.read(c);
    if (isClosed(c)) return refuse(c);
    const person = await signIn.find(c);
    const fields = fieldsOf(given);
    const violations = [
      ...organizationNameViolations(fields.name),
      ...(person === undefined ? personViolations(fields) : []),
    ];
    if (violations.length > 0) return show(deps, c, { person, fields, violations });
    if (person !== undefined) return makeFor(c, person, fields, given.once ?? '');
    return askForCode(deps, c, {
      form: codeForm(browser, given.csrf ?? '', fields),
      next: '/sign-up',
      isMeant: async () => true,
    });
  });

  routes.post('/sign-up/code', async (c) => {
    const { browser, fields: given } = await forms.read(c);
    if (isClosed(c)) return refuse(c);
    const fields = fieldsOf(given);
    const violations = [...organizationNameViolations(fields.name), ...personViolations(fields)];
    if (violations.length > 0) return show(deps, c, { person: undefined, fields, violations });
    const form = codeForm(browser, given.csrf ?? '', fields);
    const elsewhere = await providerAnswer(deps, c, form.email, '/sign-up');
    if (elsewhere !== undefined) return elsewhere;
    const refused = await refusedCode(deps, c, form, given.code);
    if (refused !== undefined) return refused;
    const { id } = c.get('environment');
    const { name, ...user } = fields;
    const how = { visitor: c.get('visitor'), connectionDetails: BY_EMAIL };
    const made = await organizations.signUp(id, { name, user }, how);
    const started = await people.byEmail(signingIn(c), form.email, made.organization.id);
    if (started !== undefined) rememberPerson(deps, c, started, form.email);
    return sendRedirect(c, HOME);
  });

  /** Creates an organization for a signed-in user, whose address is already proven. */
  async function makeFor(
    c: PageContext,
    person: SignedInPerson,
    fields: SignUpFields,
    mark: string,
  ): Promise<Response> {
    const { id } = c.get('environment');
    const refusal = await deps.rates.take(`${id}:sign-up:${person.userId}`, MAX_MADE);
    if (refusal !== undefined)
      throw new ServiceError('RATE_LIMITED', viewOf(c).words.people.tooOften.organizations, {
        retryAfterSeconds: Math.ceil(refusal.retryAfterMs / 1_000),
      });
    const post = await deps.spentForms.spend(id, mark);
    if (post === 'over') throw new PageFailure('form', 'csrf');
    if (post === 'repeated') return show(deps, c, { person, fields, isRepeated: true });
    const visitor = c.get('visitor');
    const { connectionDetails } = person.session;
    const input = { name: fields.name, user: { email: person.email } };
    const made = await organizations.signUp(id, input, { visitor, connectionDetails });
    const { organization } = made;
    rememberSession(c, await sessions.switchOrganization(id, person.session.id, organization.id, visitor));
    return sendRedirect(c, HOME);
  }

  return routes;
}

function fieldsOf(given: Readonly<Record<string, string>>): SignUpFields {
  const { name = '', email = '', given_name = '', family_name = '' } = given;
  return { name: name.trim(), email: email.trim(), given_name, family_name };
}

/** The form that asks for the code. The address is already checked. */
function codeForm(browser: string, csrf: string, fields: SignUpFields): CodeForm {
  const email = normalizeEmail(fields.email) ?? '';
  return {
    browser,
    csrf,
    email,
    action: '/sign-up/code',
    resendTo: '/sign-up',
    values: { ...fields, email },
    again: '/sign-up',
    isForAnybody: true,
  };
}

function show(
  { forms, codes, clock }: PeopleDependencies,
  c: PageContext,
  page: {
    person: SignedInPerson | undefined;
    fields: SignUpFields;
    violations?: readonly FieldViolation[];
    /** The same form arrived before. */
    isRepeated?: boolean;
  },
): Response | Promise<Response> {
  const { person, fields, violations = [], isRepeated = false } = page;
  const { id, baseUrl } = c.get('environment');
  const status = isRepeated ? 409 : violations.length === 0 ? 200 : 400;
  const document = signUpPage(viewOf(c), {
    csrf: forms.open(c).csrf,
    once: formMark(clock.now()),
    host: new URL(baseUrl).host,
    fields,
    violations,
    isRepeated,
    code: codeWay(codes, id),
    ...(person !== undefined && { signedInAs: person.email }),
  });
  return sendPage(c, document, { status, form: { leadsTo: [] } });
}

function refuse(c: PageContext): Response | Promise<Response> {
  const view = viewOf(c);
  return sendPage(c, messagePage(view, view.words.signIn.signUp.closed), { status: 403 });
}
