/** The stand-in CRM: every operation of the real one used by the crm tools, answered from stored state. */
import { Hono, type Context } from 'hono';
import type { Grant, Grants, OAuthApp } from '../oauth/grants.ts';
import { commentRoutes } from './comment-routes.ts';
import type { CrmEnv } from './exchange.ts';
import { listRoutes } from './list-routes.ts';
import { WORKSPACE } from './model.ts';
import { noteRoutes } from './note-routes.ts';
import { optionRoutes } from './option-routes.ts';
import { recordRoutes } from './record-routes.ts';
import { recordWriteRoutes } from './record-write-routes.ts';
import { recordingRoutes } from './recording-routes.ts';
import { CrmRefusal, invalid, notFound } from './refusal.ts';
import { schemaRoutes } from './schema-routes.ts';
import { taskRoutes } from './task-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';
import type { Workspace } from './workspace.ts';

/** A valid token and its grant. */
interface LiveToken {
  grant: Grant;
  /** Unix milliseconds; null means never. */
  expiresAt: number | null;
}

/** `/v2/…` and `/oauth/introspect`, which accept only tokens of `grants`. */
export function crmRoutes(options: { app: OAuthApp; grants: Grants; workspace: Workspace }): Hono<CrmEnv> {
  const { app, grants, workspace } = options;
  const routes = new Hono<CrmEnv>();
  routes.onError((error, c) => renderRefusal(c, error));

  const describeToken = (c: Context<CrmEnv>) => {
    const token = sentToken(c);
    const live = grants.find(token);
    if (live === undefined && !grants.isAccessToken(token)) throw invalid('This is no access token.');
    return c.json(live === undefined ? { active: false } : self(live, app));
  };
  routes.get('/v2/self', describeToken);
  routes.post('/oauth/introspect', describeToken);

  routes.use('/v2/*', async (c, next) => {
    const live = grants.find(sentToken(c));
    if (live === undefined) throw unauthorized('The access token is unknown, expired or revoked.');
    c.set('scopes', app.scopes);
    c.set('actor', { type: 'workspace-member', id: live.grant.memberId });
    await next();
  });
  for (const part of [
    schemaRoutes,
    optionRoutes,
    recordRoutes,
    recordWriteRoutes,
    listRoutes,
    taskRoutes,
    noteRoutes,
    commentRoutes,
    workspaceRoutes,
    recordingRoutes,
  ])
    routes.route('/', part(workspace));
  routes.all('/v2/*', (c) => {
    throw notFound('operation', `${c.req.method} ${c.req.path}`);
  });
  return routes;
}

/** Reads the token, sent as a bearer token or as the user name of HTTP Basic. @throws CrmRefusal 401 */
function sentToken(c: Context): string {
  const [, scheme = '', sent = ''] = /^(Bearer|Basic) (.+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  if (sent === '') throw unauthorized('Send an access token in the Authorization header.');
  return scheme.toLowerCase() === 'bearer'
    ? sent
    : (Buffer.from(sent, 'base64').toString().split(':')[0] ?? '');
}

function unauthorized(message: string): CrmRefusal {
  return new CrmRefusal(401, 'unauthorized', message);
}

/** Not wrapped in `data`, unlike everything else. */
function self({ grant, expiresAt }: LiveToken, app: OAuthApp): object {
  return {
    active: true,
    scope: app.scopes.join(' '),
    client_id: app.clientId,
    token_type: 'Bearer',
    exp: expiresAt === null ? null : Math.floor(expiresAt / 1000),
    iat: Math.floor(grant.grantedAt / 1000),
    sub: WORKSPACE.id,
    aud: app.clientId,
    iss: 'attio.com',
    authorized_by_workspace_member_id: grant.memberId,
    workspace_id: WORKSPACE.id,
    workspace_name: WORKSPACE.name,
    workspace_slug: WORKSPACE.slug,
    workspace_logo_url: null,
  };
}

/** Creating a comment spells the status differently from all other operations, as with the real provider. */
function renderRefusal(c: Context, error: unknown): Response {
  const refusal = error instanceof CrmRefusal ? error : undefined;
  const status = refusal?.status ?? 500;
  const isComment = c.req.method === 'POST' && c.req.path === '/v2/comments';
  return c.json(
    {
      [isComment ? 'statusCode' : 'status_code']: status,
      type: refusal?.type ?? 'api_error',
      code: refusal?.code ?? 'internal_error',
      message: refusal?.message ?? 'The sandbox failed. This is a defect.',
    },
    status,
  );
}
