/** Writes under an idempotency key over several processes, one of which is killed while it makes the call. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { ServerProcess, type ApiAnswer } from '../support/deployment/server-process.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { until } from '../support/manual-timers.ts';
import { KEY, shopCatalog } from '../support/shop-server.ts';

const CREDENTIAL = { id: 'test', secret: 'a-secret-of-the-test-that-is-long-enough-0123456789' };

forEachDatabaseInFull((_name, _open, newUrl) => {
  let dir: string;
  let main: FaultServer;
  let databaseUrl: string;
  let one: ServerProcess;
  let two: ServerProcess;
  /** Its times are short, for what is seen only when they are over. */
  let hasty: ServerProcess;
  const servers: ServerProcess[] = [];

  const serve = async (env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> => {
    const server = await ServerProcess.start({
      dir,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: dir,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
        GATEHOUSE_CONFIG: join(dir, 'gatehouse.yaml'),
        GATEHOUSE_DATABASE_URL: databaseUrl,
        GATEHOUSE_REFRESH_LEASE: '10s',
        ...env,
      },
      token,
      keep: () => {},
    });
    servers.push(server);
    return server;
  };

  beforeAll(async () => {
    main = await startFaultServer();
    databaseUrl = await newUrl();
    dir = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
    for (const [name, text] of Object.entries(shopCatalog({ main: main.origin, files: main.origin }))) {
      mkdirSync(join(dir, 'catalog', name, '..'), { recursive: true });
      writeFileSync(join(dir, 'catalog', name), text);
    }
    const settings = {
      data_dir: 'data',
      base_url: 'https://gate.example.test',
      catalog_dirs: [join(dir, 'catalog')],
      client_id: CREDENTIAL.id,
      client_secret: CREDENTIAL.secret,
      outbound: { allow_private_hosts: [`127.0.0.1:${main.port}`] },
    };
    writeFileSync(join(dir, 'gatehouse.yaml'), JSON.stringify(settings));
    const short = { GATEHOUSE_OUTBOUND_TIMEOUT: '3s', GATEHOUSE_REFRESH_LEASE: '2s' };
    [one, two, hasty] = await Promise.all([serve(), serve(), serve(short)]);
    const { status, text } = await one.api('POST', '/connected_accounts', {
      connector: 'shop',
      identifier: 'ada',
      user_id: 'ada',
      connected_account: { authorization_details: { static_auth: { details: { api_key: KEY } } } },
    });
    if (status !== 201) throw new Error(text);
  });

  afterEach(() => main.reset());

  afterAll(async () => {
    await Promise.all(servers.map(async (server) => server.kill()));
    await main.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const add = async (server: ServerProcess, key: string, signal?: AbortSignal): Promise<ApiAnswer> => {
    const input = { tool_name: 'shop_add', tool_input: { text: 'a' }, user_id: 'ada' };
    return server.api('POST', '/execute_tool', { ...input, idempotency_key: key }, signal);
  };

  describe('write under an idempotency key', () => {
    it('reaches the provider once for forty concurrent requests at two processes', async () => {
      main.always({ delayMs: 300, status: 201, json: { made: true } });
      const calls = Array.from({ length: 40 }, async (_, n) => add(n % 2 === 0 ? one : two, 'at-once'));
      const answers = await Promise.all(calls);
      expect(main.requests).toHaveLength(1);
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(200);
      const replays = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
      expect(replays).toHaveLength(39);
    });

    it('repeats the 504 of a timeout and sends nothing again', async () => {
      main.queue({ hang: true });
      const first = await add(hasty, 'no-answer');
      expect(first.status).toBe(504);
      const again = await add(two, 'no-answer');
      expect([again.status, again.text]).toEqual([504, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(main.requests).toHaveLength(1);
    });

    it('completes after its caller disconnects, and a retry finds the outcome', async () => {
      main.queue({ delayMs: 500, status: 201, json: { made: true } });
      const leaving = new AbortController();
      const left = add(one, 'left', leaving.signal).catch(() => 'left');
      await until(() => main.requests.length === 1);
      leaving.abort();
      expect(await left).toBe('left');
      const answer = await add(two, 'left');
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({ made: true });
      expect(main.requests).toHaveLength(1);
    });

    it('answers 504 after a kill -9 during the call, and sends nothing again', async () => {
      main.queue({ hang: true });
      const lost = add(hasty, 'killed').catch(() => 'gone');
      await until(() => main.requests.length === 1);
      await hasty.kill();
      expect(await lost).toBe('gone');
      for (let n = 0; n < 2; n++) {
        const answer = await add(two, 'killed');
        expect(answer.status).toBe(504);
        expect(answer.body.details?.[0]).toMatchObject({
          error_code: 'TOOL_ERROR',
          tool_error: { code: 'OUTCOME_UNKNOWN' },
        });
      }
      expect(main.requests).toHaveLength(1);
      expect((await add(two, 'another')).status).toBe(200);
    });
  });
});

async function token(url: string): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CREDENTIAL.id,
      client_secret: CREDENTIAL.secret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
