/**
 * An OAuth provider and its API on loopback, doing what it is told, including every wrong thing.
 *
 * Strict by default: it wants S256 and its client's secret, and the second use of a refresh token ends the
 * family. Its tokens and codes begin with `planted-`, so that a leak is one search away.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { misbehave } from '../fault-server.ts';
import { authorize } from './authorize.ts';
import { Faults, type ProviderFault, type Target } from './faults.ts';
import { Grants, type GrantCounts, type IssuedTokens } from './grants.ts';
import { html, json, type Reply } from './reply.ts';
import { changedSettings, defaultSettings, type ProviderSettings, type SettingsChange } from './settings.ts';
import { revoke, token } from './token.ts';

/** A request as it arrived. */
export interface ProviderRequest {
  target: Target;
  method: string;
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  body: string;
  headers: IncomingMessage['headers'];
  /** When it arrived, in Unix milliseconds. */
  at: number;
}

export interface ProviderCounts extends GrantCounts {
  authorize: number;
  exchanges: number;
  refreshes: number;
  revocations: number;
  api: number;
  /** API requests answered 401. */
  apiRefused: number;
}

export class OAuthProvider {
  readonly name: string;
  settings: ProviderSettings;
  requests: ProviderRequest[] = [];
  readonly grants: Grants;
  readonly #faults = new Faults();
  readonly #server: Server;
  #apiRefused = 0;
  #watchers: (() => void)[] = [];

  private constructor(name: string, settings: ProviderSettings) {
    this.name = name;
    this.settings = settings;
    this.grants = new Grants(name, () => this.settings);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  /** @param options.name part of its tokens */
  static async start(options: { name?: string; settings?: SettingsChange } = {}): Promise<OAuthProvider> {
    const settings = changedSettings(defaultSettings(), options.settings ?? {});
    const provider = new OAuthProvider(options.name ?? 'ledger', settings);
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  /** `127.0.0.1:port` */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  set(change: SettingsChange): void {
    this.settings = changedSettings(this.settings, change);
  }

  queue(...faults: readonly ProviderFault[]): void {
    this.#faults.queue(...faults);
  }

  /** Settles when so many requests are held. */
  async untilHeld(count = 1): Promise<void> {
    await this.#faults.untilHeld(count);
  }

  release(): void {
    this.#faults.release();
  }

  /** Settles when so many requests of a target have arrived. */
  async untilRequested(target: Target, count = 1): Promise<void> {
    while (this.#of(target).length < count) await new Promise<void>((wake) => this.#watchers.push(wake));
  }

  /** Tokens without any flow. */
  issue(grant: { scope?: string; subject?: string; withRefresh?: boolean } = {}): IssuedTokens {
    const { scope = 'entries:read', subject = this.settings.subject, withRefresh = true } = grant;
    return this.grants.issue({ scope, subject, withRefresh });
  }

  counts(): ProviderCounts {
    const grant = (name: string) =>
      this.#of('token').filter(({ form }) => form.get('grant_type') === name).length;
    return {
      ...this.grants.counts,
      authorize: this.#of('authorize').length,
      exchanges: grant('authorization_code'),
      refreshes: grant('refresh_token'),
      revocations: this.#of('revoke').length,
      api: this.#of('api').length,
      apiRefused: this.#apiRefused,
    };
  }

  /** Back to the start: settings, counts and faults. What it has issued stays good. */
  reset(change: SettingsChange = {}): void {
    this.#faults.clear();
    this.requests = [];
    this.#apiRefused = 0;
    this.grants.counts = { familiesRevoked: 0, refreshReuse: 0, codeReuse: 0, maxPresentations: 0 };
    this.settings = changedSettings(defaultSettings(), change);
  }

  async close(): Promise<void> {
    this.#faults.clear();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #of(target: Target): ProviderRequest[] {
    return this.requests.filter((request) => request.target === target);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    const url = new URL(incoming.url ?? '/', this.url);
    const request: ProviderRequest = {
      target: targetOf(url.pathname),
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      form: new URLSearchParams(body),
      body,
      headers: incoming.headers,
      at: Date.now(),
    };
    this.requests.push(request);
    for (const wake of this.#watchers.splice(0)) wake();
    const presented = request.form.get('refresh_token');
    if (presented !== null) this.grants.present(presented);

    const fault = this.#faults.take(request.target, request.form);
    if (fault === undefined) return send(response, await this.#answer(request));
    const isAfter = fault.process === 'after';
    const done = isAfter ? await this.#answer(request) : undefined;
    if (fault.hold === true) await this.#faults.hold();
    if (fault.delayMs !== undefined) await delay(fault.delayMs);
    if (response.destroyed) return;
    if (fault.answer === undefined) return send(response, done ?? (await this.#answer(request)));
    const recorded = { method: request.method, target: url.pathname, headers: request.headers, body };
    const real = done === undefined || fault.answer.json !== undefined ? {} : done;
    misbehave({ ...real, ...fault.answer }, recorded, incoming, response);
  }

  async #answer(request: ProviderRequest): Promise<Reply> {
    const { settings, grants } = this;
    const form = { form: request.form, authorization: request.headers.authorization };
    if (request.target === 'token') {
      if (settings.delayMs.token > 0) await delay(settings.delayMs.token);
      return token(form, settings, grants);
    }
    if (request.target === 'authorize')
      return authorize(request.query, { settings, grants, issuer: this.url });
    if (request.target === 'revoke') return revoke(form, settings, grants);
    if (request.target === 'other') return html(404, 'nothing here');
    if (settings.delayMs.api > 0) await delay(settings.delayMs.api);
    return this.#api(request);
  }

  /** Says who asked what; takes a bearer token, or the key `planted-api-key`. */
  #api({ headers, method, path, query }: ProviderRequest): Reply {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const holder = headers['x-api-key'] === API_KEY ? { subject: 'key' } : this.grants.holderOf(bearer);
    if (holder === undefined) {
      this.#apiRefused += 1;
      return json(401, { error: { message: 'The access token is not good.', code: 'invalid_token' } });
    }
    return json(200, { subject: holder.subject, method, path, query: Object.fromEntries(query) });
  }
}

/** The key that the API takes in `x-api-key`. */
export const API_KEY = 'planted-api-key';

function targetOf(path: string): Target {
  if (path === '/authorize' || path === '/token' || path === '/revoke') return path.slice(1) as Target;
  return path.startsWith('/api/') ? 'api' : 'other';
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers).end(body);
}
