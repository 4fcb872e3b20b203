import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startForwarder } from './forwarder.ts';
import { startRealServer } from './real-server.ts';
import { runSuite } from './suite.ts';
import { TEST_TOOLS } from './test-tools.ts';

const close: (() => Promise<void> | void)[] = [];
let url = '';
let results = '';

beforeAll(async () => {
  const server = await startRealServer(TEST_TOOLS);
  const forwarder = await startForwarder(server.url, {
    authorization: `Bearer ${server.token}`,
    'gatehouse-user-id': 'conformance',
  });
  results = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-results-'));
  close.push(forwarder.close, server.close, () => rmSync(results, { recursive: true, force: true }));
  url = forwarder.url;
});

afterAll(async () => {
  for (const step of close) await step();
});

describe('MCP conformance suite', () => {
  it.each(['2026-07-28', '2025-11-25'])('passes for %s except for the baseline', async (revision) => {
    const baseline = fileURLToPath(new URL(`baseline-${revision}.yml`, import.meta.url));
    const target = ['server', '--url', url, '--requirements', revision];
    const { code, output } = await runSuite([...target, '--expected-failures', baseline, '-o', results]);
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(output).toContain('✓ tools-call-simple-text');
  });
});
