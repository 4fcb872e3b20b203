/** What docs/operations.md and docs/troubleshooting.md say about a lost machine and a replaced database, done with real processes. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, startCommand, type CommandEnd } from '../support/deployment/command.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { ROUNDS } from '../support/rounds.ts';

let deployment: Deployment;
let server: ServerProcess;
let backup: string;
let data: string;

beforeEach(async () => {
  deployment = await Deployment.open();
  backup = join(deployment.dir, 'backup.db');
  data = join(deployment.dir, 'data');
  server = await deployment.serve();
});
afterEach(() => deployment?.close());

const gatehouse = async (...argv: string[]): Promise<CommandEnd> => runCommand(deployment, argv);

/** Calls all the time, so that the backup is made under load. @returns their statuses */
async function callsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const statuses: number[] = [];
  const over = new AbortController();
  const calling = (async () => {
    while (!over.signal.aborted) statuses.push((await server.call('ada')).status);
  })();
  await work();
  over.abort();
  await calling;
  return statuses;
}

describe('disaster recovery: lost machine', () => {
  it('restores accounts, credentials and tokens from a backup and the key file', async () => {
    await deployment.connect(server, 'ada', -1_000);
    const { accessToken } = await deployment.connect(server, 'ben');
    const link = await server.magicLink('cleo');
    const created = await gatehouse('credentials', 'create', '--name', 'backend', '--json');
    const credential = JSON.parse(created.stdout) as { client_id: string; client_secret: string };
    const signing = await server.api('GET', '/signing_secret');
    const keys = await (await fetch(`${server.url}/keys`)).text();

    let made: CommandEnd | undefined;
    const statuses = await callsDuring(async () => {
      made = await gatehouse('backup', backup, '--json');
    });
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`They are in ${join(data, 'master.key')}: keep a copy`) as string,
    });
    expect(JSON.parse(made?.stdout ?? '')).toMatchObject({
      file: backup,
      keys_in: join(data, 'master.key'),
    });
    expect(tally(statuses)).toEqual({ 200: statuses.length });

    copyFileSync(join(data, 'master.key'), join(deployment.dir, 'kept.key'));
    await server.kill();
    rmSync(data, { recursive: true });
    expect((await gatehouse('restore', backup, '--yes')).stderr).toContain('master.key is missing');

    mkdirSync(data, { mode: 0o700 });
    copyFileSync(join(deployment.dir, 'kept.key'), join(data, 'master.key'));
    expect(await gatehouse('restore', backup, '--yes')).toMatchObject({
      code: 0,
      stdout: `${join(data, 'gatehouse.db')} is the backup ${backup} now.\n`,
    });
    expect((await gatehouse('keys', 'verify')).code).toBe(0);

    server = await deployment.serve();
    expect((await server.call('ada')).body.data?.subject).toBe('ada');
    expect((await server.credentialsOf('ben')).access_token).toBe(accessToken);
    expect((await deployment.browser(server).get(link)).status).toBe(200);
    expect((await server.api('GET', '/signing_secret')).text).toBe(signing.text);
    expect(await (await fetch(`${server.url}/keys`)).text()).toBe(keys);
    expect(await tokenStatus(credential)).toBe(200);
    expect(deployment.integrity()).toBe('ok');
  });
});

describe('disaster recovery: restore of a backup', () => {
  it('waits for the last process to end, and keeps the old database', async () => {
    await deployment.connect(server, 'ada');
    await gatehouse('backup', backup);
    await deployment.connect(server, 'after-backup');
    const refused = await gatehouse('restore', backup, '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('has the database') as string,
    ]);
    expect((await server.call('after-backup')).status).toBe(200);

    await server.stop();
    expect((await gatehouse('restore', backup, '--yes')).code).toBe(0);
    server = await deployment.serve();
    expect((await server.call('ada')).status).toBe(200);
    expect((await server.call('after-backup')).status).toBe(400);

    await server.stop();
    const kept = readdirSync(data).find((file) => file.includes('.replaced-')) ?? '';
    expect((await gatehouse('restore', join(data, kept), '--yes')).code).toBe(0);
    server = await deployment.serve();
    expect((await server.call('after-backup')).status).toBe(200);
  });

  it.each(Array.from({ length: ROUNDS.rotationKills }, (_, i) => i))(
    'leaves one database or the other after kill -9 at a random moment (%i)',
    async () => {
      await deployment.connect(server, 'ada');
      await gatehouse('backup', backup);
      await deployment.connect(server, 'after-backup');
      await server.stop();
      const { child, ended } = startCommand(deployment, ['restore', backup, '--yes']);
      const isWorking = (): boolean => readdirSync(data).some((file) => file.includes('.restoring-'));
      while (child.exitCode === null && !isWorking()) await delay(2);
      await delay(Math.random() * 100);
      child.kill('SIGKILL');
      await ended;
      expect(deployment.integrity()).toBe('ok');
      server = await deployment.serve();
      expect((await server.call('ada')).status).toBe(200);
      const replaced = readdirSync(data).some((file) => file.includes('.replaced-'));
      const status = (await server.call('after-backup')).status;
      expect(replaced ? [200, 400] : [200]).toContain(status);
    },
  );
});

async function tokenStatus(credential: { client_id: string; client_secret: string }): Promise<number> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: credential.client_id,
    client_secret: credential.client_secret,
  });
  return (await fetch(`${server.url}/oauth/token`, { method: 'POST', body })).status;
}
