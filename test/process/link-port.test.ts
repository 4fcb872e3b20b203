/** Who serves the connect pages when several processes of one machine want the same port. */
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProject, serve, type Project } from '../mcp/real-processes.ts';
import { StdioSession } from '../mcp/stdio-session.ts';
import { freePort } from '../support/free-port.ts';

let project: Project;
let port: number;
const sessions: StdioSession[] = [];

beforeEach(async () => {
  project = await makeProject();
  port = await freePort();
  project.env.GATEHOUSE_PORT = String(port);
});
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.leave();
  await project.close();
});

async function listen(server: Server, at: number): Promise<Server> {
  return new Promise((resolve) => server.listen(at, '127.0.0.1', () => resolve(server)));
}

async function close(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

async function openSession(): Promise<StdioSession> {
  const session = new StdioSession(project);
  sessions.push(session);
  await session.open();
  return session;
}

/** The link in the answer to a call of an account that is not connected. */
async function askForLink(session: StdioSession): Promise<string> {
  const { content } = await session.search('cats');
  return (JSON.parse(content[1]?.text ?? '{}') as { link: string }).link;
}

const statusOf = async (link: string): Promise<number> => (await fetch(link)).status;

/** Whether somebody answers the link within a minute. */
async function isServed(link: string): Promise<boolean> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const status = await statusOf(link).catch(() => undefined);
    if (status === 200) return true;
    await delay(100);
  }
  return false;
}

describe('port of the link listener', () => {
  it('stays closed before there is a link, and then serves nothing except the links', async () => {
    const session = await openSession();
    await session.request('tools/list', {});
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');
    await askForLink(session);
    for (const path of ['/', '/dashboard', '/mcp', '/api/v1/tools', '/oauth/token', '/openapi.json']) {
      expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('passes from process to process of one installation when its holder ends', async () => {
    const [one, two] = [await openSession(), await openSession()];
    const links = [await askForLink(one), await askForLink(two)];
    for (const link of links) {
      expect(new URL(link).port).toBe(String(port));
      expect(await statusOf(link)).toBe(200);
    }
    const health = (await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()) as { pid: number };
    expect(health.pid).toBe(one.child.pid);
    await one.leave();
    expect(await isServed(links[1] ?? '')).toBe(true);
  });

  it('leaves the links to gatehouse serve where that runs', async () => {
    const served = await serve(project);
    try {
      expect(await statusOf(await askForLink(await openSession()))).toBe(200);
    } finally {
      await served.stop();
    }
  });

  it('names the setting to change when another program holds the port', async () => {
    const stranger = await listen(
      createServer((_request, response) => response.end('hello')),
      port,
    );
    try {
      const { content, isError } = await (await openSession()).search('cats');
      expect(isError).toBe(true);
      expect(content[0]?.text).toContain(`Port ${port} is used by another program`);
      expect(content[0]?.text).toContain('GATEHOUSE_PORT');
      expect(content.map((block) => block.text).join()).not.toContain('/connect/');
    } finally {
      await close(stranger);
    }
  });

  it('prevents the start of gatehouse serve, which names the holder', async () => {
    const stranger = await listen(
      createServer((_request, response) => response.end('hello')),
      port,
    );
    try {
      await expect(serve(project)).rejects.toThrow(`Port ${port} is held by another program`);
    } finally {
      await close(stranger);
    }
  });
});
