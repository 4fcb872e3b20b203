/** How one authorization type is attached to a provider call (docs/adding-a-connector.md). Pure. */
import type { AuthorizationDetails } from '../../accounts/authorization-details.ts';
import type { ConnectorAuth } from '../../catalog/types.ts';

/** What a credential adds to a request. */
export interface Attachment {
  headers: Readonly<Record<string, string>>;
  query: readonly (readonly [string, string])[];
  /** Values that must never come back to a caller; scrubbed from provider text. */
  secrets: readonly string[];
}

/** Turns stored credentials into what a request carries. Called only with usable credentials. */
export type Scheme = (details: AuthorizationDetails, auth: ConnectorAuth) => Attachment;

/** A member of `static_auth.details` as text; '' where absent. */
export function staticField(details: AuthorizationDetails, name: string): string {
  const value = details.static_auth?.details[name];
  return typeof value === 'string' ? value : '';
}
