/**
 * The policy of an environment: its enabled interceptors, called one after the other in the order of their
 * creation. The first DENY stops the flow; each one sees the changes by those before it
 * (docs/contract.md#what-an-interceptor-answers).
 *
 * Every request and its answer is logged before the flow continues, with a line in the audit log.
 */
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { interceptorCalls } from '../core/telemetry/measured.ts';
import { writeAuditLine, type AuditedBy } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { enabledInterceptors } from '../store/policy/interceptor-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { Interceptor } from '../store/tables/policy-tables.ts';
import type { Granted } from './interceptor-answer.ts';
import { tellInvitation, tellMachineToken, tellSession, tellSignup, type Tell } from './interceptor-body.ts';
import { InterceptorCall, type CallOutcome } from './interceptor-call.ts';
import type {
  InvitationQuestion,
  MachineTokenAnswer,
  MachineTokenQuestion,
  Policy,
  SessionQuestion,
  SignupQuestion,
} from './policy.ts';
import type { SignedSender } from '../signed-sender/signed-sender.ts';
import type { TriggerPoint } from '../core/stored-words.ts';
import type { AddedClaims } from '../store/tables/people-tables.ts';

interface InterceptorPolicyDeps {
  db: Database;
  clock: Clock;
  log: Log;
  sender: Pick<SignedSender, 'post'>;
  stopping?: AbortSignal | undefined;
}

export class InterceptorPolicy implements Policy {
  readonly #deps: InterceptorPolicyDeps;
  readonly #call: InterceptorCall;

  /** @param deps.stopping aborts when the process stops waiting for answers */
  constructor(deps: InterceptorPolicyDeps) {
    this.#deps = deps;
    this.#call = new InterceptorCall(deps);
  }

  async beforeSignup(question: SignupQuestion): Promise<void> {
    await this.#ask('PRE_SIGNUP', by(question, question.user?.id), tellSignup(question));
  }

  async beforeSession(question: SessionQuestion): Promise<AddedClaims> {
    const asking = by(question, question.user.id);
    return (await this.#ask('PRE_SESSION_CREATION', asking, tellSession(question))).claims;
  }

  async beforeInvitation(question: InvitationQuestion): Promise<void> {
    await this.#ask('PRE_USER_INVITATION', by(question), tellInvitation(question));
  }

  async beforeMachineToken(question: MachineTokenQuestion): Promise<MachineTokenAnswer> {
    const asking = by(question, question.clientId);
    const granted = await this.#ask('PRE_M2M_TOKEN_CREATION', asking, tellMachineToken(question));
    const { claims: customClaims, scopes, audience } = granted;
    return {
      customClaims,
      ...(scopes !== undefined && { scopes }),
      ...(audience !== undefined && { audience }),
    };
  }

  async #ask(triggerPoint: TriggerPoint, asking: AuditedBy, tell: Tell): Promise<Granted> {
    const { environmentId } = asking;
    let granted: Granted = { claims: {} };
    for (const row of await enabledInterceptors(this.#deps.db.read, { environmentId, triggerPoint })) {
      const outcome = await this.#call.ask(row, tell, granted);
      await this.#record(row, asking, outcome);
      const { verdict } = outcome;
      if (verdict.decision === 'DENY') throw new ServiceError('POLICY_DENIED', verdict.message);
      granted = verdict.granted;
    }
    return granted;
  }

  async #record(row: Interceptor, asking: AuditedBy, outcome: CallOutcome): Promise<void> {
    const { id, at, request, response, failure, verdict, durationMs } = outcome;
    const { decision } = verdict;
    const { trigger_point: triggerPoint } = row;
    interceptorCalls.tell({ triggerPoint, decision, isFallback: failure !== null, durationMs });
    if (failure !== null)
      this.#deps.log.warn('interceptor_failed', {
        environment_id: row.environment_id,
        interceptor_id: row.id,
        trigger_point: triggerPoint,
        host: new URL(row.endpoint).host,
        message: failure,
        duration_ms: durationMs,
      });
    await this.#deps.db.transaction(async (tx) => {
      // If the interceptor was deleted meanwhile, its log was, too.
      if ((await rows(tx, 'interceptors').count(row.environment_id, { id: row.id })) > 0)
        await rows(tx, 'interceptor_logs').insert({
          id,
          environment_id: row.environment_id,
          interceptor_id: row.id,
          at,
          trigger_point: row.trigger_point,
          request: request.body,
          response_status: response?.status ?? null,
          response_body: response?.body ?? null,
          failure,
          decision,
          duration_ms: durationMs,
        });
      const action = decision === 'ALLOW' ? 'interceptor.allow' : 'interceptor.deny';
      await writeAuditLine(tx, asking, { action, target: row.id, now: this.#deps.clock.now() });
    });
  }
}

function by(
  { environmentId, actor = '', visitor }: Pick<SessionQuestion, 'environmentId' | 'actor' | 'visitor'>,
  otherwise = '',
): AuditedBy {
  return { environmentId, actor: actor === '' ? otherwise : actor, ip: visitor.ip };
}
