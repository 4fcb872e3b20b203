/** The audit log over REST (docs/contract.md#bodies). It is append-only, so it can only be read. */
import { z } from '@hono/zod-openapi';
import type { AuditLog } from '../../api-credentials/audit-log.ts';
import type { Endpoints } from '../api/endpoint.ts';
import {
  listed,
  pageAnswerShape,
  pageOf,
  pageShape,
  shown,
  text,
  timeFilter,
  timestamp,
} from '../api/schemas.ts';

const path = '/api/v1/audit';
const tag = 'Audit';

const filterShape = {
  actor: text(100, 'Who: `usr_…`, `cred_…`, or `local`.').optional(),
  action: text(100, '`connection.update`, or `connection.` for everything done to connections.').optional(),
  target: text(200, 'Id of what was acted on.').optional(),
  from: timeFilter('Not before this time.'),
  until: timeFilter('Before this time.'),
};

const line = z
  .object({
    id: shown('Id of the line.'),
    at: timestamp.openapi({ description: 'When it was done.' }),
    actor: shown('Who did it: `usr_…`, `cred_…` or `local`.'),
    action: shown('What was done.'),
    target: shown('Id of what it was done to.'),
    ip: z.string().openapi({ description: 'Empty when there is none.' }),
  })
  .openapi('AuditLine', { description: 'One line of the audit log.' });

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
      operationId: 'listAuditLines',
      tag,
      summary: 'List the audit log, newest first.',
      access: { unbound: 'admin' },
      query: z.strictObject({ ...filterShape, ...pageShape }),
      answer: z.object({ audit: listed(line), ...pageAnswerShape }),
    },
    ({ caller, query: { page_size, page_token, ...filter } }) =>
      auditLog.list(caller, filter, pageOf({ page_size, page_token })),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}:export`,
      operationId: 'exportAuditLines',
      tag,
      summary: 'Export the audit log as JSON lines, newest first.',
      access: { unbound: 'admin' },
      query: z.strictObject(filterShape),
      answer: z.string(),
    },
    async ({ caller, query }) =>
      new Response(ReadableStream.from(auditLog.lines(caller, query)).pipeThrough(new TextEncoderStream()), {
        headers: { 'content-type': 'application/jsonl; charset=utf-8' },
      }),
  );
}
