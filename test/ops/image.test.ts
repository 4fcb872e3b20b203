/** The container image, the compose file and the systemd unit of `ops/`, as far as they can be read without an engine. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const dockerfile = DockerfileParser.parse(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));

/** The arguments of an instruction, wherever it stands. */
function argumentsOf(keyword: string): string[] {
  return dockerfile
    .getInstructions()
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '');
}

describe('installation in an image', () => {
  it('builds in one stage and runs in another, on a slim Debian', () => {
    expect(dockerfile.getFROMs().map((from) => from.getImage())).toEqual([
      'node:24.21.0-bookworm-slim',
      'debian:bookworm-slim',
    ]);
  });

  it('takes the Node that the checkout takes', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: { node: string };
    };
    expect(dockerfile.getFROMs()[0]?.getImage()).toBe(`node:${devDependencies.node}-bookworm-slim`);
  });

  it('runs as a user without rights, keeps data in a volume and says whether it is healthy', () => {
    expect(argumentsOf('USER')).toEqual(['10001:10001']);
    expect(argumentsOf('VOLUME')).toEqual(['/var/lib/gatehouse']);
    expect(argumentsOf('HEALTHCHECK')).toEqual([expect.stringContaining('/opt/gatehouse/health-check.js')]);
    expect(argumentsOf('CMD')).toEqual(['["serve"]']);
  });

  it('contains no secret in ARG or ENV, and copies no settings, data or history', () => {
    expect(argumentsOf('ARG')).toEqual([]);
    const names = dockerfile.getENVs().flatMap((env) => env.getProperties().map((one) => one.getName()));
    expect(names).toEqual(['GATEHOUSE_HOST', 'GATEHOUSE_PORT', 'GATEHOUSE_DATA_DIR', 'HOME']);
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n');
    expect(ignored[0]).toBe('*');
    for (const secret of ['.env', '.git', 'data', 'gatehouse.yaml', 'secrets'])
      expect(ignored).not.toContain(`!${secret}`);
  });
});

/** A copy of `ops/image/compose-secrets` in a folder of its own, which it writes to. */
function secretsScript(): { folder: string; script: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-compose-'));
  const script = join(folder, 'ops/image/compose-secrets');
  cpSync(join(ROOT, 'ops/image/compose-secrets'), script);
  return { folder, script };
}

interface Service {
  read_only?: boolean;
  user?: string;
  cap_drop?: string[];
  security_opt?: string[];
  ports?: unknown[];
  networks: string[] | Record<string, unknown>;
  environment: Record<string, string>;
}

describe('installation with compose', () => {
  const file = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
    networks: Record<string, { internal?: boolean } | null>;
  };

  it('runs two processes without rights on a read-only root', () => {
    for (const name of ['gatehouse-1', 'gatehouse-2'])
      expect(file.services[name]).toMatchObject({
        read_only: true,
        user: '10001:10001',
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
  });

  it('publishes only the ports of the proxy, and keeps Postgres to itself', () => {
    const published = Object.entries(file.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).toEqual(['caddy']);
    expect(file.services['postgres']?.networks).toEqual(['inside']);
    expect(file.networks['inside']).toEqual({ internal: true });
  });

  it('contains no secret, only names of variables', () => {
    const values = Object.values(file.services).flatMap(({ environment }) => Object.entries(environment));
    const secrets = values.filter(([name]) => /PASSWORD|SECRET|DATABASE_URL/.test(name));
    expect(secrets.length).toBeGreaterThan(4);
    for (const [name, value] of secrets) expect(value, name).toMatch(/\$\{[A-Z_]+:\?/);
  });

  it.each([
    ['https://gate.example.test'],
    ['gate.example.test:8443'],
    ['gate.example.test/'],
    ['Gate.example.test'],
    ['gate..example.test'],
    [''],
  ])('writes no secrets for %j, which is no host name', async (domain) => {
    const { folder, script } = secretsScript();
    await expect(run(script, [domain])).rejects.toMatchObject({
      code: 2,
      stderr:
        'DOMAIN must be a host name alone, in lower case, such as gate.example.com. Nothing was written.\n',
    });
    expect(readdirSync(folder)).toEqual(['ops']);
  });

  it('writes the domain and the secrets after a domain was refused', async () => {
    const { folder, script } = secretsScript();
    await expect(run(script, ['https://gate-1.example.test'])).rejects.toThrow();
    await run(script, ['gate-1.example.test']);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^GATEHOUSE_DOMAIN=gate-1\.example\.test\n/);
    expect(readdirSync(join(folder, 'secrets'))).toEqual(['master_key']);
  });

  it('passes docker-compose, which fills in the variables', async ({ skip }) => {
    if (!existsSync('/usr/bin/docker-compose')) {
      if (process.env.CI === 'true') throw new Error('.ci/run installs docker-compose.');
      skip('install docker-compose to read compose.yaml with it');
    }
    const env = {
      PATH: '/usr/bin:/bin',
      GATEHOUSE_DOMAIN: 'gate.example.test',
      POSTGRES_PASSWORD: 'made-up',
      GATEHOUSE_CLIENT_SECRET: 'made-up-too',
    };
    const argv = ['--file', join(ROOT, 'compose.yaml'), 'config'];
    const { stdout } = await run('/usr/bin/docker-compose', argv, { env });
    const { services } = parse(stdout) as { services: Record<string, Service> };
    expect(Object.keys(services)).toEqual(['caddy', 'gatehouse-1', 'gatehouse-2', 'postgres']);
    expect(services['gatehouse-2']?.environment).toMatchObject({
      GATEHOUSE_BASE_URL: 'https://gate.example.test',
      GATEHOUSE_DATABASE_URL: 'postgres://gatehouse:made-up@postgres:5432/gatehouse',
    });
    await expect(run('/usr/bin/docker-compose', argv, { env: { PATH: env.PATH } })).rejects.toThrow();
  });
});

describe('installation as a service', () => {
  const text = readFileSync(join(ROOT, 'ops/systemd/gatehouse.service'), 'utf8');

  it.each([
    'DynamicUser=yes',
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateDevices=yes',
    'SystemCallFilter=@system-service',
    'StateDirectoryMode=0700',
  ])('sets %s for hardening', (line) => {
    expect(text.split('\n')).toContain(line);
  });

  it('waits longer for the end than the program takes', () => {
    expect(text).toContain('TimeoutStopSec=20\n');
  });
});
