import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import type { Log, LogFields } from '../../../src/core/log.ts';
import { countingRefusals, type RefusalLog } from '../../../src/core/telemetry/refusal-log.ts';
import { ManualTimers } from '../../support/manual-timers.ts';

let lines: [level: string, event: string, fields: LogFields | undefined][];
let timers: ManualTimers;
let log: RefusalLog;

beforeEach(() => {
  lines = [];
  timers = new ManualTimers();
  const to = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push([level, event, fields]);
  const sink: Log = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
  log = countingRefusals(sink, timers);
});

const unauthorized = { method: 'GET', route: '/api/v1/tools', status: 401, environment_id: 'env_1' };
const times = (count: number, work: (index: number) => void): void => {
  for (let index = 0; index < count; index++) work(index);
};

describe('log lines of refusals', () => {
  it('begin with the first one at once, and count the others once a minute', () => {
    times(500, (index) => log.info('request', { ...unauthorized, trace_id: String(index), duration_ms: 1 }));
    expect(lines).toEqual([['info', 'request', { ...unauthorized, trace_id: '0', duration_ms: 1 }]]);
    timers.tick();
    expect(lines.slice(1)).toEqual([['info', 'request', { ...unauthorized, count: 499 }]]);
    times(3, () => log.info('request', unauthorized));
    expect(lines).toHaveLength(2);
    timers.tick();
    expect(lines.slice(2)).toEqual([['info', 'request', { ...unauthorized, count: 3 }]]);
  });

  it('begin again after a minute without one, and leave no timer behind', () => {
    log.info('request', unauthorized);
    timers.tick();
    expect(timers.repeated.size).toBe(0);
    log.info('request', unauthorized);
    expect(lines.map(([, , fields]) => fields?.count)).toEqual([undefined, undefined]);
  });

  it('keep apart who was refused, what was asked, and why', () => {
    const call = { actor: 'cred_1', tool_name: 'crm_search', status: 429, error_code: 'RATE_LIMITED' };
    for (const change of [{}, { actor: 'cred_2' }, { tool_name: 'crm_list' }, { status: 503 }])
      times(2, () => log.info('tool_call', { ...call, ...change }));
    expect(lines).toHaveLength(4);
    log.end();
    expect(lines.slice(4).map(([, , fields]) => fields?.count)).toEqual([1, 1, 1, 1]);
  });

  it('count the reasons of an outage by their message', () => {
    const gone = new ServiceError('UNAVAILABLE', 'The database cannot be reached.');
    const full = new ServiceError('UNAVAILABLE', 'The disk is full.');
    times(20, () => log.warn('unavailable', { err: gone, route: '/api/v1/tools' }));
    times(20, () => log.warn('unavailable', { err: full, route: '/api/v1/tools' }));
    expect(lines.map(([, , fields]) => fields?.err)).toEqual([gone, full]);
    timers.tick();
    expect(lines.slice(2)).toEqual(
      [19, 19].map((count) => ['warn', 'unavailable', { route: '/api/v1/tools', count }]),
    );
  });

  it.each([
    ['request', { route: '/api/v1/tools', status: 200 }],
    ['request', { route: '/api/v1/tools', status: 404 }],
    ['request', { route: '/api/v1/tools', status: 500 }],
    ['tool_call', { status: 403, error_code: 'TOOL_ERROR' }],
    ['tool_call', { status: 400, error_code: 'INVALID_ARGUMENT' }],
    ['token_refresh_failed', { status: 429 }],
  ])('leave %s with %o as it is', (event, fields) => {
    times(3, () => log.info(event, fields));
    expect(lines).toEqual([0, 1, 2].map(() => ['info', event, fields]));
  });

  it('leave out nothing at debug, and nothing after the end', () => {
    times(3, () => log.debug('request', unauthorized));
    log.info('request', unauthorized);
    log.end();
    expect(timers.repeated.size).toBe(0);
    times(3, () => log.info('request', unauthorized));
    expect(lines).toHaveLength(7);
  });

  it('stay few when thousands of callers are refused at once', () => {
    times(50_000, (index) => log.info('request', { ...unauthorized, actor: `usr_${index}` }));
    expect(lines).toHaveLength(1_001);
    expect(timers.repeated.size).toBe(1_001);
    timers.tick();
    expect(lines.at(-1)).toEqual(['info', 'request', { status: 401, count: 48_999 }]);
    expect(timers.repeated.size).toBe(1);
  });
});
