import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogFields } from '../../src/core/log.ts';
import { createLog } from '../../src/core/pino-log.ts';

function collect(
  level: 'debug' | 'info' | 'warn' | 'error',
  write: (log: ReturnType<typeof createLog>) => void,
) {
  const lines: string[] = [];
  write(createLog(level, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('log lines (pino)', () => {
  it('consist of JSON with level name, time, event and the fields', () => {
    const [line] = collect('info', (log) => log.warn('call_failed', { tool_name: 'a_b', duration_ms: 12 }));
    expect(line).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      event: 'call_failed',
      tool_name: 'a_b',
      duration_ms: 12,
    });
  });

  it('omit lines below the configured level', () => {
    const lines = collect('warn', (log) => {
      log.debug('a');
      log.info('b');
      log.warn('c');
      log.error('d');
    });
    expect(lines.map((line) => line['event'])).toEqual(['c', 'd']);
  });

  it('carry only the listed fields, as text and numbers', () => {
    const fields = {
      path: '/x',
      token: 'secret',
      status: { a: 'secret' },
      headers: ['secret'],
    } as unknown as LogFields;
    const [line] = collect('info', (log) => log.info('e', fields));
    expect(Object.keys(line ?? {}).sort()).toEqual(['event', 'level', 'path', 'time']);
  });

  it('show an unexpected error by name, message and stack frames of the sources', () => {
    const error = Object.assign(new TypeError('x is not a function'), {
      token: 'secret',
      response: { body: 'secret' },
    });
    const [line] = collect('info', (log) => log.error('unexpected', { err: error }));
    expect(line?.['err']).toEqual({
      name: 'TypeError',
      message: 'x is not a function',
      stack: expect.any(Array) as string[],
    });
    const { stack } = line!['err'] as { stack: string[] };
    expect(stack[0]).toContain('pino-log.test.ts');
    expect(stack.join()).not.toMatch(/node_modules|node:/);
    expect(JSON.stringify(line)).not.toContain('secret');
  });

  it('never quote the text that a parser could not read', () => {
    const unreadable = (): unknown => JSON.parse('{"access_token": secret}');
    const cause = Object.assign(new Error('secret'), { code: 'ECONNRESET' });
    const [first, second] = collect('info', (log) => {
      try {
        unreadable();
      } catch (err) {
        log.error('unexpected', { err });
      }
      log.error('unexpected', { err: new Error('call failed', { cause }) });
    });
    expect(JSON.stringify([first, second])).not.toContain('secret');
    expect(second?.['err']).toMatchObject({
      message: 'call failed',
      cause: { name: 'Error', code: 'ECONNRESET' },
    });
  });

  it('name only the type of a thrown value that is no error', () => {
    const [line] = collect('info', (log) => log.error('unexpected', { err: 'secret text' }));
    expect(line?.['err']).toEqual({ name: 'string' });
  });
});

describe.skipIf(!existsSync('/dev/full'))('log whose output cannot be written', () => {
  it('neither ends the process nor grows its memory', () => {
    const full = openSync('/dev/full', 'w');
    const child = spawnSync(
      process.execPath,
      ['--expose-gc', join(import.meta.dirname, 'children/many-lines.ts')],
      { stdio: ['ignore', 'pipe', full] },
    );
    closeSync(full);
    expect(child.status).toBe(0);
    expect(Number(child.stdout.toString())).toBeLessThan(2_000_000);
  });
});
