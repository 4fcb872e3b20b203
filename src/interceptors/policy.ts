/**
 * What the flows ask before they go on: the four trigger points (docs/contract.md#trigger-points).
 *
 * Callers wait for the answer before they open a transaction. Whoever implements it decides with the customer's
 * interceptors; a flow without any is allowed.
 */
import type { Visitor } from '../core/caller.ts';
import type { AddedClaims, ConnectionDetail } from '../store/tables/people-tables.ts';

/** A person as interceptors see him. */
export interface PolicyUser {
  id: string;
  /** Given and family name, or the e-mail address where there is none. */
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

/** Facts that every trigger has. */
interface Asked {
  environmentId: string;
  visitor: Visitor;
  /** Who acts, for the audit log: `usr_…`, `cred_…`, `local`. Left out or '': the user of the question, if there is one. */
  actor?: string;
}

/** Somebody is about to make an organization. */
export interface SignupQuestion extends Asked {
  /** Only when the person exists already. */
  user?: PolicyUser;
  connectionDetails: readonly ConnectionDetail[];
}

/** A person is about to get a session. */
export interface SessionQuestion extends Asked {
  user: PolicyUser;
  /** '' without one. */
  organizationId: string;
  connectionDetails: readonly ConnectionDetail[];
}

/** Somebody is about to be invited. */
export interface InvitationQuestion extends Asked {
  organization: { id: string; name: string };
  /** Who is invited. */
  email: string;
  /** Only when that person exists already. */
  user?: PolicyUser;
}

/** A machine is about to get a token. */
export interface MachineTokenQuestion extends Asked {
  clientId: string;
  /** '' without one. */
  organizationId: string;
  scopes: readonly string[];
}

/** What interceptors may change of a token for a machine. */
export interface MachineTokenAnswer {
  /** What the token may do, in the place of what was asked; undefined: unchanged. */
  scopes?: readonly string[];
  audience?: readonly string[];
  customClaims: AddedClaims;
}

/** Every method: @throws ServiceError POLICY_DENIED with the message that the person is shown */
export interface Policy {
  /** PRE_SIGNUP: before somebody makes an organization. */
  beforeSignup(question: SignupQuestion): Promise<void>;
  /** PRE_SESSION_CREATION: before a person gets a session. */
  beforeSession(question: SessionQuestion): Promise<AddedClaims>;
  /** PRE_USER_INVITATION: before an invitation is stored or sent. */
  beforeInvitation(question: InvitationQuestion): Promise<void>;
  /** PRE_M2M_TOKEN_CREATION: before a token for a machine is signed. */
  beforeMachineToken(question: MachineTokenQuestion): Promise<MachineTokenAnswer>;
}
