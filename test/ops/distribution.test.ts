/**
 * What registries and desktop clients are given: server.json against its published schema, and the desktop bundle,
 * which the full rounds pack, unpack and start as a client does. Packing asks the npm registry.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { McpbManifestAny } from '@anthropic-ai/mcpb';
import { getMcpConfigForManifest, v0_3 } from '@anthropic-ai/mcpb/node';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

function read(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, unknown>;
}

const { name, version, license } = read('package.json');
const server = read('server.json');
const manifest = read('ops/desktop-bundle/manifest.json') as unknown as McpbManifestAny;

describe('server.json for the MCP registry', () => {
  const check = formats
    .default(new Ajv({ strict: false }))
    .compile(read('test/ops/schemas/server.schema.json'));

  it('passes its schema, and names the package and its version', () => {
    expect(check(server), JSON.stringify(check.errors)).toBe(true);
    expect(server).toMatchObject({ version, packages: [{ identifier: name, version }] });
  });

  it('fails its schema when something is wrong', () => {
    expect(
      check({ ...server, packages: [{ registryType: 'npm', identifier: name, version: 'latest' }] }),
    ).toBe(false);
  });
});

describe('desktop bundle', () => {
  it('has a valid manifest of the version of the package', () => {
    expect(v0_3.McpbManifestSchema.safeParse(manifest).error).toBeUndefined();
    expect(manifest).toMatchObject({ name, version, license });
  });

  it.skipIf(!ROUNDS.full)(
    'starts from the packed file as a client starts it, and lists its tools',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundle-test-'));
      try {
        const file = join(folder, 'gatehouse.mcpb');
        await run(process.execPath, [join(ROOT, 'scripts/desktop-bundle.ts'), file], {
          maxBuffer: 100_000_000,
        });
        const unpacked = join(folder, 'unpacked');
        await run(join(ROOT, 'node_modules/.bin/mcpb'), ['unpack', file, unpacked], {
          maxBuffer: 100_000_000,
        });
        const config = await getMcpConfigForManifest({
          manifest: JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as McpbManifestAny,
          extensionPath: unpacked,
          systemDirs: { HOME: folder },
          userConfig: { read_only: true },
          pathSeparator: '/',
        });
        expect(config?.env).toEqual({
          GATEHOUSE_DATA_DIR: '~/.local/share/gatehouse',
          GATEHOUSE_MCP_TOOLSETS: 'default',
          GATEHOUSE_MCP_DISCOVERY: 'auto',
          GATEHOUSE_MCP_READ_ONLY: 'true',
        });
        const transport = new StdioClientTransport({
          command: process.execPath,
          args: config?.args ?? [],
          env: { ...config?.env, HOME: folder },
          stderr: 'ignore',
        });
        const client = new Client({ name: 'bundle-test', version: '1' });
        await client.connect(transport);
        const { tools } = await client.listTools();
        // Read-only, and instead of a list of more than 20,000 tokens.
        expect(tools.map((tool) => tool.name)).toEqual([
          'search_tools',
          'describe_tool',
          'call_tool',
          'gatehouse_accounts',
        ]);
        expect(tools.every((tool) => tool.annotations?.readOnlyHint === true)).toBe(true);
        await client.close();
        expect(existsSync(join(folder, '.local/share/gatehouse/gatehouse.db'))).toBe(true);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
