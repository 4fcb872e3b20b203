/**
 * The policy that flows call before they continue: the four trigger points (docs/contract.md#trigger-points).
 *
 * Callers wait for the answer before they open a transaction. Implementations decide with the customer's
 * interceptors; a flow without any is allowed.
 */
import type { Visitor } from '../core/caller.ts';
import type { AddedClaims, ConnectionDetail } from '../store/tables/people-tables.ts';

/** The proof of identity of a user who signs in by a mailed code. */
export const EMAIL_CODE: ConnectionDetail = { id: 'conn_email', type: 'PASSWORDLESS', provider: 'EMAIL' };

/** A user as interceptors see them. */
export interface PolicyUser {
  id: string;
  /** Given and family name, or the e-mail address of a user without a name. */
  name: string;
  email: string;
  email_verified: boolean;
  /** RFC 3339. */
  created_at: string;
  updated_at: string;
  given_name: string;
  family_name: string;
  memberships: readonly { organization_id: string; status: 'ACTIVE' }[];
}

/** Data of every trigger. */
interface Asked {
  environmentId: string;
  visitor: Visitor;
  /** The actor, for the audit log: `usr_…`, `cred_…`, `local`. If absent or '', the user of the question, if there is one. */
  actor?: string;
}

/** A user is about to create an organization. */
export interface SignupQuestion extends Asked {
  /** Absent unless the user exists already. */
  user?: PolicyUser;
  connectionDetails: readonly ConnectionDetail[];
}

/** A user is about to get a session. */
export interface SessionQuestion extends Asked {
  user: PolicyUser;
  /** '' without one. */
  organizationId: string;
  connectionDetails: readonly ConnectionDetail[];
}

/** Somebody is about to be invited. */
export interface InvitationQuestion extends Asked {
  organization: { id: string; name: string };
  /** The invited address. */
  email: string;
  /** Absent unless that user exists already. */
  user?: PolicyUser;
}

/** A machine is about to get a token. */
export interface MachineTokenQuestion extends Asked {
  clientId: string;
  /** '' without one. */
  organizationId: string;
  scopes: readonly string[];
}

/** Changes that interceptors may make to a machine token. */
export interface MachineTokenAnswer {
  /** Scopes that replace the requested ones; `undefined` if unchanged. */
  scopes?: readonly string[];
  audience?: readonly string[];
  customClaims: AddedClaims;
}

/** Every method: @throws ServiceError POLICY_DENIED with the message shown to the user */
export interface Policy {
  /** PRE_SIGNUP: before a user creates an organization. */
  beforeSignup(question: SignupQuestion): Promise<void>;
  /** PRE_SESSION_CREATION: before a user gets a session. */
  beforeSession(question: SessionQuestion): Promise<AddedClaims>;
  /** PRE_USER_INVITATION: before an invitation is stored or sent. */
  beforeInvitation(question: InvitationQuestion): Promise<void>;
  /** PRE_M2M_TOKEN_CREATION: before a machine token is signed. */
  beforeMachineToken(question: MachineTokenQuestion): Promise<MachineTokenAnswer>;
}
