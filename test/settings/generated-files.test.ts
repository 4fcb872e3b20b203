import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generateConfigurationFiles } from '../../scripts/generate-configuration.ts';
import { problemsOf } from './settings-support.ts';

const repositoryFile = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('generated configuration files', () => {
  it.each(['gatehouse.schema.json', 'docs/configuration.md'])('match their sources: %s', (path) => {
    expect(generateConfigurationFiles().get(path)).toBe(repositoryFile(path));
  });

  it('name every documented variable', () => {
    const page = repositoryFile('docs/configuration.md');
    for (const name of [
      'GATEHOUSE_DATA_DIR',
      'GATEHOUSE_DATABASE_URL',
      'GATEHOUSE_MASTER_KEY',
      'GATEHOUSE_MASTER_KEY_FILE',
      'GATEHOUSE_ALLOW_PRIVATE_HOSTS',
      'GATEHOUSE_OUTBOUND_ALLOW_PRIVATE_HOSTS',
      'GATEHOUSE_CA_FILE',
      'GATEHOUSE_LIFETIMES_TOKEN',
      'GATEHOUSE_REFRESH_LEASE',
      'GATEHOUSE_MCP_READ_ONLY',
    ])
      expect(page).toContain(`\`${name}\``);
  });
});

describe('documentation of the settings', () => {
  it.each([
    ['retention.executions', 'From 1h to 3650d.'],
    ['inbound.max_body_bytes', 'From 1 kB to 100 MB.'],
    ['database.pool_size', 'From 1 to 1000.'],
    ['timeout_ms', 'From 100 to 30000.'],
  ])('names the range of %s', (key, range) => {
    const lines = generateConfigurationFiles().get('docs/configuration.md')?.split('\n');
    expect(lines?.find((line) => line.startsWith(`| \`${key}\``))).toContain(range);
  });
});

describe('JSON Schema of the settings', () => {
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(generateConfigurationFiles().get('gatehouse.schema.json') ?? '') as object,
  );

  it.each([
    ['port: 3000', true],
    ['port: ${PORT}', true],
    ['port: high', false],
    ['mcp: {read_only: "${RO}"}', true],
    ['lifetimes: {token: 1h}', true],
    ['lifetimes: {token: soon}', false],
    ['inbound: {max_body_bytes: 5 MB}', true],
    ['hots: a', false],
    ['connections: [{connector: crm, scopes: [a]}]', true],
    ['connections: [{name: crm}]', false],
  ])('decides about %s: %s', (yaml, valid) => {
    expect(validate(parse(yaml))).toBe(valid);
  });

  it('accepts the shipped example file', () => {
    expect(validate(parse(repositoryFile('gatehouse.example.yaml')))).toBe(true);
  });
});

/** Some picture of this repository that may be a logo. */
const LOGO = join(import.meta.dirname, '../fixtures/logo.svg');

describe('example settings gatehouse.example.yaml', () => {
  const example = repositoryFile('gatehouse.example.yaml');

  it('contains valid settings without a change', () => {
    expect(problemsOf({ yaml: example })).toEqual([]);
  });

  it('stays valid with every commented setting enabled', () => {
    const everything = example
      .replaceAll(/^( *)# ((?: *- )? *[a-z_]+:.*)$/gm, '$1$2')
      .replaceAll(/^( *)#( {3,}.*)$/gm, '$1$2')
      .replace('user_id: local', '')
      .replace('./company-ca.pem', '/etc/passwd')
      .replace('./logo.svg', LOGO)
      .replace('[./catalogs]', '[/tmp]');
    const env = Object.fromEntries(
      [
        'DATABASE_PASSWORD',
        'API_SECRET',
        'CRM_CLIENT_ID',
        'CRM_CLIENT_SECRET',
        'SMTP_PASSWORD',
        'PRODUCTION_SECRET',
      ].map((name) => [name, 'x']),
    );
    expect(problemsOf({ yaml: everything, env })).toEqual([]);
    expect(everything).toMatch(/^environments:/m);
    const missing = [...repositoryFile('docs/configuration.md').matchAll(/^\| `([a-z_.]+)` \| `GATEHOUSE/gm)]
      .map(([, path = '']) => [path, path.split('.').at(-1) ?? ''] as const)
      .filter(
        (names) => !names.some((name) => new RegExp(`^ *${name.replace('.', '\\.')}:`, 'm').test(everything)),
      )
      .map(([, key]) => key);
    expect(missing).toEqual(['master_key', 'user_id']);
  });
});
