import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInstallation } from '../../src/app/installation.ts';
import { silentLog } from '../../src/core/log.ts';
import { folderWith, settingsIn } from './folder.ts';

function starting(caFile: string, folder: string): Promise<unknown> {
  const settings = settingsIn(folder);
  return openInstallation({
    settings: { ...settings, outbound: { ...settings.outbound, caFile } },
    log: silentLog,
  });
}

it('refuses to start with a ca_file that cannot be read, and names the setting', async () => {
  const folder = folderWith({ 'ca/inside': '' });
  await expect(starting(join(folder, 'ca'), folder)).rejects.toThrow(
    /^outbound\.ca_file \(GATEHOUSE_CA_FILE\) names a file that cannot be read: EISDIR/,
  );
});

it('refuses to start with a ca_file without a certificate', async () => {
  const folder = folderWith({ 'ca.pem': 'hello' });
  await expect(starting(join(folder, 'ca.pem'), folder)).rejects.toThrow(/which holds no certificate/);
});
