import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openServices } from '../../../src/app/services/services.ts';
import { lazyOutbound } from '../../../src/app/services/lazy-outbound.ts';
import { silentLog } from '../../../src/core/log.ts';
import { folderWith, settingsIn } from '../folder.ts';

function starting(caFile: string, folder: string): Promise<unknown> {
  const settings = settingsIn(folder);
  return openServices({
    settings: { ...settings, outbound: { ...settings.outbound, caFile } },
    log: silentLog,
  });
}

it('refuses to start with a ca_file that cannot be read, and names the setting', async () => {
  const folder = folderWith({ 'ca/inside': '' });
  await expect(starting(join(folder, 'ca'), folder)).rejects.toThrow(
    /^The settings are not valid:\n {2}outbound\.ca_file: names a file that cannot be read: EISDIR/,
  );
});

it('refuses to start with a ca_file without a certificate', async () => {
  const folder = folderWith({ 'ca.pem': 'hello' });
  await expect(starting(join(folder, 'ca.pem'), folder)).rejects.toThrow(/which holds no certificate/);
});

it('lets the default outbound client reach no private host that the operator allows', async () => {
  const seen: string[] = [];
  const site = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('here');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const { outbound } = settingsIn(folderWith({}));
  const way = lazyOutbound({ ...outbound, allowPrivateHosts: ['127.0.0.1', 'localhost'] });
  const get = (path: string) => ({
    method: 'GET' as const,
    url: new URL(`http://127.0.0.1:${port}/${path}`),
    headers: {},
  });
  try {
    expect((await way.send(get('allowed'))).status).toBe(200);
    for (const url of [
      get('').url,
      new URL(`https://127.0.0.1:${port}/`),
      new URL(`https://localhost:${port}/`),
    ])
      await expect(way.publicOnly.send({ ...get(''), url })).rejects.toMatchObject({
        kind: 'refused_address',
      });
    expect(seen).toEqual(['/allowed']);
  } finally {
    await way.close();
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  }
});
