/** Stand-ins with OAuth from outside: the consent round without a browser, and their tools through a real installation. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openServices } from '../../src/app/services/services.ts';
import { SCOPES, type Caller } from '../../src/core/caller.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { silentLog } from '../../src/core/log.ts';
import type { OAuthConnector, Sandbox } from '../../sandbox/sandbox.ts';

/** Registered by `consent`; nothing listens there. */
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** An answer of a token endpoint. */
export interface TokenReply {
  status: number;
  body: Record<string, string | number>;
}

/** One stand-in as its registered app sees it. */
export function standInClient(sandbox: Sandbox, connector: OAuthConnector) {
  const { app, paths, members } = sandbox.providers[connector];
  sandbox.providers[connector].allowRedirect(REDIRECT_URI);

  /** GET of the consent page. @param parameters additional or replacing */
  const authorize = async (parameters: Record<string, string>): Promise<Response> => {
    const query = {
      client_id: app.clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      state: 'st',
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...parameters,
    };
    return fetch(`${sandbox.url}${paths.authorize}?${new URLSearchParams(query).toString()}`, {
      redirect: 'manual',
    });
  };

  /** POST of a form to the token endpoint, with the client secret in the header. */
  const token = async (form: Record<string, string>): Promise<TokenReply> => {
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
    const response = await fetch(sandbox.url + paths.token, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
    });
    return { status: response.status, body: (await response.json()) as TokenReply['body'] };
  };

  /** The whole round. @param parameters of the request for consent. @returns the token answer */
  const connect = async (parameters: Record<string, string>, member = 0): Promise<TokenReply['body']> => {
    const html = await (await authorize(parameters)).text();
    const answer = await fetch(sandbox.url + paths.authorize, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({
        number: /name="number" value="([\w-]+)"/.exec(html)?.[1] ?? '',
        member: members[member]?.id ?? '',
        answer: 'allow',
      }),
    });
    const back = new URL(answer.headers.get('location') ?? '');
    const code = back.searchParams.get('code') ?? '';
    const exchange = { grant_type: 'authorization_code', code, code_verifier: VERIFIER };
    return (await token({ ...exchange, redirect_uri: REDIRECT_URI })).body;
  };
  return { authorize, token, connect };
}

/** Calls tools of one connector as the same account. */
export interface SandboxTools {
  /** @returns the `data` of the result. @throws what the executor throws */
  call(name: string, input?: Record<string, unknown>): Promise<unknown>;
  /** What a call is refused with; undefined when it works. */
  refusal(name: string, input?: Record<string, unknown>): Promise<unknown>;
  /** Names of the connector's tools that were called. */
  called: ReadonlySet<string>;
  /** Names of all tools of the connector. */
  all: readonly string[];
  close(): Promise<void>;
}

/**
 * A real installation whose connection points at the sandbox, with one connected account.
 *
 * @param credential the access token, or the API key of `websearch`
 */
export async function openSandboxTools(
  sandbox: Sandbox,
  connector: OAuthConnector | 'websearch',
  credential: string,
): Promise<SandboxTools> {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-${connector}-tools-`));
  const app = connector === 'websearch' ? undefined : sandbox.providers[connector].app;
  const client = app && { client_id: app.clientId, client_secret: app.clientSecret };
  const config = join(folder, 'gatehouse.yaml');
  const overrides = { base_url: sandbox.url };
  const settings = {
    data_dir: '.',
    outbound: { allow_private_hosts: [new URL(sandbox.url).host] },
    connections: [{ name: connector, connector, ...client, overrides }],
  };
  writeFileSync(config, stringify(settings));
  const services = await openServices({
    settings: loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder }),
    log: silentLog,
  });
  const environmentId = services.environments.byName('development').id;
  const caller: Caller = {
    kind: 'machine',
    environmentId,
    actor: 'cred_test',
    scopes: new Set(SCOPES),
    source: 'api',
    ip: '127.0.0.1',
  };
  await services.accounts.create(caller, {
    connector,
    identifier: 'ada',
    user_id: 'ada',
    connected_account: {
      authorization_details:
        app === undefined
          ? { static_auth: { details: { api_key: credential } } }
          : { oauth_token: { access_token: credential } },
    },
  });
  const called = new Set<string>();
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<unknown> => {
    called.add(name);
    const account = { connection: connector, identifier: 'ada', userId: 'ada' };
    return (await services.executor.execute({ caller, toolName: name, input, account })).data;
  };
  return {
    call,
    refusal: async (name, input) =>
      call(name, input).then(
        () => undefined,
        (reason: unknown) => reason,
      ),
    called,
    all: [...services.catalog.tools.values()]
      .filter((tool) => tool.connector === connector)
      .map(({ name }) => name),
    close: async () => {
      await services.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
