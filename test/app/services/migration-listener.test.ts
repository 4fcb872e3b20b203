import { afterEach, describe, expect, it } from 'vitest';
import { answerWhileMigrating } from '../../../src/app/services/migration-listener.ts';
import { silentLog } from '../../../src/core/log.ts';
import { Listener } from '../../../src/http/listener/listener.ts';
import { loadSettings } from '../../../src/settings/settings.ts';

const opened: Listener[] = [];
afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close();
});

async function migrating(): Promise<{ listener: Listener; url: string }> {
  const env = { GATEHOUSE_PORT: '0', GATEHOUSE_BASE_URL: 'https://gate.example.test' };
  const settings = loadSettings({ flags: {}, env, cwd: '/', homeDir: '/' });
  const listener = new Listener({ host: '127.0.0.1', port: 0, log: silentLog });
  opened.push(listener);
  await answerWhileMigrating(listener, settings, 'ins_1');
  return { listener, url: `http://127.0.0.1:${(await listener.listen()).port}` };
}

describe('server whose database is migrated', () => {
  it('answers /healthz with its installation, as a server does', async () => {
    const { url } = await migrating();
    const response = await fetch(`${url}/healthz`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ok', installation_id: 'ins_1', pid: process.pid },
    ]);
  });

  it.each(['/readyz', '/api/v1/connected_accounts', '/mcp', '/oauth/token', '/connect/x'])(
    'answers %s with 503 and Retry-After',
    async (path) => {
      const { url } = await migrating();
      const response = await fetch(`${url}${path}`);
      expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
        503,
        '5',
        expect.objectContaining({
          message: 'The database is being brought up to date. Try again in a while.',
        }),
      ]);
    },
  );

  it('keeps the port when the server begins to serve', async () => {
    const { listener, url } = await migrating();
    listener.serve({ environments: [], routes: [] });
    expect(`http://127.0.0.1:${(await listener.listen()).port}`).toBe(url);
  });
});
