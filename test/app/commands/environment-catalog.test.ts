import { describe, expect, it } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openAdmin } from '../../../src/app/commands/admin.ts';
import { loadCatalog, loadConnectors } from '../../../src/app/commands/environment-catalog.ts';
import { silentLog } from '../../../src/core/log.ts';
import { openServices } from '../../../src/app/services/services.ts';
import { folderWith, settingsIn } from '../folder.ts';

const MEMOS = {
  name: 'memos',
  title: 'Memos',
  description: 'Memos of the tests.',
  mcp: { url: 'https://memos.example.test/mcp' },
  auth: [{ type: 'NO_AUTH' }],
};

describe('catalog of a command', () => {
  it('has what was added to the environment that the command means, and to no other', async () => {
    const settings = settingsIn(
      folderWith({
        'gatehouse.yaml': 'environments: [{name: production, base_url: "https://gate.example.test"}]\n',
      }),
    );
    const services = await openServices({ settings, log: silentLog });
    const { id: environmentId } = services.environments.byName('production');
    await services.upstreams.registry.add({ environmentId, actor: 'local', ip: '' }, MEMOS);
    await services.close();
    const inProduction = await loadConnectors(settings, 'production');
    expect(inProduction.find(({ name }) => name === 'memos')).toMatchObject({
      hosts: ['https://memos.example.test/mcp'],
    });
    expect((await loadCatalog(settings, 'development')).connectors.has('memos')).toBe(false);
    const admin = await openAdmin({ settings, log: silentLog });
    expect(admin.catalog.in(environmentId).connectors.has('memos')).toBe(true);
    await admin.close();
  });

  it('comes from the files alone where there is no database, and makes none', async () => {
    const folder = folderWith();
    const { connectors } = await loadCatalog(settingsIn(folder), 'development');
    expect([connectors.has('crm'), existsSync(join(folder, 'data'))]).toEqual([true, false]);
  });
});
