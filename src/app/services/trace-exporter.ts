/**
 * Exports spans over OTLP, with OpenTelemetry's own packages. Loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set
 * (docs/operations.md#traces).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as SdkSpan,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { codeOf, ServiceError } from '../../core/errors.ts';
import { traceWith, type Span, type SpanAttributes, type Tracer } from '../../core/telemetry/spans.ts';
import { programVersion } from '../../core/program-version.ts';

const PACKAGES = [
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
];

/** Longest wait for the last spans at the end of the process. */
const LAST_SPANS_MS = 2_000;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Starts to export the spans of this process.
 *
 * @returns a function that sends the last ones and stops
 * @throws ServiceError UNAVAILABLE that says which packages to install
 */
export async function startTraceExport(
  load: () => Promise<SdkParts> = loadSdk,
): Promise<() => Promise<void>> {
  const { tracer, shutdown } = await load();
  const stop = traceWith(new ContextTracer(tracer));
  return async () => {
    stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_SPANS_MS);
    });
    // A receiver that is gone must not fail the stop.
    await Promise.race([shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  };
}

/** The used parts of the packages. */
export interface SdkParts {
  tracer: SdkTracer;
  shutdown: () => Promise<void>;
}

async function loadSdk(): Promise<SdkParts> {
  try {
    const [sdk, exporter, resources] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/resources'),
    ]);
    const version = programVersion();
    const ours = { 'service.name': 'gatehouse', 'service.version': version };
    const provider = new sdk.TracerProvider({
      resource: resources
        .defaultResource()
        .merge(resources.resourceFromAttributes(ours))
        .merge(resources.detectResources({ detectors: [resources.envDetector] })),
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() })],
    });
    return {
      tracer: provider.getTracer('gatehouse', version),
      shutdown: async () => provider.shutdown(),
    };
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ServiceError(
      'UNAVAILABLE',
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages that export traces are not installed. Run npm install ${PACKAGES.join(' ')} where Gatehouse is installed, or unset the variable.`,
      { cause: error },
    );
  }
}

/** Our spans as those of the SDK. What runs in a span finds it in the asynchronous context. */
class ContextTracer implements Tracer {
  readonly #tracer: SdkTracer;
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(tracer: SdkTracer) {
    this.#tracer = tracer;
  }

  begin(name: string, kind: 'server' | 'internal', parent?: string): Span {
    const around = kind === 'server' ? parentContext(parent) : (this.#current.getStore() ?? ROOT_CONTEXT);
    const span = this.#tracer.startSpan(
      name,
      { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL },
      around,
    );
    const inside = trace.setSpan(around, span);
    return {
      traceparent: traceparentOf(span),
      run: (work) => this.#current.run(inside, work),
      end: (attributes, error) => end(span, { attributes, error }),
    };
  }

  add({ name, startedAt, endedAt, attributes, error }: Parameters<Tracer['add']>[0]): void {
    const around = this.#current.getStore();
    // Work that no request caused, such as polling, would be a trace of one span each time.
    if (around === undefined) return;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: startedAt }, around);
    end(span, { attributes, error, at: endedAt });
  }
}

function end(
  span: SdkSpan,
  { attributes, error, at }: { attributes: SpanAttributes; error?: string | undefined; at?: number },
): void {
  span.setAttributes(attributes);
  if (error !== undefined) {
    span.setAttribute('error.type', error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(at);
}

function parentContext(header: string | undefined): Context {
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(header ?? '') ?? [];
  const isUnknown = version === undefined || version === 'ff' || (version === '00' && rest !== undefined);
  if (isUnknown || traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const { traceId: noTrace, spanId: noSpan } = INVALID_SPAN_CONTEXT;
  if (traceId === noTrace || spanId === noSpan) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags ?? '0', 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function traceparentOf(span: SdkSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
