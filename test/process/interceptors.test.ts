/** What an operator sees of interceptors: the real program, and the receiver of docs/interceptors.md word for word. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeProject, run, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { freePort } from '../support/free-port.ts';

let project: Project;
let port: number;
let receiver: ChildProcess | undefined;

beforeEach(async () => {
  project = await makeProject();
  port = await freePort();
  const file = join(project.dir, 'gatehouse.yaml');
  const settings = readFileSync(file, 'utf8');
  writeFileSync(file, settings.replace(/private_hosts: \["/, `private_hosts: ["127.0.0.1:${port}", "`));
  declare(`http://127.0.0.1:${port}/hook/path-token`);
});
afterEach(async () => {
  if (receiver !== undefined) await kill(receiver);
  receiver = undefined;
  await project.close();
});

function declare(endpoint: string): void {
  appendFileSync(
    join(project.dir, 'gatehouse.yaml'),
    [
      'request_info: {trusted_proxies: ["127.0.0.0/8"], ip_header: x-client-ip}',
      'interceptors:',
      '  - name: Machines',
      '    trigger_point: PRE_M2M_TOKEN_CREATION',
      `    endpoint: ${endpoint}`,
      '    fallback: allow',
      '',
    ].join('\n'),
  );
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** The receiver of the documentation; resolves when it refuses what is not signed. */
async function startReceiver(secret: string): Promise<void> {
  const text = readFileSync(new URL('../../docs/interceptors.md', import.meta.url), 'utf8');
  const file = join(project.dir, 'receiver.mjs');
  writeFileSync(file, /```js\n([^]*?)```/.exec(text)?.[1] ?? '');
  const env = { SIGNING_SECRET: secret, PORT: String(port) };
  receiver = spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const answers = async () =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(answers).toBe(401);
}

async function rest(served: Served, path: string, method = 'GET'): Promise<Record<string, never>> {
  const headers = { authorization: `Bearer ${served.token}` };
  const response = await fetch(`${served.baseUrl}/api/v1/${path}`, { method, headers });
  const answer = (await response.json()) as Record<string, never>;
  expect([path, response.status < 300 ? 'ok' : answer]).toEqual([path, 'ok']);
  return answer;
}

/** Asks for a token as a machine does; its claims, or the refusal. */
async function token(served: Served, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { GATEHOUSE_CLIENT_ID: client_id = '', GATEHOUSE_CLIENT_SECRET: client_secret = '' } = project.env;
  const response = await fetch(`${served.baseUrl}/oauth/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  });
  const answer = (await response.json()) as Record<string, string>;
  const { access_token: jwt } = answer;
  if (jwt === undefined) return { status: response.status, ...answer };
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

it('applies an interceptor of gatehouse.yaml to machine tokens, with the documented receiver', async () => {
  const served = await serve(project);
  let log = '';
  served.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  try {
    expect(await token(served)).not.toHaveProperty('custom_claims');
    const { secret } = (await rest(served, 'signing_secret')) as unknown as { secret: string };
    await startReceiver(secret);

    expect(await token(served, { 'x-client-ip': '203.0.113.9' })).toMatchObject({
      custom_claims: { tier: 'gold' },
    });
    expect(await token(served, { 'user-agent': 'curl/8.5.0' })).toEqual({
      status: 400,
      error: 'access_denied',
      error_description: 'Please use our own client.',
    });
    await rest(served, 'signing_secret:rotate', 'POST');
    expect(await token(served)).toMatchObject({ custom_claims: { tier: 'gold' } });

    const { interceptors } = (await rest(served, 'interceptors')) as unknown as {
      interceptors: { id: string }[];
    };
    const { id = '' } = interceptors[0] ?? {};
    expect(interceptors).toMatchObject([{ name: 'Machines', timeout_ms: 5000, managed_by_file: true }]);
    const { logs } = (await rest(served, `interceptors/${id}/logs`)) as unknown as {
      logs: { decision: string; failure: string | null }[];
    };
    expect(logs.map(({ decision, failure }) => [decision, failure === null])).toEqual([
      ['ALLOW', true],
      ['DENY', true],
      ['ALLOW', true],
      ['ALLOW', false],
      ['ALLOW', false],
    ]);
    const { audit } = (await rest(served, `audit?target=${id}`)) as unknown as {
      audit: { action: string; actor: string; ip: string }[];
    };
    expect(audit.map(({ action, ip }) => `${action} ${ip}`).slice(0, 3)).toEqual([
      'interceptor.allow 127.0.0.1',
      'interceptor.deny 127.0.0.1',
      'interceptor.allow 203.0.113.9',
    ]);
    expect(audit.pop()).toEqual(
      expect.objectContaining({ action: 'interceptor.create', actor: 'local', ip: '' }),
    );
    expect(audit.every(({ actor }) => actor.startsWith('cred_'))).toBe(true);

    const tested = await run(project, ['interceptors', 'test', 'Machines', '--json']);
    expect([tested.code, JSON.parse(tested.stdout)]).toMatchObject([
      0,
      { response: { status: 200 }, failure: null, would: 'allow' },
    ]);
    const listed = await run(project, ['interceptors', 'logs', 'Machines', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ total_size: 5 });

    await kill(receiver!);
    receiver = undefined;
    expect(await token(served)).not.toHaveProperty('custom_claims');
    await served.stop();
    expect(log).toContain('"event":"interceptor_failed"');
    for (const word of [
      secret.slice(6),
      served.token,
      'path-token',
      project.env.GATEHOUSE_CLIENT_SECRET ?? '-',
    ])
      expect(log).not.toContain(word);
  } finally {
    served.child.kill('SIGKILL');
  }
});

it('refuses to start with an interceptor on a private address, and names it', async () => {
  const file = join(project.dir, 'gatehouse.yaml');
  const settings = readFileSync(file, 'utf8').replace(/endpoint: .*/, 'endpoint: https://10.0.0.1/x');
  writeFileSync(file, settings);
  const { code, stderr } = await run(project, ['serve']);
  expect(code).toBe(1);
  expect(stderr).toContain('interceptors[0].endpoint: The address is private.');
});
