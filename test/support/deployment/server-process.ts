/** A running `gatehouse serve`, and its REST API. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { environmentOfServer, PROGRAM } from '../program.ts';

export { freePort, PROGRAM };

/** An answer of the API, read. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: ApiBody;
}

/** The members that tests read; each kind of answer has some of them. */
export interface ApiBody {
  message?: string;
  details?: {
    error_code: string;
    status?: string;
    authorization_link?: string;
    tool_error?: { code: string; message: string; retry_after?: number };
    field_violations?: { field: string; description: string }[];
  }[];
  data?: { subject: string };
  link?: string;
  post_user_verify_redirect_url?: string;
  connected_account?: {
    id: string;
    status: string;
    token_expires_at?: string;
    authorization_details?: { oauth_token?: { access_token?: string; refresh_token?: string } };
  };
  connected_accounts?: { id: string; status: string }[];
  events?: { from: string | null; to: string; cause: string }[];
  connections?: { id: string; name: string; redirect_uri: string }[];
}

export class ServerProcess {
  readonly child: ChildProcess;
  /** Where it listens; its public address is the deployment's. */
  readonly url: string;
  /** What a busy machine may add to a time that is promised: five times the time that this process took to start, at least 2 s. */
  readonly slackMs: number;
  readonly #output: string[];
  readonly #token: () => Promise<string>;
  readonly #keep: (text: string) => void;

  private constructor(parts: {
    child: ChildProcess;
    url: string;
    slackMs: number;
    output: string[];
    token: (url: string) => Promise<string>;
    keep: (text: string) => void;
  }) {
    this.child = parts.child;
    this.url = parts.url;
    this.slackMs = parts.slackMs;
    this.#output = parts.output;
    this.#token = () => parts.token(parts.url);
    this.#keep = parts.keep;
  }

  /** Settles when it is ready. @param parts.keep is given every answer it sends @param parts.program another one than PROGRAM */
  static async start(parts: {
    dir: string;
    env: Readonly<Record<string, string>>;
    token: (url: string) => Promise<string>;
    keep: (text: string) => void;
    program?: string | undefined;
  }): Promise<ServerProcess> {
    const { dir, env, token, keep, program = PROGRAM } = parts;
    const port = await freePort();
    const started = performance.now();
    const child = spawn(process.execPath, [program, 'serve'], {
      cwd: dir,
      env: { ...environmentOfServer(env), GATEHOUSE_PORT: String(port) },
    });
    const output: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
    const lines = createInterface({ input: child.stdout });
    await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error(`serve ended: ${output.join('')}`))),
    ]);
    const slackMs = Math.max(2_000, 5 * (performance.now() - started));
    return new ServerProcess({ child, url: `http://127.0.0.1:${port}`, slackMs, output, token, keep });
  }

  /** Everything it has written to stdout and stderr. */
  get output(): string {
    return this.#output.join('');
  }

  /** A request to the API with the deployment's credential. */
  async api(method: string, path: string, body?: object, signal?: AbortSignal): Promise<ApiAnswer> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${await this.#token()}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    const text = await response.text();
    this.#keep(`${[...response.headers].join('\n')}\n${text}`);
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as ApiBody };
  }

  /** Calls `ledger_list` for a user. */
  async call(user: string, signal?: AbortSignal): Promise<ApiAnswer> {
    const body = { tool_name: 'ledger_list', connector: 'ledger', identifier: user, user_id: user };
    return this.api('POST', '/execute_tool', body, signal);
  }

  /**
   * Calls for a user until it works.
   *
   * @returns how long that took, in milliseconds, and every answer before it
   * @throws Error when it still fails after `limitMs`: where it never will
   */
  async callUntilItWorks(
    user: string,
    limitMs = 120_000,
  ): Promise<{ tookMs: number; failures: ApiAnswer[] }> {
    const failures: ApiAnswer[] = [];
    const start = performance.now();
    for (;;) {
      const answer = await this.call(user);
      const tookMs = performance.now() - start;
      if (answer.status === 200) return { tookMs, failures };
      failures.push(answer);
      if (tookMs > limitMs) throw new Error(`still failing after ${tookMs} ms: ${answer.text}`);
      await delay(50);
    }
  }

  async magicLink(user: string, more: object = {}): Promise<string> {
    const { body, text } = await this.api('POST', '/connected_accounts/magic_link', {
      connector: 'ledger',
      user_id: user,
      ...more,
    });
    if (body.link === undefined) throw new Error(text);
    return body.link;
  }

  async verify(authRequestId: string, identifier: string): Promise<ApiAnswer> {
    const body = { auth_request_id: authRequestId, identifier };
    return this.api('POST', '/connected_accounts/user/verify', body);
  }

  /** The account of a user, as GET …/details tells it. */
  async account(user: string): Promise<NonNullable<ApiBody['connected_account']>> {
    const query = new URLSearchParams({ connector: 'ledger', identifier: user, user_id: user });
    const { body, text } = await this.api('GET', `/connected_accounts/details?${query.toString()}`);
    if (body.connected_account === undefined) throw new Error(text);
    return body.connected_account;
  }

  async statusOf(user: string): Promise<string> {
    return (await this.account(user)).status;
  }

  /** Its credentials, as GET …/auth tells them. */
  async credentialsOf(user: string): Promise<{ access_token?: string; refresh_token?: string }> {
    const query = new URLSearchParams({ connector: 'ledger', identifier: user, user_id: user });
    const { body } = await this.api('GET', `/connected_accounts/auth?${query.toString()}`);
    return body.connected_account?.authorization_details?.oauth_token ?? {};
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM. @returns the exit code */
  async stop(): Promise<number | null> {
    await this.#end('SIGTERM');
    return this.child.exitCode;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill(signal);
    await gone;
  }
}
