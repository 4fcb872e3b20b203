import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdsInstallation } from '../../src/app/existing-database.ts';
import { runDoctor } from '../../src/app/doctor.ts';
import { openInstallation } from '../../src/app/installation.ts';
import { silentLog } from '../../src/core/log.ts';
import { InstallationStore } from '../../src/store/installation-store.ts';
import { forEachDatabase } from '../support/databases.ts';
import { folderWith, settingsIn } from './folder.ts';

const log = silentLog;

function namesAndStates({ checks }: Awaited<ReturnType<typeof runDoctor>>): string[] {
  return checks.map(({ name, status }) => `${name} ${status}`);
}

describe('gatehouse doctor', () => {
  it.each([[{}], [{ 'data/gatehouse.db': '' }]])(
    'makes nothing before the first start: %j',
    async (files) => {
      const folder = folderWith(files);
      const before = readdirSync(folder, { recursive: true });
      const found = await runDoctor({ settings: settingsIn(folder), log });
      expect(namesAndStates(found)).toEqual(['settings ok', 'key warning', 'database warning']);
      expect(found.checks[2]?.message).toContain('the first start makes it');
      expect(readdirSync(folder, { recursive: true })).toEqual(before);
    },
  );

  it('looks at everything where there is an installation', async () => {
    const settings = settingsIn(folderWith(), { GATEHOUSE_PORT: '3999' });
    await (await openInstallation({ settings, log })).close();
    expect(namesAndStates(await runDoctor({ settings, log })).slice(0, 4)).toEqual([
      'settings ok',
      'key ok',
      'database ok',
      'catalog ok',
    ]);
  });

  it('does not make up for a lost key', async () => {
    const folder = folderWith();
    const settings = settingsIn(folder);
    await (await openInstallation({ settings, log })).close();
    const other = { ...settings, keys: { masterKeyFile: join(folder, 'other.key') } };
    const { checks } = await runDoctor({ settings: other, log });
    expect(checks.at(-1)).toMatchObject({ name: 'start', status: 'problem' });
    expect(existsSync(join(folder, 'other.key'))).toBe(false);
  });
});

forEachDatabase((_name, open, newUrl) => {
  it('tells an installation from a database without one', async () => {
    expect(await holdsInstallation(await newUrl('empty'))).toBe(false);
    const url = await newUrl();
    const db = await open({ url });
    expect(await holdsInstallation(url)).toBe(false);
    await db.transaction(async (tx) => new InstallationStore(tx).setIfAbsent('key_check', 'sealed'));
    expect(await holdsInstallation(url)).toBe(true);
  });
});
