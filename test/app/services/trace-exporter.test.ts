import {
  trace,
  type Context,
  type Span as SdkSpan,
  type SpanContext,
  type SpanOptions,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTraceExport } from '../../../src/app/services/trace-exporter.ts';
import { asSpan, beginRequest, type Span } from '../../../src/core/telemetry/spans.ts';
import { statements } from '../../../src/core/telemetry/measured.ts';

interface Recorded {
  name: string;
  options: SpanOptions;
  parent: SpanContext | undefined;
  own: SpanContext;
  attributes: Record<string, unknown>;
  status?: unknown;
  endedAt?: unknown;
}

/** Stands in for the SDK, whose packages are not installed here. */
async function exporting(): Promise<Recorded[]> {
  const spans: Recorded[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, context?: Context): SdkSpan => {
    const parent = context && trace.getSpanContext(context);
    const number = String(spans.length + 1);
    const traceId = parent?.traceId ?? number.padStart(32, '0');
    const own = { traceId, spanId: number.padStart(16, '0'), traceFlags: parent?.traceFlags ?? 1 };
    const recorded: Recorded = { name, options, parent, own, attributes: {} };
    spans.push(recorded);
    const span: Pick<SdkSpan, 'spanContext' | 'setAttributes' | 'setAttribute' | 'setStatus' | 'end'> = {
      spanContext: () => own,
      setAttributes: (attributes) => {
        Object.assign(recorded.attributes, attributes);
        return span as SdkSpan;
      },
      setAttribute: (key, value) => {
        recorded.attributes[key] = value;
        return span as SdkSpan;
      },
      setStatus: (status) => {
        recorded.status = status;
        return span as SdkSpan;
      },
      end: (at) => {
        recorded.endedAt = at ?? 'now';
      },
    };
    return span as SdkSpan;
  };
  const tracer = { startSpan } as Pick<SdkTracer, 'startSpan'> as SdkTracer;
  const stop = await startTraceExport(async () => ({ tracer, shutdown: async () => {} }));
  onTestFinished(stop);
  return spans;
}

function requested(header?: string): Span {
  const span = beginRequest(header);
  if (span === undefined) throw new Error('nobody records spans');
  return span;
}

const CALLER = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;

describe('trace of a request', () => {
  it('continue the trace of the caller, and name themselves to providers', async () => {
    const spans = await exporting();
    const span = requested(CALLER);
    expect(spans[0]?.parent).toMatchObject({
      traceId: 'c'.repeat(32),
      spanId: 'd'.repeat(16),
      isRemote: true,
    });
    expect(span.traceparent).toBe(`00-${'c'.repeat(32)}-${spans[0]?.own.spanId}-01`);
  });

  it.each([
    '',
    'nonsense',
    CALLER.replace(/^00/, 'ff'),
    `${CALLER}-more`,
    CALLER.replace('c'.repeat(32), '0'.repeat(32)),
    CALLER.replace('d'.repeat(16), '0'.repeat(16)),
    CALLER.toUpperCase(),
  ])('begin a trace where the header is %s', async (header) => {
    const spans = await exporting();
    requested(header);
    expect(spans[0]?.parent).toBeUndefined();
  });

  it('belong to the span in which the work ran, with the times at which it ran', async () => {
    const spans = await exporting();
    const span = requested();
    const endedAt = performance.now();
    await span.run(async () =>
      asSpan(
        'call',
        async () => statements.tell({ sql: 'select 1', startedAt: endedAt - 250, endedAt }),
        () => ({ attributes: { 'gatehouse.tool_name': 'crm_search' } }),
      ),
    );
    span.end({ 'http.response.status_code': 503 }, '503');
    const [request, call, statement] = spans;
    expect(call).toMatchObject({ name: 'call', parent: request?.own, endedAt: 'now' });
    expect(statement).toMatchObject({ name: 'select', parent: call?.own });
    expect(Number(statement?.endedAt) - Number(statement?.options.startTime)).toBeCloseTo(250, 0);
    expect(Math.abs(Number(statement?.endedAt) - Date.now())).toBeLessThan(60_000);
    expect(request).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': '503' } });
  });

  it('leave out statements that no request caused', async () => {
    const spans = await exporting();
    statements.tell({ sql: 'select 1', startedAt: 1, endedAt: 2 });
    expect(spans).toEqual([]);
  });

  it('end with the process even if the receiver fails', async () => {
    const tracer = {} as SdkTracer;
    const failing = async () => ({ tracer, shutdown: async () => Promise.reject(new Error('gone')) });
    await (
      await startTraceExport(failing)
    )();
    expect(beginRequest(undefined)).toBeUndefined();
  });
});
