/** `/docs` as `gatehouse serve` has it, with and without the setting. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startServer, type RunningServer } from '../../../src/app/serve/serve.ts';
import { silentLog } from '../../../src/core/log.ts';
import { loadSettings } from '../../../src/settings/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-reference-'));
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(variables: Record<string, string>): Promise<string> {
  const env = { GATEHOUSE_PORT: '0', GATEHOUSE_DATA_DIR: folder, ...variables };
  const settings = loadSettings({ flags: {}, env, cwd: '/', homeDir: '/' });
  server = await startServer({ settings, log: silentLog });
  return server.baseUrl;
}

const asBrowser = { headers: { accept: 'text/html' } };

describe('reference of the REST API at /docs', () => {
  it('needs no token, has the policy of all pages, and is linked on the front page', async () => {
    const baseUrl = await serve({});
    const [front, docs] = await Promise.all([fetch(`${baseUrl}/`), fetch(`${baseUrl}/docs`)]);
    expect(docs.status).toBe(200);
    for (const name of [
      'content-security-policy',
      'x-frame-options',
      'referrer-policy',
      'cache-control',
      'vary',
    ])
      expect([name, docs.headers.get(name)]).toEqual([name, front.headers.get(name)]);
    expect(await front.text()).toContain('href="/docs"');
    expect(await docs.text()).toContain(`<pre tabindex="0" role="region"`);
    expect((await fetch(`${baseUrl}/docs`, { method: 'HEAD' })).status).toBe(200);
  });

  it('does not exist with docs: false, nor on the front page', async () => {
    const baseUrl = await serve({ GATEHOUSE_DOCS: 'false' });
    const docs = await fetch(`${baseUrl}/docs`, asBrowser);
    expect([docs.status, await docs.text()]).toEqual([404, expect.stringContaining('There is no page here')]);
    expect(await (await fetch(`${baseUrl}/`)).text()).not.toContain('href="/docs"');
    expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200);
  });
});
