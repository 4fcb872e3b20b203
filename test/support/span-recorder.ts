/** A tracer that remembers spans, each with the one it belongs to. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';
import { traceWith, type Span, type SpanAttributes, type Tracer } from '../../src/core/telemetry/spans.ts';

export interface RecordedSpan {
  name: string;
  /** Names of the spans around it, the outermost first. */
  within: readonly string[];
  parent?: string | undefined;
  attributes: SpanAttributes;
  error?: string | undefined;
}

/** Records until the test ends. @returns the spans that have ended, in that order */
export function recordSpans(): RecordedSpan[] {
  const ended: RecordedSpan[] = [];
  const current = new AsyncLocalStorage<readonly string[]>();
  let begun = 0;
  const tracer: Tracer = {
    begin: (name, _kind, parent): Span => {
      const within = current.getStore() ?? [];
      const id = String(++begun).padStart(16, '0');
      return {
        traceparent: `00-${'a'.repeat(32)}-${id}-01`,
        run: (work) => current.run([...within, name], work),
        end: (attributes, error) => void ended.push({ name, within, parent, attributes, error }),
      };
    },
    add: ({ name, attributes, error }) =>
      void ended.push({ name, within: current.getStore() ?? [], attributes, error }),
  };
  onTestFinished(traceWith(tracer));
  return ended;
}
