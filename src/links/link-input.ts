/** The body of POST …/magic_link and what can be wrong with it (docs/contract.md#making-a-link). Pure. */
import { ownerViolations, textViolations } from '../core/text-rules.ts';
import type { FieldViolation } from '../core/errors.ts';

/** Names an account by id, or by connection and owner: that one is created where it does not exist. */
export interface LinkInput {
  id?: string | undefined;
  connector?: string | undefined;
  identifier?: string | undefined;
  organization_id?: string | undefined;
  user_id?: string | undefined;
  state?: string | undefined;
  user_verify_url?: string | undefined;
}

/** Everything wrong with it but the URL, which depends on the environment. */
export function linkViolations(input: LinkInput): FieldViolation[] {
  const { id, connector, identifier, organization_id, user_id, state, user_verify_url } = input;
  const violations = [
    ...textViolations({ connector, identifier, organization_id, user_id, state, user_verify_url }),
    ...ownerViolations({ organization_id, user_id }),
  ];
  if (id === undefined && connector === undefined) {
    violations.push({
      field: 'connector',
      description: 'Give connector, or the id of an account.',
      constraint: 'required',
    });
  }
  if (id === undefined && (identifier ?? user_id ?? organization_id) === undefined) {
    violations.push({
      field: 'identifier',
      description: 'Give identifier, user_id or organization_id: a link is for one account.',
      constraint: 'required',
    });
  }
  return violations;
}
