/** The part of gatehouse.yaml that each environment has for itself (docs/contract.md#3-environments). */
import * as z from 'zod/mini';
import { connectionSchema, interceptorSchema, isWebUrl, ONE_LINE, webhookSchema } from './declarations.ts';
import { isLoopbackHost } from '../core/hosts.ts';
import { choice, list, optional, required, text } from './values.ts';

/** An http(s) origin as URL parsers write it: lower case, no default port, nothing after the port. */
function isOrigin(value: string): boolean {
  return isWebUrl(value) && new URL(value).origin === value;
}

/** https, or http on loopback; no user name, password or fragment (docs/contract.md#verification-modes). */
function isVerifyUrl(value: string): boolean {
  if (!isWebUrl(value)) return false;
  const url = new URL(value);
  return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}

const verifyUrl = 'an https URL (http on loopback only) without user name, password or fragment';

const MADE_AT_FIRST_START =
  'made by `serve` or `init` on first start; printed once on a terminal, else written to `<data_dir>/first-credential-<environment>.json`';

/** Text in one line that begins and ends with a visible character, without marks that turn its direction. */
const BRAND_NAME = /^[^\p{C}\s](?:[^\p{C}\p{Zl}\p{Zp}]{0,58}[^\p{C}\s])?$/u;

const brand = z.strictObject({
  name: optional(text(BRAND_NAME, 'text of at most 60 characters in one line'), {
    meaning: 'Name of your company or product: people see it on every page instead of Gatehouse.',
    default: '`Gatehouse`',
  }),
  logo: optional(text(ONE_LINE, 'the path of a PNG or SVG file'), {
    meaning: 'PNG or SVG file of at most 50 kB, read at start.',
    default: 'the gate of Gatehouse',
  }),
  accent: optional(text(/^#[0-9a-fA-F]{6}$/, 'a colour such as #0b6650'), {
    meaning: 'Colour of buttons and links. It is darkened until white text on it can be read.',
    default: 'green',
  }),
  help_url: optional(text(isVerifyUrl, verifyUrl), {
    meaning: 'Page of yours where people get help, linked on every page.',
  }),
  privacy_url: optional(text(isVerifyUrl, verifyUrl), {
    meaning: 'Your privacy policy, linked on every page.',
  }),
});

/** Settings that every environment has for itself; at the top of the file they are those of `development`. */
export const environmentShape = {
  base_url: optional(
    text(isOrigin, 'an origin such as https://gate.example.test: lower case, nothing after host and port'),
    {
      meaning:
        'Public address: issuer of tokens, base of links and redirect URIs. Never taken from a request.',
      default: 'from `host` and `port`',
    },
  ),
  client_id: optional(
    text(/^[!-9;-~]{1,200}$/, 'up to 200 printable ASCII characters without space and colon'),
    {
      meaning: 'Client id of the first API credential. Set it together with `client_secret`.',
      default: MADE_AT_FIRST_START,
    },
  ),
  client_secret: optional(text(/^[!-~]{1,500}$/, 'up to 500 printable ASCII characters without space'), {
    meaning: 'Secret of the first API credential.',
    isSecret: true,
    default: MADE_AT_FIRST_START,
  }),
  user_verification: optional(choice(['none', 'app', 'signed_in']), {
    meaning:
      'Who confirms that a connected account belongs to the right person: your app at `user_verify_url`, the signed-in person, or nobody. `none` exists only where the base URL and the listener are both on loopback.',
    default: '`none` where base URL and listener are both on loopback, else `app`',
  }),
  user_verify_url: optional(text(isVerifyUrl, verifyUrl), {
    meaning: 'Page of your app that confirms an account; a link may bring its own.',
    default: 'none',
  }),
  user_verify_urls: optional(list(isVerifyUrl, verifyUrl), {
    meaning: 'Allow-list of `user_verify_url`s that a link may bring.',
    default: '`user_verify_url` alone where that is set, else none: any',
  }),
  sign_up: optional(choice(['closed', 'invited', 'open']), {
    meaning: 'Who may make organizations and users of their own.',
    default: '`open` where base URL and listener are both on loopback, else `closed`',
  }),
  brand: z.exactOptional(brand),
  connections: z
    .exactOptional(z.array(connectionSchema))
    .check(z.describe('Connections, created or updated at start by name and never deleted.')),
  interceptors: z
    .exactOptional(z.array(interceptorSchema))
    .check(z.describe('Interceptors, created or updated at start by name and never deleted.')),
  webhooks: z
    .exactOptional(z.array(webhookSchema))
    .check(z.describe('Webhooks, created or updated at start by name and never deleted.')),
};

/** An entry of `environments`. */
export const environmentSchema = z.strictObject({
  name: required(
    text(
      /^[a-z][a-z0-9_-]{0,62}$/,
      'lower case letters, digits, hyphens and underscores, beginning with a letter',
    ),
    {
      meaning: 'Name of the environment, as in `--environment NAME`.',
    },
  ),
  ...environmentShape,
});

/** Settings of one environment, after parsing. */
export type EnvironmentFileSettings = Omit<z.output<typeof environmentSchema>, 'name'>;
