import { expect, it } from 'vitest';
import { portHeldMessage, whoHolds } from '../../../src/app/serve/port-holder.ts';
import { startServer } from '../../../src/app/serve/serve.ts';
import { silentLog } from '../../../src/core/log.ts';
import { startFaultServer, type Fault } from '../../support/fault-server.ts';
import { folderWith, settingsIn } from '../folder.ts';

it('distinguishes gatehouse serve of the same installation, with its pid, from another installation', async () => {
  const server = await startServer({ settings: settingsIn(folderWith()), log: silentLog });
  try {
    const { baseUrl, services } = server;
    expect(await whoHolds(baseUrl, services.id)).toEqual({
      kind: 'same',
      pid: process.pid,
      servesLinksOnly: false,
    });
    expect(await whoHolds(baseUrl, 'of-another')).toEqual({ kind: 'stranger' });
  } finally {
    await server.stop();
  }
});

it.each<[string, Fault]>([
  ['nothing', { hang: true }],
  ['half an answer', { headersOnly: true }],
  ['garbage', { raw: 'SSH-2.0-OpenSSH_9.6\r\n' }],
  ['HTML', { body: '<h1>Hello</h1>' }],
  ['null', { json: null }],
  ['a redirect', { status: 302, headers: { location: '/healthz' }, json: {} }],
  ['more than any Gatehouse', { json: { installation_id: 'ours', pid: 1, more: 'x'.repeat(10_000) } }],
  ['a body without end', { hugeBytes: 2_000_000_000 }],
])('treats a process that answers %s as a stranger', async (_what, fault) => {
  const holder = await startFaultServer();
  holder.always(fault);
  expect(await whoHolds(holder.origin, 'ours')).toEqual({ kind: 'stranger' });
  await holder.close();
});

const LINK_MS = 600_000;

it.each([
  [
    'a stranger',
    { kind: 'stranger' } as const,
    'Port 3000 is held by another program. Stop it, or set port (GATEHOUSE_PORT, --port) to a free one.',
  ],
  [
    'another server',
    { kind: 'same', pid: 77, servesLinksOnly: false } as const,
    'Port 3000 is held by another Gatehouse of this installation (pid 77). Stop it, or set port (GATEHOUSE_PORT, --port) to a free one.',
  ],
  [
    'a process with open links',
    { kind: 'same', pid: 77, servesLinksOnly: true } as const,
    'Port 3000 is held by another Gatehouse of this installation (pid 77): the "gatehouse mcp" of a desktop client, or a "gatehouse connect" that waits. ' +
      'It releases the port when its links are finished or have expired, each 10 min after it was created. ' +
      'Finish them, end that client or command, or set port (GATEHOUSE_PORT, --port) to a free one.',
  ],
])('says of %s that holds the port what it is and what to do', (_who, holder, message) => {
  expect(portHeldMessage(3_000, holder, LINK_MS)).toBe(message);
});
