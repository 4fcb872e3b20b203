/** What a flow keeps between the way there and the way back, and what becomes of it. Pure. */
import { invalidField } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { OAuthFlow } from '../../store/accounts/oauth-flow.ts';
import type { Vault } from '../../vault/vault.ts';
import type { NewCredentials } from '../link-completion.ts';
import type { ConsentCredentials } from '../../credentials/schemes/consent-step.ts';

/** @param now when they came, in Unix milliseconds */
export function received(came: ConsentCredentials, flow: OAuthFlow, now: number): NewCredentials {
  return {
    details: came.details,
    expiresAt: came.expiresInSeconds === undefined ? null : now + came.expiresInSeconds * 1_000,
    apiConfig: { ...flow.apiConfig, ...came.apiConfig },
  };
}

/** What was entered for this consent goes before what the account has: it was asked for because that is of no use. */
export function withEntered(
  row: Account,
  entered: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return { ...row.apiConfig, ...entered };
}

/** Where the secret of a flow is sealed. */
export function verifierPlace(row: string): Parameters<Vault['seal']>[0] {
  return { table: 'oauth_flows', row, column: 'verifier_sealed' };
}

/** The refusal of a callback whose connection is not the one that the browser set out for. */
export function changed({ name }: Connection): Error {
  return invalidField(
    'connector',
    `The connection ${name} was changed while you were at the provider. Nothing was stored: open the link once more.`,
    'changed',
  );
}
