/** The values a flow stores between redirect and callback, and how they are used. Pure. */
import { invalidField } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { OAuthFlow } from '../../store/accounts/oauth-flow.ts';
import type { Vault } from '../../vault/vault.ts';
import type { NewCredentials } from '../link-completion.ts';
import type { ConsentCredentials } from '../../credentials/schemes/consent-step.ts';

/** @param now when they arrived, in Unix milliseconds */
export function received(came: ConsentCredentials, flow: OAuthFlow, now: number): NewCredentials {
  return {
    details: came.details,
    expiresAt: came.expiresInSeconds === undefined ? null : now + came.expiresInSeconds * 1_000,
    apiConfig: { ...flow.apiConfig, ...came.apiConfig },
  };
}

/** Values entered for this consent override those of the account: they were asked for because the old ones did not work. */
export function withEntered(
  row: Account,
  entered: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return { ...row.apiConfig, ...entered };
}

/** Storage place of a flow's sealed secret. */
export function verifierPlace(row: string): Parameters<Vault['seal']>[0] {
  return { table: 'oauth_flows', row, column: 'verifier_sealed' };
}

/** The failure of a callback whose connection is not the one the flow was started for. */
export function changed({ name }: Connection): Error {
  return invalidField(
    'connector',
    `The connection ${name} was changed while you were at the provider. Nothing was stored: open the link once more.`,
    'changed',
  );
}
