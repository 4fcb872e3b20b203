/** E-mailed codes in forms: sign-in, sign-up and accepting an invitation prove an address in the same way. */
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../people/sign-in/network.ts';
import { CODE_MINUTES } from '../../people/sign-in/email-codes.ts';
import { codeOverPage, codePage, notSetUpPage, providerPage, type CodeWay } from './sign-in-pages.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { knownCookie } from '../frame/own-cookie.ts';
import { againField } from './people-fields.ts';
import { sendPage, viewOf, type PageContext } from '../frame/page-response.ts';
import { rememberSession } from './sign-in-session.ts';

type Dependencies = Pick<PeopleDependencies, 'codes' | 'providers' | 'providerSignIn' | 'rates'>;

/** Requests to providers, per minute and network address. */
const MAX_STARTS = 20;

/** A form that proves an address. */
export interface CodeForm {
  csrf: string;
  browser: string;
  /** In normal form. */
  email: string;
  /** Path that the code is posted to. */
  action: string;
  /** Hidden values of the form. */
  values: Readonly<Record<string, string>>;
  /** Path that requests another code, with the same hidden values. */
  resendTo: string;
  /** Address of the page where the user starts again. */
  again: string;
  /** Whether every address gets a code. Otherwise only known addresses do, and the page does not say which. */
  isForAnybody: boolean;
}

/** The way codes reach users of this environment. */
export function codeWay(codes: Dependencies['codes'], environmentId: string): CodeWay {
  return { way: codes.wayOf(environmentId), isFailing: codes.isFailing };
}

/**
 * The response to a user who entered an address: the page of their organization's provider, or the page that asks for
 * the code just sent.
 *
 * @param next path of ours to continue at after a sign-in at the provider
 * @param isAgain whether a provider has to ask again somebody whom it remembers
 * @param isMeant whether the code is really sent
 * @throws ServiceError RATE_LIMITED
 */
export async function askForCode(
  deps: Dependencies,
  c: PageContext,
  {
    form,
    next,
    isAgain = false,
    isMeant,
  }: { form: CodeForm; next: string; isAgain?: boolean; isMeant: () => Promise<boolean> },
): Promise<Response> {
  const { id } = c.get('environment');
  const { codes } = deps;
  const { email, browser } = form;
  const elsewhere = await providerAnswer(deps, c, email, next, isAgain);
  if (elsewhere !== undefined) return elsewhere;
  const code = codeWay(codes, id);
  if (code.way === 'none') return sendPage(c, notSetUpPage(viewOf(c)), { status: 503 });
  const { ip } = c.get('visitor');
  const known = knownCookie.read(c) ?? '';
  const delayMinutes = await codes.send({ environmentId: id, email, browser, known, ip, isMeant });
  const page = codePage(viewOf(c), { ...form, code, delayMinutes, minutesLeft: CODE_MINUTES });
  return sendPage(c, page, { form: { leadsTo: [] } });
}

/**
 * The page that leads to the provider of an address; `undefined` if the address signs in by code.
 *
 * @throws PageFailure of a sign-in; ServiceError RATE_LIMITED
 */
export async function providerAnswer(
  { providers, providerSignIn, rates }: Omit<Dependencies, 'codes'>,
  c: PageContext,
  email: string,
  next: string,
  isAgain = false,
): Promise<Response | undefined> {
  const environmentId = c.get('environment').id;
  const provider = await providers.ofEmail(environmentId, email);
  if (provider === undefined) return undefined;
  const organizationId = provider.organization_id;
  const fields = { organization_id: organizationId, email, next, ...againField(isAgain) };
  await limitStarts(rates, c);
  const hosts = await providerSignIn.hosts({ environmentId, organizationId, email });
  return sendPage(
    c,
    providerPage(viewOf(c), {
      hosts,
      way: { href: `/sign-in/provider?${new URLSearchParams(fields).toString()}` },
    }),
  );
}

/** Limits starts of sign-in at providers, which each cost us requests. @throws ServiceError RATE_LIMITED */
export async function limitStarts(rates: PeopleDependencies['rates'], c: PageContext): Promise<void> {
  const key = `${c.get('environment').id}:sign-in-provider:${networkOf(c.get('visitor').ip)}`;
  const refusal = await rates.take(key, MAX_STARTS);
  if (refusal === undefined) return;
  throw new ServiceError('RATE_LIMITED', viewOf(c).words.people.tooOften.codes, {
    retryAfterSeconds: Math.ceil(refusal.retryAfterMs / 1_000),
  });
}

/**
 * Checks the code. Returns `undefined` for the right code, which is then used up, otherwise the page that asks again.
 * This page is the same whether or not the address is known.
 */
export async function refusedCode(
  { codes }: Pick<Dependencies, 'codes'>,
  c: PageContext,
  form: CodeForm,
  given: string | undefined,
): Promise<Response | undefined> {
  const { id } = c.get('environment');
  const { email, browser } = form;
  const answer = await codes.check({ environmentId: id, email, browser, code: given ?? '' });
  return answer === 'right' ? undefined : wrongCode({ codes }, c, form, answer);
}

/** Sets the cookies after a sign-in by a code: of the session, and of a browser that is known for this person. */
export function rememberPerson(
  { codes }: Pick<Dependencies, 'codes'>,
  c: PageContext,
  started: { cookie: string },
  email: string,
): void {
  rememberSession(c, started);
  const known = knownCookie.read(c) ?? '';
  knownCookie.write(c, codes.remember({ environmentId: c.get('environment').id, email, known }));
}

/** @param answer `over` if another code is needed */
export async function wrongCode(
  { codes }: Pick<Dependencies, 'codes'>,
  c: PageContext,
  form: CodeForm,
  answer: 'wrong' | 'over',
): Promise<Response> {
  const view = viewOf(c);
  const policy = { status: 400, form: { leadsTo: [] } } as const;
  if (answer === 'over') return sendPage(c, codeOverPage(view, form), policy);
  const environmentId = c.get('environment').id;
  const left = await codes.minutesLeft({ ...form, environmentId });
  const minutesLeft = Math.min(left, CODE_MINUTES);
  const page = codePage(view, { ...form, isWrong: true, code: codeWay(codes, environmentId), minutesLeft });
  return sendPage(c, page, policy);
}
