/** What flows ask a policy, one question per trigger point. */
import type {
  InvitationQuestion,
  MachineTokenQuestion,
  PolicyUser,
  SessionQuestion,
  SignupQuestion,
} from '../../src/interceptors/policy.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export const visitor = { ip: '192.0.2.10', userAgent: FIREFOX, region: 'DE', city: 'Köln' };

export const ada: PolicyUser = {
  id: 'usr_ada',
  name: 'Ada Lovelace',
  email: 'ada@example.test',
  email_verified: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
  given_name: 'Ada',
  family_name: 'Lovelace',
  memberships: [{ organization_id: 'org_2', status: 'ACTIVE' }],
};

const connectionDetails = [{ id: 'idp_1', type: 'OIDC' as const, provider: 'login.example.test' }];

export const signup: SignupQuestion = { environmentId: 'env_1', visitor, connectionDetails };

export const session: SessionQuestion = {
  environmentId: 'env_1',
  visitor,
  user: ada,
  organizationId: 'org_1',
  connectionDetails,
};

export const invitation: InvitationQuestion = {
  environmentId: 'env_1',
  actor: 'usr_owner',
  visitor,
  organization: { id: 'org_1', name: 'One' },
  email: 'grace@example.test',
};

export const machineToken: MachineTokenQuestion = {
  environmentId: 'env_1',
  actor: 'cred_1',
  visitor: { ip: '192.0.2.11', userAgent: 'job/1.0', region: '', city: '' },
  clientId: 'gh_1',
  organizationId: 'org_1',
  scopes: ['accounts:read', 'tools:execute'],
};
