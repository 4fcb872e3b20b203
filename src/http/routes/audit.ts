/** The audit log over REST (docs/contract.md#bodies). It is append-only, so it can only be read. */
import { z } from '@hono/zod-openapi';
import type { AuditFilter, AuditLog } from '../../api-credentials/audit-log.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { pageAnswerShape, pageOf, pageShape, text, timestamp } from '../api/schemas.ts';

const path = '/api/v1/audit';
const tag = 'Audit';

const time = z.iso
  .datetime({ offset: true, error: 'Must be a date and time such as 2026-01-31T12:00:00Z.' })
  .optional();

const filterShape = {
  actor: text(100, 'Who: `usr_…`, `cred_…`, or `local`.').optional(),
  action: text(100, '`connection.update`, or `connection.` for everything done to connections.').optional(),
  target: text(200, 'Id of what was acted on.').optional(),
  from: time.openapi({ format: 'date-time', description: 'Not before this time.' }),
  until: time.openapi({ format: 'date-time', description: 'Before this time.' }),
};

const line = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.string(),
    action: z.string(),
    target: z.string(),
    ip: z.string().openapi({ description: 'Empty when there is none.' }),
  })
  .openapi('AuditLine');

/** Services that the routes of the audit log use. */
export interface AuditServices {
  auditLog: Pick<AuditLog, 'list' | 'lines'>;
}

/** Adds the routes of the audit log. */
export function addAuditRoutes(endpoints: Endpoints, { auditLog }: AuditServices): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List the audit log, newest first.',
      access: { unbound: 'admin' },
      query: z.strictObject({ ...filterShape, ...pageShape }),
      answer: z.object({ audit: z.array(line), ...pageAnswerShape }),
    },
    ({ caller, query }) => auditLog.list(caller, filterOf(query), pageOf(query)),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}:export`,
      tag,
      summary: 'Export the audit log as JSON lines, newest first.',
      access: { unbound: 'admin' },
      query: z.strictObject(filterShape),
      answer: z.string(),
    },
    async ({ caller, query }) =>
      new Response(
        ReadableStream.from(auditLog.lines(caller, filterOf(query))).pipeThrough(new TextEncoderStream()),
        { headers: { 'content-type': 'application/jsonl; charset=utf-8' } },
      ),
  );
}

function filterOf(query: {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}): AuditFilter {
  const { actor, action, target } = query;
  const at = (value: string | undefined): number | undefined =>
    value === undefined ? undefined : Date.parse(value);
  return { actor, action, target, from: at(query.from), until: at(query.until) };
}
