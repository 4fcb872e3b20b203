/**
 * The credential of a call: opened, renewed where its type can be renewed, and attached by its scheme.
 *
 * Only live credentials: waiting ones are out of its reach by table.
 */
import type { SealedDetails } from '../accounts/sealed-details.ts';
import type { AuthorizationDetails } from '../accounts/authorization-details.ts';
import type { ConnectorAuth } from '../catalog/types.ts';
import type { AccountRow } from '../store/account-store.ts';
import { schemeOf } from './schemes/index.ts';
import type { Attachment } from './schemes/scheme.ts';

/** What a provider call needs of an account. */
export interface UsableCredential extends Attachment {
  /** Fills `{domain}` placeholders of the host after api_config. */
  details: AuthorizationDetails;
}

export class CredentialSource {
  readonly #sealed: SealedDetails;

  constructor(sealed: SealedDetails) {
    this.#sealed = sealed;
  }

  /** @throws ServiceError INVALID_ARGUMENT for an authorization type that cannot be used yet */
  async fresh(row: AccountRow, auth: ConnectorAuth): Promise<UsableCredential> {
    const details = await this.#sealed.open(row);
    return { ...schemeOf(auth.type)(details, auth), details };
  }
}
