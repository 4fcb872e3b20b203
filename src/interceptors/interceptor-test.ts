/** The Test action: calls an interceptor with invented users, shows everything, and records nothing. */
import { NO_VISITOR, type Visitor } from '../core/caller.ts';
import { membersOf, parsedJson } from '../core/json.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import { tellInvitation, tellMachineToken, tellSession, tellSignup, type Tell } from './interceptor-body.ts';
import type { InterceptorCall } from './interceptor-call.ts';
import { foundInterceptor } from './interceptors.ts';
import { EMAIL_CODE, type PolicyUser } from './policy.ts';
import type { Fallback, TriggerPoint } from '../core/stored-words.ts';

/** The request and its answer. */
export interface InterceptorTestView {
  /** As sent, including the signature header. */
  request: { headers: Record<string, string>; body: Record<string, unknown> };
  /** null without a complete answer. `body` is cut to 64 kB. */
  response: { status: number; body: string } | null;
  /** The reason why the fallback would decide; null if the answer is valid. */
  failure: string | null;
  /** The effect on a flow. */
  would: Fallback;
}

export class InterceptorTest {
  readonly #db: Database;
  readonly #call: InterceptorCall;

  constructor({ db, call }: { db: Database; call: InterceptorCall }) {
    this.#db = db;
    this.#call = call;
  }

  /** Works for disabled interceptors, too. @throws ServiceError RESOURCE_NOT_FOUND */
  async run(environmentId: string, id: string): Promise<InterceptorTestView> {
    const row = foundInterceptor(await rows(this.#db.read, 'interceptors').find(environmentId, id));
    const tell = SAMPLES[row.trigger_point](environmentId);
    const { request, response, failure, verdict } = await this.#call.ask(row, tell);
    return {
      request: {
        headers: { ...request.headers },
        body: membersOf(parsedJson(request.body)),
      },
      response,
      failure,
      would: verdict.decision === 'ALLOW' ? 'allow' : 'block',
    };
  }
}

const ORGANIZATION = { id: 'org_sample', name: 'Sample Organization' };

const USER: PolicyUser = {
  id: 'usr_sample',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  email_verified: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  given_name: 'Ada',
  family_name: 'Lovelace',
  memberships: [{ organization_id: ORGANIZATION.id, status: 'ACTIVE' }],
};

const VISITOR: Visitor = {
  ip: '192.0.2.10',
  region: 'DE',
  city: 'Berlin',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

const SAMPLES: Readonly<Record<TriggerPoint, (environmentId: string) => Tell>> = {
  PRE_SIGNUP: (environmentId) =>
    tellSignup({ environmentId, user: USER, connectionDetails: [EMAIL_CODE], visitor: VISITOR }),
  PRE_SESSION_CREATION: (environmentId) =>
    tellSession({
      environmentId,
      user: USER,
      organizationId: ORGANIZATION.id,
      connectionDetails: [EMAIL_CODE],
      visitor: VISITOR,
    }),
  PRE_USER_INVITATION: (environmentId) =>
    tellInvitation({
      environmentId,
      organization: ORGANIZATION,
      email: 'grace@example.com',
      visitor: VISITOR,
    }),
  PRE_M2M_TOKEN_CREATION: (environmentId) =>
    tellMachineToken({
      environmentId,
      clientId: 'gh_sample',
      organizationId: ORGANIZATION.id,
      scopes: ['tools:execute', 'accounts:read'],
      visitor: { ...NO_VISITOR, userAgent: 'sample/1.0' },
    }),
};
