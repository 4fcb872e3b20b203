/**
 * Codes by e-mail: eight digits that prove access to an address, in the browser that asked for them.
 *
 * The browser learns nothing about the address: an unknown one gets a row like any other, but no mail is
 * sent. Codes are stored as keyed hashes, because eight digits are guessed quickly from a plain one.
 */
import { createHmac, randomInt } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Environment, Environments } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';
import { hashSecret, newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { isSameText } from '../../core/same-text.ts';
import type { Database, WriteTransaction } from '../../store/engine/database.ts';
import { EmailCodeStore, type CodeKey } from '../../store/people/email-code-store.ts';
import { rows } from '../../store/engine/rows.ts';
import type { Mail, Mailer } from '../mailer.ts';
import { networkOf } from './network.ts';

/** Lifetime of a code, in milliseconds. */
const CODE_MS = 10 * 60_000;

/** Attempts allowed for one code. */
const MAX_TRIES = 5;

const HOUR_MS = 3_600_000;

/** Codes per hour. Fewer from one network than in all, so that nobody locks a user out by asking in their name. */
const MAX_PER_EMAIL_AND_IP = 5;
const MAX_PER_EMAIL = 20;
const MAX_PER_IP = 20;

/** One request for a code. */
export interface CodeRequest {
  environmentId: string;
  /** In the normal form of e-mail addresses. */
  email: string;
  /** Value of the browser's cookie. */
  browser: string;
  /** Network address; '' if unknown. */
  ip: string;
  /** Whether the code is really sent; evaluated for every request, so that all take the same time. */
  isMeant: () => Promise<boolean>;
}

/** `right` once; `wrong` while attempts are left; `over` if none is left, or the code is used, expired or unknown. */
export type CodeAnswer = 'right' | 'wrong' | 'over';

interface EmailCodesDeps {
  db: Database;
  clock: Clock;
  log: Log;
  environments: Environments;
  mailer: Pick<Mailer, 'send' | 'isFailing'> | undefined;
  key: Buffer;
}

export class EmailCodes {
  readonly #deps: EmailCodesDeps;

  /**
   * @param deps.mailer `undefined` without `smtp` in the settings
   * @param deps.key for the hashes of codes
   */
  constructor(deps: EmailCodesDeps) {
    this.#deps = deps;
  }

  /** How codes reach users: by mail, in the log of an installation on one's own computer, or not at all. */
  wayOf(environmentId: string): 'mail' | 'log' | 'none' {
    if (this.#deps.mailer !== undefined) return 'mail';
    return this.#deps.environments.get(environmentId).isLocalOnly ? 'log' : 'none';
  }

  /** The mail server failed a moment ago, for any recipient. */
  get isFailing(): boolean {
    return this.#deps.mailer?.isFailing ?? false;
  }

  /**
   * Makes a code, which replaces the one that this browser had for the address, and starts sending it. Does
   * not wait for the mail: the time would reveal whether there is one.
   *
   * @throws ServiceError RATE_LIMITED; UNAVAILABLE if codes cannot reach anybody
   */
  async send({ environmentId, email, browser, ip, isMeant }: CodeRequest): Promise<void> {
    const way = this.wayOf(environmentId);
    if (way === 'none') {
      throw new ServiceError(
        'UNAVAILABLE',
        'Sign-in by e-mail is not set up: smtp is missing in the settings.',
      );
    }
    const code = String(randomInt(100_000_000)).padStart(8, '0');
    const id = newId('cod', this.#deps.clock.now());
    const key: CodeKey = { environmentId, email, browserHash: hashSecret(browser) };
    const network = networkOf(ip);
    const isSent = await isMeant();
    await this.#deps.db.transaction(async (tx) => {
      const now = this.#deps.clock.now();
      await requireFewCodes(tx, { environmentId, email, network, now });
      const codes = new EmailCodeStore(tx);
      await codes.endAll(key, now);
      await rows(tx, 'email_codes').insert({
        id,
        environment_id: environmentId,
        email,
        code_hash: this.#hash(id, code),
        browser_hash: key.browserHash,
        ip: network,
        wrong_codes: 0,
        created_at: now,
        expires_at: now + CODE_MS,
        used_at: null,
      });
    });
    if (!isSent) return;
    const environment = this.#deps.environments.get(environmentId);
    if (this.#deps.mailer !== undefined) void this.#deps.mailer.send(codeMail(environment, email, code));
    else
      this.#deps.log.info('sign_in_code', {
        environment_id: environmentId,
        message: `The code to sign in as ${email} is ${code}`,
      });
  }

  /** Uses up one attempt. Of several concurrent right answers one counts, and at most five answers are checked. */
  async check(request: {
    environmentId: string;
    email: string;
    browser: string | undefined;
    code: string;
  }): Promise<CodeAnswer> {
    const { environmentId, email, browser } = request;
    if (browser === undefined) return 'over';
    const code = request.code.replaceAll(/\s/g, '');
    return this.#deps.db.transaction(async (tx) => {
      const codes = new EmailCodeStore(tx);
      const now = this.#deps.clock.now();
      const key = { environmentId, email, browserHash: hashSecret(browser) };
      const row = await codes.takeTry(key, MAX_TRIES, now);
      if (row === undefined) return 'over';
      if (isSameText(this.#hash(row.id, code), row.code_hash))
        return (await codes.use(environmentId, row.id, now)) ? 'right' : 'over';
      return row.wrong_codes < MAX_TRIES ? 'wrong' : 'over';
    });
  }

  #hash(id: string, code: string): string {
    return createHmac('sha256', this.#deps.key).update(`${id}.${code}`).digest('base64url');
  }
}

/** Codes that are not sent count like the others. @throws ServiceError RATE_LIMITED */
async function requireFewCodes(
  tx: WriteTransaction,
  {
    environmentId,
    email,
    network,
    now,
  }: { environmentId: string; email: string; network: string; now: number },
): Promise<void> {
  const codes = new EmailCodeStore(tx);
  const since = now - HOUR_MS;
  const [ofBoth, ofEmail, ofIp] = [
    await codes.askedSince(environmentId, { email, ip: network }, since),
    await codes.askedSince(environmentId, { email }, since),
    await codes.askedSince(environmentId, { ip: network }, since),
  ];
  const waits = [
    endOf(ofBoth, MAX_PER_EMAIL_AND_IP),
    endOf(ofEmail, MAX_PER_EMAIL),
    endOf(ofIp, MAX_PER_IP),
  ].map((end) => end - now);
  const wait = Math.max(...waits);
  if (wait <= 0) return;
  throw new ServiceError('RATE_LIMITED', 'Too many codes were asked for. Wait, then ask for one more.', {
    retryAfterSeconds: Math.ceil(wait / 1_000),
  });
}

/** Time when the next one is allowed, in Unix milliseconds; 0 means now. */
function endOf(askedAt: readonly number[], max: number): number {
  const oldest = askedAt.at(-max);
  return oldest === undefined ? 0 : oldest + HOUR_MS;
}

function codeMail({ id, baseUrl }: Environment, email: string, code: string): Mail {
  const { host } = new URL(baseUrl);
  return {
    environmentId: id,
    to: email,
    subject: `Your code for ${host}`,
    text: [
      `Your code for ${host} is ${code}`,
      '',
      'Enter it on the page where you asked for it. It works for 10 minutes, once, in that browser only.',
      '',
      'Nobody of ours will ever ask you for it. If you did not ask for a code yourself, ignore this mail: without the code nobody gets in.',
      '',
    ].join('\n'),
  };
}
