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
import { systemTimers, type Timers } from '../../core/timers.ts';
import type { Database, WriteTransaction } from '../../store/engine/database.ts';
import { EmailCodeStore, type CodeKey } from '../../store/people/email-code-store.ts';
import { rows } from '../../store/engine/rows.ts';
import type { EmailCode } from '../../store/tables/people-tables.ts';
import type { Mail, Mailer } from '../mailer.ts';
import { knownBrowserId, withKnownPerson } from './known-browser.ts';
import { networkOf, wideNetworkOf } from './network.ts';

/** Lifetime of a code, in minutes. */
export const CODE_MINUTES = 10;

const CODE_MS = CODE_MINUTES * 60_000;

/** Attempts allowed for one code. */
const MAX_TRIES = 5;

const HOUR_MS = 3_600_000;

const MINUTE_MS = 60_000;

/** Codes per hour for one address from a known browser, and from all other browsers of a network. */
const MAX_PER_EMAIL = 5;

/** Codes per hour for all addresses from one place, without known browsers. */
const MAX_PER_IP = 20;

/** The code for one address with this number in an hour, and each further one, is sent later. Others would lock a user out. */
const FIRST_DELAYED = 20;

const MAX_DELAY_MINUTES = 30;

/** One request for a code. */
export interface CodeRequest {
  environmentId: string;
  /** In the normal form of e-mail addresses. */
  email: string;
  /** Value of the browser's cookie. */
  browser: string;
  /** Value of the cookie of known browsers; '' for none. */
  known: string;
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
  timers?: Timers | undefined;
}

export class EmailCodes {
  readonly #deps: EmailCodesDeps;

  /**
   * @param deps.mailer `undefined` without `smtp` in the settings
   * @param deps.key for the hashes of codes and the cookie of known browsers
   */
  constructor(deps: EmailCodesDeps) {
    this.#deps = deps;
  }

  /** The way codes reach users: by mail, in the log of an installation on one's own computer, or not at all. */
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
   * not wait for the mail: the time would reveal whether there is one. A restart forgets codes to be sent later.
   *
   * @returns minutes until it is sent; 0 for now
   * @throws ServiceError RATE_LIMITED; UNAVAILABLE if codes cannot reach anybody
   */
  async send({ environmentId, email, browser, known, ip, isMeant }: CodeRequest): Promise<number> {
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
    const isSent = await isMeant();
    const delayMinutes = await this.#deps.db.transaction(async (tx) => {
      const now = this.#deps.clock.now();
      const knownId = knownBrowserId(this.#deps.key, known, key, now);
      const asker =
        knownId === undefined
          ? { ip: networkOf(ip), network: wideNetworkOf(ip), known_browser: null }
          : { ip: networkOf(ip), network: null, known_browser: hashSecret(knownId) };
      const minutes = await requireFewCodes(tx, { environmentId, email, asker, now });
      const codes = new EmailCodeStore(tx);
      await codes.endAll(key, now);
      await rows(tx, 'email_codes').insert({
        id,
        environment_id: environmentId,
        email,
        code_hash: this.#hash(id, code),
        browser_hash: key.browserHash,
        ...asker,
        wrong_codes: 0,
        created_at: now,
        expires_at: now + minutes * MINUTE_MS + CODE_MS,
        used_at: null,
      });
      return minutes;
    });
    if (!isSent) return delayMinutes;
    if (delayMinutes === 0) this.#deliver(environmentId, email, code);
    else this.#deliverLater(delayMinutes * MINUTE_MS, { environmentId, id, email, code });
    return delayMinutes;
  }

  /**
   * Minutes that the code of this browser can still be entered, rounded up; 0 if there is none. Codes that are not sent
   * count like the others.
   */
  async minutesLeft({
    environmentId,
    email,
    browser,
  }: Pick<CodeRequest, 'environmentId' | 'email' | 'browser'>): Promise<number> {
    const now = this.#deps.clock.now();
    const [code] = await rows(this.#deps.db.read, 'email_codes').list(environmentId, {
      where: { email, browser_hash: hashSecret(browser), used_at: null },
      limit: 1,
    });
    return code === undefined ? 0 : Math.max(0, Math.ceil((code.expires_at - now) / MINUTE_MS));
  }

  /** The cookie of a browser in which the person has just signed in. @param known its value before; '' for none */
  remember({ environmentId, email, known }: Pick<CodeRequest, 'environmentId' | 'email' | 'known'>): string {
    return withKnownPerson(this.#deps.key, known, { environmentId, email }, this.#deps.clock.now());
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

  #deliver(environmentId: string, email: string, code: string): void {
    const environment = this.#deps.environments.get(environmentId);
    if (this.#deps.mailer !== undefined) void this.#deps.mailer.send(codeMail(environment, email, code));
    else
      this.#deps.log.info('sign_in_code', {
        environment_id: environmentId,
        message: `The code to sign in as ${email} is ${code}`,
      });
  }

  /** Delivers it once, unless its browser has asked for another one meanwhile. */
  #deliverLater(
    ms: number,
    { environmentId, id, email, code }: { environmentId: string; id: string; email: string; code: string },
  ): void {
    const { db, log, timers = systemTimers } = this.#deps;
    const deliver = async (): Promise<void> => {
      const row = await rows(db.read, 'email_codes').find(environmentId, id);
      if (row?.used_at === null) this.#deliver(environmentId, email, code);
    };
    const stop = timers.every(ms, () => {
      stop();
      deliver().catch((err: unknown) => log.error('mail_failed', { environment_id: environmentId, err }));
    });
  }

  #hash(id: string, code: string): string {
    return createHmac('sha256', this.#deps.key).update(`${id}.${code}`).digest('base64url');
  }
}

/**
 * Codes that are not sent count like the others.
 *
 * @returns minutes until the code is sent
 * @throws ServiceError RATE_LIMITED
 */
async function requireFewCodes(
  tx: WriteTransaction,
  {
    environmentId,
    email,
    asker: { ip, network, known_browser },
    now,
  }: {
    environmentId: string;
    email: string;
    asker: Pick<EmailCode, 'ip' | 'network' | 'known_browser'>;
    now: number;
  },
): Promise<number> {
  const asked = async (values: Parameters<EmailCodeStore['askedSince']>[1]): Promise<number[]> =>
    new EmailCodeStore(tx).askedSince(environmentId, values, now - HOUR_MS);
  if (known_browser !== null) {
    requireWaited(endOf(await asked({ email, known_browser }), MAX_PER_EMAIL) - now);
    return 0;
  }
  const ofNetwork = endOf(await asked({ email, network }), MAX_PER_EMAIL);
  const ofIp = endOf(await asked({ ip, known_browser }), MAX_PER_IP);
  requireWaited(Math.max(ofNetwork, ofIp) - now);
  const further = (await asked({ email, known_browser })).length + 1 - FIRST_DELAYED;
  return further < 0 ? 0 : Math.min(2 ** further, MAX_DELAY_MINUTES);
}

/** @throws ServiceError RATE_LIMITED */
function requireWaited(waitMs: number): void {
  if (waitMs <= 0) return;
  throw new ServiceError('RATE_LIMITED', 'Too many codes were asked for. Wait, then ask for one more.', {
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
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
