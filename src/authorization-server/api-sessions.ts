/**
 * Sessions in the REST API: an application vouches for a user it knows and gets tokens that stand for this user.
 * Sessions are also listed and ended here.
 */
import {
  boundOrganizationOf,
  PERSON_SCOPES,
  requireScope,
  type Caller,
  type Visitor,
} from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { invalidField, notFound, ServiceError } from '../core/errors.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import type { StoredSession } from '../store/tables/people-tables.ts';
import type { PersonTokens } from './tokens/person-tokens.ts';
import { vouchingClientId } from '../api-credentials/vouching-application.ts';
import { noOrganization } from '../people/organization-reach.ts';
import { toSessionView, vouchedBy, type SessionView } from '../people/session-rules.ts';
import type { Sessions } from '../people/sessions.ts';

/** Body of `POST /api/v1/sessions` (docs/contract.md#bodies). */
export interface ApiSessionInput {
  /** `usr_…` */
  user_id: string;
  /** An organization of the user. Default: no organization. */
  organization_id?: string | undefined;
  /** `{base_url}/mcp` (default) or `{base_url}/api`. */
  resource?: string | undefined;
}

/** A session with its first tokens, which are shown only once. */
export interface ApiSession {
  session: SessionView;
  access_token: string;
  /** For the token endpoint, together with the credential that created the session. */
  refresh_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
}

interface ApiSessionsDeps {
  db: Database;
  clock: Clock;
  environments: Environments;
  pageTokens: PageTokens;
  sessions: Sessions;
  tokens: Pick<PersonTokens, 'issueRefreshable'>;
  consents: { forget(environmentId: string, userId: string, clientId: string): Promise<void> };
}

/** Every method: @throws ServiceError PERMISSION_DENIED without `admin` */
export class ApiSessions {
  readonly #deps: ApiSessionsDeps;

  constructor(deps: ApiSessionsDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a session for a user. Its tokens never have `admin`, even for an operator: applications use an API
   * credential for that.
   *
   * @throws ServiceError PERMISSION_DENIED unless an API credential of the whole environment asks; INVALID_ARGUMENT on
   *   `resource`; RESOURCE_NOT_FOUND for the user, or for an organization of others; POLICY_DENIED
   */
  async create(caller: Caller, input: ApiSessionInput, visitor: Visitor): Promise<ApiSession> {
    requireScope(caller, 'admin');
    const { environmentId } = caller;
    requireUnbound(caller);
    const clientId = await vouchingClientId(this.#deps.db.read, caller);
    const session = await this.#deps.sessions.begin({
      environmentId,
      kind: 'api',
      userId: input.user_id,
      organizationId: input.organization_id ?? '',
      clientId,
      resource: this.#resourceOf(environmentId, input.resource),
      visitor,
      connectionDetails: vouchedBy(caller.actor),
      actor: caller.actor,
    });
    const { access_token, refresh_token, token_type, expires_in } = await this.#deps.tokens.issueRefreshable(
      session,
      PERSON_SCOPES,
    );
    return {
      session: await this.get(caller, session.id),
      access_token,
      refresh_token,
      token_type,
      expires_in,
    };
  }

  /** Newest first, ended ones too. @throws ServiceError INVALID_ARGUMENT for a page token of another list */
  async list(
    caller: Caller,
    filter: { user_id?: string | undefined; organization_id?: string | undefined } = {},
    query: PageQuery = {},
  ): Promise<PageLinks & { sessions: SessionView[] }> {
    requireScope(caller, 'admin');
    const { environmentId } = caller;
    const bound = boundOrganizationOf(caller);
    const of = { userId: filter.user_id, organizationId: filter.organization_id ?? bound };
    if (bound !== undefined && of.organizationId !== bound) throw noOrganization();
    const { rows: page, links } = await newestFirst(this.#deps.pageTokens, query, {
      bound: ['sessions', environmentId, of],
      ...rows(this.#deps.db.longRead, 'sessions').pages(environmentId, {
        user_id: of.userId,
        organization_id: of.organizationId,
      }),
    });
    const now = this.#deps.clock.now();
    return { sessions: page.map((row) => toSessionView(row, now)), ...links };
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(caller: Caller, id: string): Promise<SessionView> {
    return toSessionView(await this.#find(caller, id), this.#deps.clock.now());
  }

  /**
   * Ends a session; its tokens are refused within 5 s. An app must ask the user again, even if it ended the session
   * itself.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND
   */
  async end(caller: Caller, id: string): Promise<void> {
    const { environmentId } = caller;
    const row = await this.#find(caller, id);
    if (row.kind === 'client') await this.#deps.consents.forget(environmentId, row.user_id, row.client_id);
    await this.#deps.sessions.end(environmentId, id, caller.actor, caller.ip);
  }

  async #find(caller: Caller, id: string): Promise<StoredSession> {
    requireScope(caller, 'admin');
    const { environmentId } = caller;
    const bound = boundOrganizationOf(caller);
    const row = await rows(this.#deps.db.read, 'sessions').find(environmentId, id);
    if (row === undefined || (bound !== undefined && row.organization_id !== bound))
      throw notFound('session');
    return row;
  }

  #resourceOf(environmentId: string, resource: string | undefined): string {
    const { baseUrl } = this.#deps.environments.get(environmentId);
    const ours = [`${baseUrl}/mcp`, `${baseUrl}/api`];
    const found = resource === undefined ? ours[0] : ours.find((known) => known === resource);
    if (found !== undefined) return found;
    throw invalidField('resource', `Must be ${ours.join(' or ')}.`, 'enum');
  }
}

/** A session's tokens reach the user's own accounts, which a credential of an organization does not reach. */
function requireUnbound(caller: Caller): void {
  if (boundOrganizationOf(caller) === undefined) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'This credential reaches the accounts of one organization only, and a session reaches those of its user. Use a credential of the whole environment.',
  );
}
