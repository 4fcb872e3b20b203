/**
 * A provider that misbehaves is contained (docs/security.md#misbehaving-provider), and a write is never repeated unless
 * it was certainly not processed (docs/security.md#writes-not-repeated): real processes, every fault with every effect.
 */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, TOOLS, type ToolEffect } from './faults/catalog.ts';
import {
  FaultDeployment,
  type FaultConnector,
  type ProxiedAnswer,
  type TimedAnswer,
} from './faults/fault-deployment.ts';
import { ROUNDS } from '../support/rounds.ts';

const DEADLINE_MS = 4_000;
const MAX_GROWTH_BYTES = 100_000_000;

/** The fault, what we answer, our word for it, and how often a read is sent. `passed`: the proxy gives it back as it is. */
const FAULTS: readonly [fault: string, status: number, code: string, reads: number, passed?: 'passed'][] = [
  ['hang', 504, 'PROVIDER_TIMEOUT', 1],
  ['drip', 504, 'PROVIDER_TIMEOUT', 1],
  ['drip_head', 504, 'PROVIDER_TIMEOUT', 1],
  ['interim_flood', 502, 'PROVIDER_ANSWER_UNREADABLE', 1],
  ['headers_only', 504, 'PROVIDER_TIMEOUT', 1],
  ['reset', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['close', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['reset_in_head', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['reset_in_body', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['truncated', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['truncated_chunk', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['no_last_chunk', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['chunked_garbage', 502, 'PROVIDER_ANSWER_UNREADABLE', 1],
  ['garbage', 502, 'PROVIDER_ANSWER_UNREADABLE', 1],
  ['two_lengths', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['length_and_chunks', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['length_too_long', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['length_too_short', 502, 'PROVIDER_ANSWER_UNREADABLE', 1, 'passed'],
  ['length_nonsense', 502, 'PROVIDER_ANSWER_UNREADABLE', 1],
  ['huge_headers', 502, 'PROVIDER_ANSWER_UNREADABLE', 1],
  ['huge_body', 502, 'PROVIDER_ANSWER_TOO_LARGE', 1],
  ['huge_body_announced', 502, 'PROVIDER_ANSWER_TOO_LARGE', 1],
  ['bomb', 502, 'PROVIDER_ANSWER_TOO_LARGE', 1],
  ['damaged_gzip', 502, 'PROVIDER_ANSWER_UNREADABLE', 1],
  ['unknown_coding', 502, 'PROVIDER_ANSWER_UNREADABLE', 1],
  ['html', 502, 'PROVIDER_ANSWER_UNREADABLE', 1, 'passed'],
  ['half_json', 502, 'PROVIDER_ANSWER_UNREADABLE', 1, 'passed'],
  ['nul_bytes', 502, 'PROVIDER_ANSWER_UNREADABLE', 1, 'passed'],
  ['endless_nesting', 502, 'PROVIDER_ANSWER_UNREADABLE', 1, 'passed'],
  ['upgrade', 502, 'PROVIDER_CONNECTION_LOST', 3],
  ['redirect', 502, 'HTTP_302', 1, 'passed'],
  ['redirect_kept', 502, 'HTTP_307', 1, 'passed'],
  ['server_error', 502, 'HTTP_500', 1, 'passed'],
  ['gateway_error', 502, 'HTTP_502', 3, 'passed'],
  ['unavailable', 502, 'HTTP_503', 3, 'passed'],
  ['come_back_tomorrow', 502, 'HTTP_503', 1, 'passed'],
  ['too_many', 429, 'HTTP_429', 3, 'passed'],
  ['nonsense_status', 502, 'HTTP_999', 1, 'passed'],
  ['echo_refused', 502, '[secret]', 1, 'passed'],
];

/** Those that last until the deadline. */
const SLOW = new Set(['hang', 'drip', 'drip_head', 'headers_only']);

/** Answers that are odd, and answers all the same. */
const ODD: readonly [fault: string, data: unknown][] = [
  ['old_http', { ok: true }],
  ['until_close', { ok: true }],
  ['no_content_with_body', null],
  ['interim_then_fine', { ok: true }],
  ['wrong_type', { ok: true }],
  ['answers_twice', { ok: true }],
  // As every web browser reads it: what is no UTF-8 is one U+FFFD each.
  ['invalid_utf8', { ok: '\ufffd\ufffd' }],
];

/** Connectors whose provider never gets a request, and our words for it. */
const UNREACHED: readonly [FaultConnector, ...string[]][] = [
  ['refusing', 'PROVIDER_UNREACHABLE'],
  ['babbling', 'PROVIDER_CERTIFICATE'],
  ['untrusted', 'PROVIDER_CERTIFICATE'],
  // Who is cut off may have begun to write by then.
  ['cutting', 'PROVIDER_UNREACHABLE', 'PROVIDER_CONNECTION_LOST'],
];

/** More than anybody could hold. */
const HUGE = ['huge_body', 'huge_body_announced', 'bomb'];

const HAS_PEAKS = existsSync('/proc/self/clear_refs');

const EFFECTS = Object.keys(TOOLS) as ToolEffect[];

interface Outcome {
  called: Record<ToolEffect, TimedAnswer>;
  proxied: ProxiedAnswer;
}

let deployment: FaultDeployment;
let slackMs: number;
const outcomes = new Map<string, Outcome>();
let counts: Record<string, number>;
/** Bytes by which the server's memory grew when it met a fault for the first time. */
const firstGrowth = new Map<string, number>();

/** Every effect at once, and the proxy with a method that is counted apart. */
async function sendAll(fault: string): Promise<void> {
  const answers = EFFECTS.map(async (effect) => [effect, await deployment.call('faulty', effect, fault)]);
  const proxied = deployment.proxied('faulty', 'PUT', fault);
  const called = Object.fromEntries(await Promise.all(answers)) as Outcome['called'];
  outcomes.set(fault, { called, proxied: await proxied });
}

beforeAll(async () => {
  deployment = await FaultDeployment.start({ timeout: '4s', headers_timeout: '2s', connect_timeout: '2s' });
  for (let n = 0; n < 5; n++) await deployment.call('healthy', 'read');
  slackMs = ROUNDS.full ? 1_000 : 1_000 + deployment.server.slackMs;
  if (HAS_PEAKS) for (const fault of HUGE) firstGrowth.set(fault, await growthBy(fault));
  const quick = [...FAULTS, ...ODD].map(([fault]) => fault).filter((fault) => !SLOW.has(fault));
  const lane = async (): Promise<void> => {
    for (let fault = quick.shift(); fault !== undefined; fault = quick.shift()) await sendAll(fault);
  };
  // The full rounds measure how long each takes, so nothing else runs meanwhile.
  const slow = Promise.all([...SLOW].map(sendAll));
  if (ROUNDS.full) await slow;
  await Promise.all([slow, lane(), lane()]);
  counts = await deployment.counts();
});

afterAll(() => deployment?.close());

async function growthBy(fault: string): Promise<number> {
  const before = deployment.resetPeak();
  await deployment.call('faulty', 'read', fault);
  return deployment.peak() - before;
}

/** Of calls of the healthy provider, in milliseconds. */
async function p95(calls: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const { status, tookMs } = await deployment.call('healthy', 'read');
    expect(status).toBe(200);
    times.push(tookMs);
  }
  return times.toSorted((a, b) => a - b)[Math.ceil(calls * 0.95) - 1] ?? Infinity;
}

function outcomeOf(fault: string): Outcome {
  return outcomes.get(fault) ?? expect.fail(`${fault} was not sent`);
}

describe('faults of a provider', () => {
  it.each(FAULTS)('%s becomes the error %i %s whatever the effect, in time', (fault, status, code) => {
    for (const answer of Object.values(outcomeOf(fault).called)) {
      expect([answer.status, answer.body.details?.[0]?.tool_error?.code]).toEqual([status, code]);
      expect(answer.body.details?.[0]?.error_code).toBe('TOOL_ERROR');
      expect(answer.tookMs).toBeLessThan(DEADLINE_MS + slackMs);
    }
  });

  it.each(FAULTS)('%s passes through the proxy or becomes an error', (...[fault, , code, , passed]) => {
    const { proxied } = outcomeOf(fault);
    expect(proxied.isProviders).toBe(passed !== undefined);
    if (passed === undefined) {
      expect([502, 504]).toContain(proxied.status);
      expect(proxied.text).toContain(`"code":"${code}"`);
    }
    expect(proxied.tookMs).toBeLessThan(DEADLINE_MS + slackMs);
  });

  it.each(FAULTS)('%s causes a retry of a read only', (fault, _status, _code, reads) => {
    const first = firstGrowth.has(fault) ? 1 : 0;
    const sent = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'].map((method) => counts[`${method} /${fault}`]);
    expect(sent).toEqual([reads + first, 1, 1, 1, 1]);
  });

  it.each(ODD)('%s still counts as an answer', (fault, data) => {
    for (const answer of Object.values(outcomeOf(fault).called)) {
      expect([answer.status, answer.body.data]).toEqual([200, data]);
    }
  });

  it.each(['echo', 'echo_refused'])('masks the credential that the provider repeats: %s', async (fault) => {
    const called = await Promise.all(EFFECTS.map(async (effect) => deployment.call('faulty', effect, fault)));
    const proxied = await deployment.proxied('faulty', 'POST', fault);
    const base64 = Buffer.from(`user:${API_KEY}`).toString('base64');
    for (const text of [...called.map((answer) => answer.text), proxied.text]) {
      expect(text).not.toContain(API_KEY);
      expect(text).not.toContain(base64.slice(8, -4));
      expect(text).toContain('[secret]');
    }
    expect(proxied.headers).not.toContain(API_KEY);
  });

  it('sends a write only once when the provider refuses the credential at once (401)', async () => {
    const { status, body } = await deployment.call('refused', 'create', 'early_401');
    expect([status, body.details?.[0]?.error_code]).toEqual([502, 'TOOL_ERROR']);
    expect((await deployment.counts())['POST /early_401']).toBe(1);
  });

  it('retries a read after a broken connection, and not a write', async () => {
    expect((await deployment.call('faulty', 'read', 'reset_then_fine')).status).toBe(200);
    expect((await deployment.call('faulty', 'create', 'reset_then_fine')).status).toBe(502);
    expect(await deployment.counts()).toMatchObject({
      'GET /reset_then_fine': 2,
      'POST /reset_then_fine': 1,
    });
  });

  it('causes no defect of the program', () => {
    expect(deployment.server.output.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual(
      [],
    );
  });
});

describe('unreachable provider', () => {
  it.each(UNREACHED)('%s becomes the error 502 %s', async (connector, ...codes) => {
    const before = await deployment.counts();
    const answers = await Promise.all(EFFECTS.map(async (effect) => deployment.call(connector, effect)));
    for (const { status, body, tookMs } of answers) {
      expect(status).toBe(502);
      expect(codes).toContain(body.details?.[0]?.tool_error?.code);
      expect(tookMs).toBeLessThan(DEADLINE_MS + slackMs);
    }
    expect(await deployment.counts()).toEqual(before);
  });
});

describe.skipIf(!HAS_PEAKS)('memory under faults of a provider', () => {
  it.each(HUGE)('grows by less than 100 MB when %s comes for the first time', (fault) => {
    expect(firstGrowth.get(fault)).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it.each([...HUGE, 'endless_nesting'])(
    'grows by less than 100 MB when %s comes again and again',
    async (fault) => {
      const before = deployment.resetPeak();
      for (let n = 0; n < (ROUNDS.full ? 10 : 3); n++) await deployment.call('faulty', 'create', fault);
      expect(deployment.peak() - before).toBeLessThan(MAX_GROWTH_BYTES);
    },
  );
});

describe('healthy connector next to a broken one', () => {
  /** Runs `work` while the other one misbehaves in nine ways. @returns how often it has hung until the deadline */
  async function besideTrouble(work: () => Promise<void>): Promise<number> {
    const over = new AbortController();
    let hung = 0;
    const misbehave = async (fault: string): Promise<void> => {
      while (!over.signal.aborted) {
        const [{ status }] = await Promise.all([deployment.call('faulty', 'create', fault), delay(100)]);
        if (status === 504) hung += 1;
      }
    };
    const faults = ['hang', 'drip', 'headers_only', 'reset', 'truncated', 'garbage', 'html', 'hang', 'drip'];
    const misbehaving = faults.map(misbehave);
    try {
      await work();
      return hung;
    } finally {
      over.abort();
      await Promise.all(misbehaving);
    }
  }

  it('answers while another connector misbehaves, without delay', async () => {
    const hung = await besideTrouble(async () => {
      for (let n = 0; n < 100; n++) expect((await deployment.call('healthy', 'read')).status).toBe(200);
    });
    // Were each to wait for one that hangs, there would be a hundred of them.
    expect(hung).toBeLessThan(50);
  });

  it.runIf(ROUNDS.full)('has a p95 of less than three times its own then', { retry: 4 }, async () => {
    const before = await p95(200);
    let beside = Infinity;
    await besideTrouble(async () => {
      beside = await p95(200);
    });
    const alone = Math.max(before, await p95(200));
    expect(beside).toBeLessThan(Math.max(3 * alone, 50));
  });
});
