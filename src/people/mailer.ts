/**
 * Sends mail through the operator's mail server. The library is loaded with the first mail.
 *
 * Failures are logged in our own words: a server's answer may quote the mail, and mails contain codes and links.
 */
import { memberOf } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { InFlight } from '../core/in-flight.ts';

/** One mail of plain text to one address. */
export interface Mail {
  environmentId: string;
  /** One address, validated by the caller. */
  to: string;
  subject: string;
  text: string;
}

/** Transport for mails: nodemailer's, or a fake in tests. */
export interface MailTransport {
  sendMail(message: {
    from: string;
    to: { name: string; address: string };
    subject: string;
    text: string;
    disableFileAccess: true;
    disableUrlAccess: true;
    signal: AbortSignal;
  }): Promise<unknown>;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;

/** Timeout for a server to close its side of the connection. */
const CLOSE_MS = 1_000;

/** Timeout for a whole mail, because a server that keeps sending a little is never silent. */
const SEND_MS = 30_000;

/** Time for which pages report a failure if nothing was sent since. */
const PROBLEM_MS = 5 * 60_000;

/** Our description of the library's error codes. */
const REASONS: Readonly<Record<string, string>> = {
  EDNS: 'The name of the mail server cannot be found. Check smtp.url.',
  ECONNECTION: 'The mail server cannot be reached. Check smtp.url.',
  ESOCKET: 'The mail server cannot be reached, or closed the connection. Check smtp.url.',
  ETIMEDOUT: 'The mail server did not answer in time.',
  ETLS: 'No encrypted connection to the mail server could be made. Check smtp.url and the certificate of the server.',
  EAUTH: 'The mail server refuses the user name or password of smtp.url.',
  EENVELOPE: 'The mail server refuses the sender or the recipient. Check smtp.from.',
  EMESSAGE: 'The mail server refuses the mail.',
  EPROTOCOL: 'The mail server answered with something that is not SMTP.',
};

export class Mailer {
  readonly #url: string;
  readonly #from: string;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #load: (url: string) => Promise<MailTransport>;
  readonly #sendMs: number;
  readonly #givingUp = new AbortController();
  #transport: Promise<MailTransport> | undefined;
  #failedAt: number | undefined;
  readonly #underWay = new InFlight();

  /**
   * @param deps.load makes the transport; default: nodemailer
   * @param deps.sendMs longest time for one mail; default: 30 s
   */
  constructor(deps: {
    smtp: { url: string; from: string };
    log: Log;
    now: () => number;
    load?: (url: string) => Promise<MailTransport>;
    sendMs?: number;
  }) {
    this.#url = deps.smtp.url;
    this.#from = deps.smtp.from;
    this.#log = deps.log;
    this.#now = deps.now;
    this.#load = deps.load ?? nodemailerTransport;
    this.#sendMs = deps.sendMs ?? SEND_MS;
  }

  /** Whether the last mail of the last minutes could not be sent. Does not say whose mail it was. */
  get isFailing(): boolean {
    return this.#failedAt !== undefined && this.#now() - this.#failedAt < PROBLEM_MS;
  }

  /** Hands a mail to the mail server. Returns false if that failed; the log says why. Never throws. */
  async send(mail: Mail): Promise<boolean> {
    return this.#underWay.track(this.#send(mail));
  }

  /** For shutdown: on the signal every mail under way ends as failed, and later mails fail at once. */
  endBy(signal: AbortSignal): void {
    const stop = (): void => this.#givingUp.abort();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }

  /** Resolves when no mail is under way. */
  async settled(): Promise<void> {
    await this.#underWay.settled();
  }

  async #send({ environmentId, to, subject, text }: Mail): Promise<boolean> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.#sendMs), this.#givingUp.signal]);
    try {
      const transport = await (this.#transport ??= this.#load(this.#url));
      await transport.sendMail({
        from: this.#from,
        // An object is one address, whatever characters it contains.
        to: { name: '', address: to },
        subject,
        text,
        disableFileAccess: true,
        disableUrlAccess: true,
        signal,
      });
      this.#failedAt = undefined;
      return true;
    } catch (error) {
      this.#transport = undefined;
      this.#failedAt = this.#now();
      const reason = reasonOf(signal.aborted ? { code: 'ETIMEDOUT' } : error);
      this.#log.error('mail_failed', { environment_id: environmentId, ...reason });
      return false;
    }
  }
}

function reasonOf(error: unknown): { error_code: string; message: string; status?: number } {
  const code = memberOf(error, 'code');
  const responseCode = memberOf(error, 'responseCode');
  const word = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'UNKNOWN';
  return {
    error_code: word,
    message: REASONS[word] ?? 'The mail could not be sent.',
    ...(typeof responseCode === 'number' && { status: responseCode }),
  };
}

async function nodemailerTransport(url: string): Promise<MailTransport> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    dnsTimeout: CONNECT_MS,
    socketCloseTimeout: CLOSE_MS,
  });
}
