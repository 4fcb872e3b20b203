/** The client side of the conformance suite: a whole Gatehouse connects accounts at its servers, and calls them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';
import { runSuite } from './suite.ts';

/** Required by both revisions. */
const COMMON = [
  'scope-step-up',
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
];

/** Required by 2026-07-28 alone. */
const MODERN = [
  'authorization-server-migration',
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
];

/** Servers of 2025-03-26, which no revision of today requires. */
const LEGACY = ['2025-03-26-oauth-metadata-backcompat', '2025-03-26-oauth-endpoint-fallback'];

/** In quick rounds one of each list: every one starts a whole program. */
const COUNT = ROUNDS.full ? undefined : 1;
const RUN = [
  ...[...COMMON.slice(0, COUNT), ...MODERN.slice(0, COUNT)].map((name) => [name, '2026-07-28']),
  ...(ROUNDS.full ? COMMON : []).map((name) => [name, '2025-11-25']),
  ...LEGACY.slice(0, COUNT).map((name) => [name, '2025-03-26']),
];

/** Longest run of the driver, in milliseconds. It starts a whole program, which a busy machine does slowly. */
const DRIVER_MS = '120000';

let results = '';

beforeAll(() => {
  results = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-client-results-'));
});
afterAll(() => rmSync(results, { recursive: true, force: true }));

describe('authorization of a remote MCP server', () => {
  it.each<[string, string[]]>([
    ...(ROUNDS.full ? ([['2025-11-25', COMMON]] satisfies [string, string[]][]) : []),
    ['2026-07-28', [...COMMON, ...MODERN]],
  ])('has every scenario of the suite that %s requires', async (revision, scenarios) => {
    const { output } = await runSuite(['list', '--client', '--requirements', revision]);
    // Lines that say `[client]` are of extensions, which nobody has to pass.
    const required = [...output.matchAll(/^ {2}- auth\/(\S+)$/gm)].map(([, name]) => name ?? '');
    expect(required.toSorted()).toEqual(scenarios.toSorted());
  });

  it.each(RUN)('passes the conformance scenario %s of %s', async (name = '', revision = '') => {
    const command = `${process.execPath} test/conformance/upstream-driver.ts`;
    const scenario = ['--scenario', `auth/${name}`, '--spec-version', revision];
    const { code, output } = await runSuite([
      'client',
      '--command',
      command,
      ...scenario,
      '--timeout',
      DRIVER_MS,
      '-o',
      results,
    ]);
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  });
});
