/** The client side of the conformance suite: a whole Gatehouse connects accounts at its servers, and calls them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';
import { runSuite } from './suite.ts';

/** Required by 2026-07-28, whose suite has those of 2025-11-25 in it; two more for servers of 2025-03-26. */
const SCENARIOS = [
  'scope-step-up',
  'authorization-server-migration',
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

const LEGACY = ['2025-03-26-oauth-metadata-backcompat', '2025-03-26-oauth-endpoint-fallback'];

/** In quick rounds a few: each starts a whole program. */
const RUN = [
  ...SCENARIOS.slice(0, ROUNDS.full ? undefined : 2).map((name) => [name, '2026-07-28']),
  ...LEGACY.slice(0, ROUNDS.full ? undefined : 1).map((name) => [name, '2025-03-26']),
];

let results = '';

beforeAll(() => {
  results = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-client-results-'));
});
afterAll(() => rmSync(results, { recursive: true, force: true }));

describe('authorization of a remote MCP server', () => {
  it.each(RUN)('passes the conformance scenario %s of %s', async (name = '', revision = '') => {
    const command = `${process.execPath} test/conformance/upstream-driver.ts`;
    const scenario = ['--scenario', `auth/${name}`, '--spec-version', revision];
    const { code, output } = await runSuite(['client', '--command', command, ...scenario, '-o', results]);
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  });
});
