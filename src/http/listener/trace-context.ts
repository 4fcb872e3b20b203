/**
 * W3C trace context: reads `traceparent` of a request and makes the one sent to providers and back to the caller. The
 * trace id is also the request id of the log. Where spans are recorded, they have made it (core/telemetry/spans.ts).
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
import { idBytes } from '../../core/ids.ts';

/** The trace of a request. */
export interface TraceContext {
  /** 32 hex digits, part of every log line of the request. */
  traceId: string;
  /** Header value that names this request as the parent of the requests it causes. */
  traceparent: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Continues the caller's trace, or starts one if the header is absent or invalid.
 *
 * A header of a later version is read as version 00, as the recommendation requires. An invalid one is ignored and
 * never refused, because a proxy in between may have made it.
 */
export function continueTrace(header: string | string[] | undefined): TraceContext {
  const parent = typeof header === 'string' ? parse(header) : undefined;
  const random = idBytes(24).toString('hex');
  const traceId = parent?.traceId ?? random.slice(0, 32);
  return { traceId, traceparent: `00-${traceId}-${random.slice(32)}-${parent?.flags ?? '00'}` };
}

/** The trace of a span that has begun. @param traceparent of the span */
export function traceOf(traceparent: string): TraceContext {
  return { traceId: traceparent.slice(3, 35), traceparent };
}

function parse(header: string): { traceId: string; flags: string } | undefined {
  const [, version, traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, flags };
}
