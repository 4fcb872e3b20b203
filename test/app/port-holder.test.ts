import { expect, it } from 'vitest';
import { whoHolds } from '../../src/app/port-holder.ts';
import { startServer } from '../../src/app/serve.ts';
import { silentLog } from '../../src/core/log.ts';
import { folderWith, settingsIn } from './folder.ts';

it('knows a gatehouse serve of the same installation, with its pid, from one of another', async () => {
  const server = await startServer({ settings: settingsIn(folderWith()), log: silentLog });
  try {
    const { baseUrl, installation } = server;
    expect(await whoHolds(baseUrl, installation.id)).toEqual({ kind: 'same', pid: process.pid });
    expect(await whoHolds(baseUrl, 'of-another')).toEqual({ kind: 'stranger' });
  } finally {
    await server.stop();
  }
});
