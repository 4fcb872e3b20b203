/** Types for what trace-exporter.ts uses of OpenTelemetry's packages, which are installed only where they are used. */
declare module '@opentelemetry/sdk-trace' {
  import type { Tracer } from '@opentelemetry/api';

  export const BatchSpanProcessor: new (options: { exporter: object }) => object;
  export class TracerProvider {
    constructor(options: { resource: object; spanProcessors: object[] });
    getTracer(name: string, version: string): Tracer;
    shutdown(): Promise<void>;
  }
}
declare module '@opentelemetry/exporter-trace-otlp-proto' {
  /** Reads the variables `OTEL_EXPORTER_OTLP_…`. */
  export const OTLPTraceExporter: new () => object;
}
declare module '@opentelemetry/resources' {
  interface Resource {
    merge(other: Resource): Resource;
  }
  export const envDetector: object;
  export function defaultResource(): Resource;
  export function detectResources(options: { detectors: object[] }): Resource;
  export function resourceFromAttributes(attributes: Record<string, string>): Resource;
}
