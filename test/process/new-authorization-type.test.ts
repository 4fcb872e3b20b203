/**
 * A new authorization type is two files, and one line in each of two tables. The test adds one to a copy of the
 * repository, checks the types of the copy, and connects an account with it.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect } from '../mcp/real-processes.ts';
import { freePort } from '../support/deployment/server-process.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startStandIn, type StandIn } from '../support/stand-in.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

/** The new type: a session, stored in a variant of its own and sent in the header that a block of its own names. */
const NEW_FILES = {
  'src/authorization-types/session-header.ts': `
/** SESSION_HEADER: a session in a header of the provider's own. */
import type * as z from 'zod';
import { word } from './block-shapes.ts';
import { isFilled } from './credentials.ts';
import type { AuthorizationTypeFacts, Zod } from './facts.ts';

declare module './credentials.ts' {
  interface AuthorizationDetails {
    shop_session?: { session?: string };
  }
}

const block = (z: Zod) =>
  z.strictObject({ header: word(z, /^[A-Za-z0-9-]{1,64}$/, 'a header name', 'Header of the session.') });

/** The facts of SESSION_HEADER. */
export const sessionHeader = {
  block,
  purpose: 'which header carries the session',
  requiredFields: ['session'],
  needsNoOperator: ({ header }) => header !== '',
  credentials: { variant: 'shop_session', writable: { session: { kind: 'secret' } } },
  missing: ({ details }) => (isFilled(details.shop_session?.session) ? [] : ['shop_session.session']),
} satisfies AuthorizationTypeFacts<z.output<ReturnType<typeof block>>>;
`,
  'src/credentials/schemes/session-header.ts': `
/** SESSION_HEADER: a stored session in the header that the connector names. */
import type { AuthOf } from '../../catalog/model/types.ts';
import type { Scheme } from './scheme.ts';

/** The scheme of SESSION_HEADER. */
export const sessionHeader: Scheme<AuthOf<'SESSION_HEADER'>> = {
  connect: () => 'form',
  detailsOf: ({ session = '' }) => ({ shop_session: { session } }),
  attach({ details, auth: { session_header: rules } }) {
    const session = details.shop_session?.session ?? '';
    return { headers: { [rules.header]: session }, query: [], secrets: [session] };
  },
};
`,
};

/** A connector that uses it. */
const CATALOG = {
  'shop/connector.yaml': `
name: shop
title: Shop
description: Orders of a shop.
hosts:
  - url: https://api.shop.example
auth:
  - type: SESSION_HEADER
    fields:
      - name: session
        label: Session
        input: password
    session_header:
      header: x-shop-session
`,
  'shop/orders.yaml': `
connector: shop
tools:
  - name: shop_orders_list
    title: List orders
    description: Lists the orders of the shop, newest first.
    effect: read
    source:
      url: https://api.shop.example/docs
      checked: '2026-11-20'
    request:
      method: GET
      path: /orders
`,
};

describe.runIf(ROUNDS.full)('authorization type added in two files', () => {
  let copy: string;
  let dir: string;
  let provider: StandIn;
  let env: Record<string, string>;

  beforeAll(async () => {
    [copy, dir] = [mkdtempSync(join(tmpdir(), 'gatehouse-copy-')), mkdtempSync(join(tmpdir(), 'gatehouse-'))];
    for (const part of ['src', 'sandbox', 'bin', 'catalogs', 'package.json'])
      cpSync(join(REPOSITORY, part), join(copy, part), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
    const tsconfig = readFileSync(join(REPOSITORY, 'tsconfig.json'), 'utf8');
    writeFileSync(join(copy, 'tsconfig.json'), tsconfig.replace(/"include": \[.*\]/, '"include": ["src"]'));
    addFiles(copy, NEW_FILES);
    addToTable('src/authorization-types/index.ts');
    addToTable('src/credentials/schemes/index.ts');
    provider = await startStandIn(({ path }) => ({ json: { path } }));
    addFiles(join(dir, 'catalog'), CATALOG);
    const settings = {
      data_dir: 'data',
      catalog_dirs: ['catalog'],
      outbound: { allow_private_hosts: ['127.0.0.1'] },
      connections: [{ connector: 'shop', overrides: { base_url: provider.origin } }],
    };
    writeFileSync(join(dir, 'gatehouse.yaml'), JSON.stringify(settings));
    env = {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      GATEHOUSE_CONFIG: join(dir, 'gatehouse.yaml'),
      GATEHOUSE_PORT: String(await freePort()),
    };
  });

  afterAll(async () => {
    await provider.close();
    for (const folder of [copy, dir]) rmSync(folder, { recursive: true, force: true });
  });

  /** One line at the end of a table, and the import that it needs. */
  function addToTable(path: string): void {
    const text = readFileSync(join(copy, path), 'utf8');
    const [before, after, ...more] = text.split('\n  NO_AUTH: noAuth,\n');
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`no table in ${path}`);
    const start = before.indexOf('\nimport ');
    const line = "\nimport { sessionHeader } from './session-header.ts';";
    const table = '\n  NO_AUTH: noAuth,\n  SESSION_HEADER: sessionHeader,\n';
    writeFileSync(join(copy, path), before.slice(0, start) + line + before.slice(start) + table + after);
  }

  async function run(program: string, args: readonly string[], typed = '') {
    return collect(spawn(process.execPath, [join(copy, program), ...args], { cwd: dir, env }), typed);
  }

  it('has the types that its two files and two lines need', async () => {
    const { code, stdout } = await run('node_modules/typescript/bin/tsc', ['-p', copy]);
    expect([code, stdout]).toEqual([0, '']);
  });

  it('connects an account and sends its credential with a call', async () => {
    const connected = await run('bin/gatehouse.js', ['connect', 'shop'], 's-7\n');
    expect([connected.code, connected.stdout]).toEqual([0, expect.stringContaining('is connected')]);
    const called = await run('bin/gatehouse.js', ['tools', 'call', 'shop_orders_list']);
    expect(JSON.parse(called.stdout)).toEqual({ path: '/orders' });
    expect(provider.at('/orders').map(({ headers }) => headers['x-shop-session'])).toEqual(['s-7']);
  });

  it('reports a connector without the block of the type', async () => {
    const broken = CATALOG['shop/connector.yaml'].replace(/ {4}session_header:\n.*\n/, '');
    addFiles(join(dir, 'broken'), { ...CATALOG, 'shop/connector.yaml': broken });
    const { code, stdout, stderr } = await run('bin/gatehouse.js', ['catalog', 'check', join(dir, 'broken')]);
    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`).toContain(
      'SESSION_HEADER needs session_header: which header carries the session',
    );
  });
});

function addFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text.trimStart());
  }
}
