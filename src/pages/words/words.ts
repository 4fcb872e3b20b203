/** The words of every page, in the language that the browser prefers. */
import { parseAccept } from 'hono/utils/accept';
import type { Brand } from '../../core/environment.ts';
import { accounts as accountsDe } from './de/accounts.ts';
import { connect as connectDe } from './de/connect.ts';
import { consent as consentDe } from './de/consent.ts';
import { frame as frameDe } from './de/frame.ts';
import { people as peopleDe } from './de/people.ts';
import { reference as referenceDe } from './de/reference.ts';
import { signIn as signInDe } from './de/sign-in.ts';
import { accounts } from './en/accounts.ts';
import { connect } from './en/connect.ts';
import { consent } from './en/consent.ts';
import { frame } from './en/frame.ts';
import { people } from './en/people.ts';
import { reference } from './en/reference.ts';
import { signIn } from './en/sign-in.ts';

const en = { accounts, connect, consent, frame, people, reference, signIn };

/** The words of one language. English has the shape of all. */
export type Words = typeof en;

const de: Words = {
  accounts: accountsDe,
  connect: connectDe,
  consent: consentDe,
  frame: frameDe,
  people: peopleDe,
  reference: referenceDe,
  signIn: signInDe,
};

const WORDS = { en, de };

/** A language that pages are written in, as its BCP 47 tag. */
export type Language = keyof typeof WORDS;

/** Data that all pages of one answer share. */
export interface View {
  language: Language;
  words: Words;
  /** Brand of the operator, who is named as the one who asks. */
  brand: Brand;
  /** Name of the environment if people should know it; '' in production. */
  environment: string;
}

/** The environment whose name people need not see. */
const PRODUCTION = 'production';

/** The part of an environment that pages show. */
export interface ShownEnvironment {
  name: string;
  brand?: Brand;
}

/**
 * The first of our languages in the order of preference of an `Accept-Language` header (RFC 9110 section 12.5.4);
 * English if it names none. `de-AT` is German.
 */
export function viewFor(acceptLanguage: string | undefined, environment: ShownEnvironment): View {
  const wanted = parseAccept(acceptLanguage ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase().split('-', 1)[0] ?? '')
    .find(isOurs);
  const language = wanted ?? 'en';
  const { name, brand = {} } = environment;
  return { language, words: WORDS[language], brand, environment: name === PRODUCTION ? '' : name };
}

function isOurs(language: string): language is Language {
  return Object.hasOwn(WORDS, language);
}
