/**
 * Three ways from nothing to work that is done, each in a fresh home folder, with the seconds of each step: somebody with
 * a desktop client, somebody with a backend, and an operator with the assembled program and Postgres. Full rounds only;
 * the last one asks the npm registry.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { DemoVisitor } from '../../src/app/demo/demo-visitor.ts';
import { sandboxConnections } from '../../src/app/demo/own-sandbox.ts';
import { SCHEMA_VERSION } from '../../src/store/migrations/migrator.ts';
import { onDatabase } from '../support/databases.ts';
import { runCommand } from '../support/deployment/command.ts';
import { Deployment } from '../support/deployment/deployment.ts';
import { blocksOf } from '../support/documentation.ts';
import { freePort } from '../support/free-port.ts';
import { onFreePortsOf, runDocumented } from '../support/documented-shell.ts';
import { PROGRAM } from '../support/program.ts';
import { ReleasedProgram } from '../support/released-program.ts';
import { ROUNDS } from '../support/rounds.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gatehouse-journey-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Takes a step of a journey and prints how long it took. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  process.stdout.write(`journey: ${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  return result;
}

describe.runIf(ROUNDS.full)('process journeys of new users', () => {
  it('lead a desktop client to its first call through a link', async () => {
    const sandbox = await startSandbox({ port: 0, isPublic: true });
    const env = { PATH: process.env.PATH ?? '', HOME: home, GATEHOUSE_PORT: String(await freePort()) };
    const client = new Client({ name: 'desktop', version: '1' });
    try {
      await step('desktop client: gatehouse init --client claude-desktop --write', async () =>
        run(process.execPath, [PROGRAM, 'init', '--client', 'claude-desktop', '--write'], { cwd: home, env }),
      );
      await step('desktop client: connections of the sandbox in gatehouse.yaml', async () => {
        const file = join(home, 'gatehouse.yaml');
        const settings = parse(readFileSync(file, 'utf8')) as object;
        const outbound = { allow_private_hosts: [new URL(sandbox.url).host] };
        const connections = sandboxConnections(sandbox, (_connector, secret) => secret);
        writeFileSync(file, stringify({ ...settings, outbound, connections }));
      });
      const written = readFileSync(join(home, '.config/Claude/claude_desktop_config.json'), 'utf8');
      const { gatehouse } = (
        JSON.parse(written) as { mcpServers: Record<string, { command: string; args: string[] }> }
      ).mcpServers;
      await step('desktop client: the client starts it', async () =>
        client.connect(new StdioClientTransport({ ...gatehouse!, env, cwd: '/', stderr: 'ignore' })),
      );
      const call = { name: 'websearch_search', arguments: { query: 'tide tables' } };
      const asked = await step('desktop client: a first call, which answers with a link', async () =>
        JSON.stringify(await client.callTool(call)),
      );
      const visitor = new DemoVisitor();
      await step('desktop client: the link and its form', async () => {
        await visitor.open(String(/http:[^ "\\]*\/connect\/[\w-]{43}/.exec(asked)?.[0]));
        expect(await visitor.submit([sandbox.apiKey])).toMatchObject({
          heading: expect.stringContaining(' is connected'),
        });
      });
      const found = await step('desktop client: the same call again', async () => client.callTool(call));
      expect(found.isError).not.toBe(true);
      expect(JSON.stringify(found)).toContain('harbour-almanac.example');
    } finally {
      await client.close();
      await sandbox.close();
    }
  });

  it('lead a backend to a call for a verified account', async () => {
    const steps = blocksOf('docs/tutorial.md').filter(({ language }) => language === 'sh');
    const onFreePorts = await onFreePortsOf(`${steps.map(({ text }) => text).join('')} --port 4400`);
    const script = steps
      .map(
        ({ text, line }) => `${text}echo "journey: backend: docs/tutorial.md:${line}: done after $SECONDS s"`,
      )
      .join('\n')
      .replace('gatehouse sandbox', 'gatehouse sandbox --port 4400');
    const { code, stdout } = await runDocumented({
      script: onFreePorts(script),
      env: { GATEHOUSE_PORT: onFreePorts('3000') },
    });
    const told = stdout.split('\n').filter((line) => line.startsWith('journey: '));
    process.stdout.write(`${told.join('\n')}\n`);
    expect([code, told.length]).toEqual([0, steps.length]);
    expect(stdout).toMatch(/^\{"data":\{.*"execution_id":"exe_\w{26}"\}$/m);
  });

  onDatabase('postgres', (_name, _open, newUrl) => {
    it('lead an operator from version 0.1.0 to two processes of the assembled program', async () => {
      const old = new ReleasedProgram();
      const deployment = await Deployment.open({ databaseUrl: await newUrl('empty') });
      try {
        const { dir, env } = deployment;
        await step('operator: ops/image/assemble', async () =>
          run(join(ROOT, 'ops/image/assemble'), [home], { maxBuffer: 100_000_000 }),
        );
        const program = join(home, 'opt/gatehouse/bin/gatehouse.js');
        const node = join(home, 'opt/gatehouse/node');
        const before = await step('operator: version 0.1.0 serves', async () =>
          deployment.serve({}, old.path),
        );
        await deployment.connect(before, 'ada');
        const migrated = await step('operator: gatehouse migrate, while it serves', async () =>
          runCommand({ dir, env, program }, ['migrate', '--json']),
        );
        expect([migrated.code, JSON.parse(migrated.stdout)]).toMatchObject([
          0,
          { from: 3, to: SCHEMA_VERSION },
        ]);
        const both = await step('operator: two processes start', async () =>
          Promise.all([deployment.serve({}, program), deployment.serve({}, program)]),
        );
        await step('operator: version 0.1.0 ends', async () => expect(await before.stop()).toBe(0));
        await step('operator: both are healthy and ready', async () => {
          for (const { url } of both) {
            const port = { GATEHOUSE_PORT: new URL(url).port };
            const check = async (): Promise<string> =>
              run(node, [join(home, 'opt/gatehouse/health-check.js')], { env: port }).then(
                () => 'healthy',
                String,
              );
            // As Docker does, which asks again before it gives up.
            await expect.poll(check).toBe('healthy');
            expect((await fetch(`${url}/readyz`)).status).toBe(200);
          }
        });
        await step('operator: both call with the account of before', async () => {
          for (const server of both) expect((await server.call('ada')).status).toBe(200);
        });
        const verified = await step('operator: gatehouse keys verify', async () =>
          runCommand({ dir, env, program }, ['keys', 'verify', '--json']),
        );
        expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { unreadable: [] }]);
      } finally {
        await deployment.close();
        old.remove();
      }
    }, 900_000);
  });
});
