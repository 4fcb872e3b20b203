/** How the servers end: at shutdown they finish what they do; nothing that happened goes unrecorded. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/open.ts';
import { makeProject, run, serve, type Project } from '../mcp/real-processes.ts';
import { StdioSession } from '../mcp/stdio-session.ts';
import { ROUNDS } from '../support/rounds.ts';

let project: Project;
beforeEach(async () => {
  project = await makeProject();
});
afterEach(() => project.close());

async function connectedSession(): Promise<StdioSession> {
  const { code, stderr } = await run(project, ['connect', 'websearch'], 'key-of-ada\n');
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const session = new StdioSession(project);
  await session.open();
  return session;
}

async function untilRequested(): Promise<void> {
  while (project.requests() === 0) await delay(20);
}

function exitOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
}

async function recorded(): Promise<string[]> {
  const db = await openDatabase({ url: `sqlite:${join(project.dir, 'data/gatehouse.db')}` });
  const rows = await db.read.selectFrom('executions').select('status').execute();
  await db.close();
  return rows.map((row) => row.status);
}

describe('stopping gatehouse mcp', () => {
  // SIGTERM comes in the next test as well.
  it.each(ROUNDS.full ? (['SIGTERM', 'SIGINT'] as const) : (['SIGINT'] as const))(
    'ends at %s while its client stays connected',
    async (signal) => {
      const session = new StdioSession(project);
      await session.open();
      const exit = exitOf(session.child);
      session.child.kill(signal);
      expect(await exit).toEqual([0, null]);
    },
  );

  it('answers a running call before it ends, despite repeated signals, and records it', async () => {
    const session = await connectedSession();
    const release = project.hold();
    const answer = session.search('cats');
    await untilRequested();
    const exit = exitOf(session.child);
    session.child.kill('SIGTERM');
    await delay(100);
    session.child.kill('SIGTERM');
    await delay(100);
    release();
    expect((await answer).content[0]?.text).toContain('ada asked cats');
    expect(await exit).toEqual([0, null]);
    expect(await recorded()).toEqual(['ok']);
  });

  it('records a call whose client disconnected', async () => {
    const session = await connectedSession();
    project.hold();
    void session.search('cats');
    await untilRequested();
    expect(await session.leave()).toBe(0);
    expect(await recorded()).toEqual(['error']);
  });

  it('recognizes an owner in every Unicode form of the name', async () => {
    project.env.GATEHOUSE_MCP_USER_ID = 'Jose\u0301';
    const session = await connectedSession();
    expect((await session.search('cats')).content[0]?.text).toContain('ada asked cats');
    await session.leave();
  });
});

describe('stopping gatehouse serve', () => {
  it('answers a running request before it ends, despite a second signal', async () => {
    const served = await serve(project);
    await served.connect('ada', 'key-of-ada');
    const release = project.hold();
    const answer = fetch(`${served.baseUrl}/api/v1/execute_tool`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        tool_name: 'websearch_search',
        connector: 'websearch',
        identifier: 'ada',
        user_id: 'ada',
        params: { query: 'cats' },
      }),
    });
    await untilRequested();
    const exit = exitOf(served.child);
    served.child.kill('SIGINT');
    await delay(100);
    served.child.kill('SIGINT');
    await delay(100);
    release();
    expect(await (await answer).text()).toContain('ada asked cats');
    expect(await exit).toEqual([0, null]);
    expect(await recorded()).toEqual(['ok']);
  });

  it('reports the reason when it cannot start after it has opened its port', async () => {
    const secret = 'another-secret-of-the-test-that-is-long-enough-01';
    const made = await run(project, ['credentials', 'create', '--name', 'backend', '--json']);
    const { client_id: taken } = JSON.parse(made.stdout) as { client_id: string };
    const file = join(project.dir, 'gatehouse.yaml');
    writeFileSync(
      file,
      [
        'data_dir: data',
        'environments:',
        '  - name: production',
        '    base_url: https://gate.example.test',
        `    client_id: ${taken}`,
        `    client_secret: ${secret}`,
        '',
      ].join('\n'),
    );
    const { code, stdout, stderr } = await run(project, ['serve']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('belongs to another environment');
    expect(stderr).toContain('gatehouse.yaml:5');
    expect(stderr).not.toContain(secret);
  });
});

describe('gatehouse serve and gatehouse mcp: SIGUSR1', () => {
  /** Lets every process choose the port of its inspector itself: a taken port would hide that one opens. */
  const anyPort = (): void => {
    project.env['NODE_OPTIONS'] = '--inspect-port=0';
  };

  function messagesOf(child: ChildProcess): () => string {
    let messages = '';
    child.stderr?.on('data', (chunk: Buffer) => (messages += chunk.toString()));
    return () => messages;
  }

  it('opens no inspector in gatehouse serve, which continues serving', async () => {
    anyPort();
    const { baseUrl, child } = await serve(project);
    const messages = messagesOf(child);
    const closed = once(child, 'close');
    child.kill('SIGUSR1');
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(messages()).not.toMatch(/debugger|inspector/i);
  });

  it('opens no inspector in gatehouse mcp, which continues serving', async () => {
    anyPort();
    const session = new StdioSession(project);
    await session.open();
    const messages = messagesOf(session.child);
    const closed = once(session.child, 'close');
    session.child.kill('SIGUSR1');
    expect(await session.request('ping', {})).toMatchObject({ result: {} });
    session.child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(messages()).not.toMatch(/debugger|inspector/i);
  });
});
