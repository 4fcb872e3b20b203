import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFirstCredential } from '../../../src/app/services/first-credential-file.ts';
import { startServer, type RunningServer } from '../../../src/app/serve/serve.ts';
import { silentLog } from '../../../src/core/log.ts';
import { folderWith, settingsIn } from '../folder.ts';

let dataDir: string;
let server: RunningServer;

beforeEach(async () => {
  const settings = settingsIn(folderWith());
  ({ dataDir } = settings);
  server = await startServer({ settings, log: silentLog });
});
afterEach(async () => server.stop());

const token = async (client_id: string, client_secret: string, more = {}): Promise<number> => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, ...more });
  const answer = await fetch(`${server.baseUrl}/oauth/token`, { method: 'POST', body });
  await answer.body?.cancel();
  return answer.status;
};

describe('file of the first API credential', () => {
  it('stays until that credential gets a token', async () => {
    const [made] = server.firstCredentials;
    if (made === undefined) throw new Error('no credential was made');
    const path = writeFirstCredential(dataDir, made.environment, made);
    expect(path).toBe(join(dataDir, 'first-credential-development.json'));
    const { client_id, client_secret } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
    expect([client_id, client_secret]).toEqual([made.clientId, made.clientSecret]);
    expect(() => writeFirstCredential(dataDir, made.environment, made)).toThrow('EEXIST');

    const statuses = [
      await token(made.clientId, 'wrong'),
      await token('gh_nobody', made.clientSecret),
      await token(made.clientId, made.clientSecret, { scope: 'unknown' }),
    ];
    expect([statuses, existsSync(path)]).toEqual([[401, 401, 400], true]);
    expect([await token(made.clientId, made.clientSecret), existsSync(path)]).toEqual([200, false]);
  });

  it.each(['not JSON', '{"client_id": "gh_other"}', 'null'])(
    'stays with other content: %s',
    async (content) => {
      const [{ clientId, clientSecret } = { clientId: '', clientSecret: '' }] = server.firstCredentials;
      const path = join(dataDir, 'first-credential-development.json');
      writeFileSync(path, content);
      expect(await token(clientId, clientSecret)).toBe(200);
      expect(readFileSync(path, 'utf8')).toBe(content);
    },
  );
});
