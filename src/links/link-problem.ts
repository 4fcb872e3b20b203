/** Why a link cannot be used, for the pages that say so in words. */
import type { FieldViolation } from '../core/errors.ts';

export type LinkProblemKind = 'unknown' | 'expired' | 'used' | 'csrf';

/** A link that leads nowhere. Carries no token. */
export class LinkProblem extends Error {
  override readonly name = 'LinkProblem';
  readonly kind: LinkProblemKind;

  constructor(kind: LinkProblemKind) {
    super(`connect link: ${kind}`);
    this.kind = kind;
  }
}

/** A submitted form with something wrong in it; the page shows it again. */
export class InvalidForm extends Error {
  override readonly name = 'InvalidForm';
  readonly violations: readonly FieldViolation[];

  constructor(violations: readonly FieldViolation[]) {
    super('the submitted form is not valid');
    this.violations = violations;
  }
}
