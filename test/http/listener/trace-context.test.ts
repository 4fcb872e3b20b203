import { describe, expect, it } from 'vitest';
import { continueTrace } from '../../../src/http/listener/trace-context.ts';

describe('trace context of a request (traceparent)', () => {
  it('keeps the trace and its flags and names this request as the parent', () => {
    const trace = continueTrace('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    expect(trace.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(trace.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(trace.traceparent).not.toContain('b7ad6b7169203331');
  });

  it('reads a later version as far as it is known', () => {
    const trace = continueTrace('cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes-next');
    expect(trace.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['an all-zero trace', '00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ['an all-zero parent', '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01'],
    ['upper case', '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01'],
    ['a forbidden version', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['more than version 00 has', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x'],
    ['two headers', ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x']],
    ['100 kB', `00-${'a'.repeat(100_000)}`],
  ])('starts a trace of its own for %s', (_name, header) => {
    const first = continueTrace(header);
    expect(first.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(first.traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
    expect(first.traceId).not.toBe(continueTrace(header).traceId);
  });
});
