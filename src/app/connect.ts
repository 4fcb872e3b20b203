/** `gatehouse connect`: connects an account from a terminal, for connectors whose credential is typed in. */
import type { AccountSelector } from '../accounts/account-finder.ts';
import type { AccountView } from '../accounts/views.ts';
import { connectForm, readForm } from '../auth/form-fields.ts';
import type { CredentialField } from '../catalog/types.ts';
import type { Caller } from '../core/caller.ts';
import type { Settings } from '../core/config/settings.ts';
import { invalidArgument, invalidField, ServiceError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { openAdmin, type Admin } from './admin.ts';

/** Whose account, at which connection. */
export interface ConnectTarget {
  environment: string;
  /** Connection name. */
  connector: string;
  userId?: string | undefined;
  organizationId?: string | undefined;
  /** Default: the user's or organization's id. */
  identifier?: string | undefined;
}

/** What to ask for, and what to do with the answers. */
export interface TerminalConnect {
  title: string;
  /** As on the connect page: parts of the app's address that nobody has filled yet, then the credentials. */
  fields: readonly CredentialField[];
  /** @throws ServiceError INVALID_ARGUMENT with everything that is wrong with the values */
  submit(
    values: Readonly<Record<string, string>>,
  ): Promise<{ accountId: string; identifier: string; status: string }>;
  close(): Promise<void>;
}

/**
 * Opens the installation and says which credentials the connector declares.
 *
 * The operator vouches for the account's owner, so no verification follows.
 *
 * @throws ServiceError INVALID_ARGUMENT when the connector has no credentials to type in; CONNECTION_MISSING
 */
export async function openConnect(options: {
  settings: Settings;
  log: Log;
  target: ConnectTarget;
}): Promise<TerminalConnect> {
  const { environment, connector: name, userId, organizationId, identifier } = options.target;
  const admin = await openAdmin(options);
  try {
    const caller = await admin.caller(environment);
    const connection = await admin.connections.get(caller.environmentId, name);
    const connector = admin.catalog.connectors.get(connection.connector);
    const auth = connector?.auth.find((candidate) => candidate.type === connection.authorization_type);
    if (connector === undefined || auth === undefined || auth.fields.length === 0) {
      throw invalidField(
        'connector',
        `${name} (${connection.authorization_type}) has no credentials to type in.`,
        'authorization_type',
      );
    }
    const owner = {
      ...(userId !== undefined && { user_id: userId }),
      ...(organizationId !== undefined && { organization_id: organizationId }),
    };
    const key = { connector: connection.name, identifier: identifier ?? userId ?? organizationId, ...owner };
    const known = await existingAccount(admin, caller, key);
    const form = connectForm(connector, auth, {
      api_config: JSON.stringify(known?.api_config ?? {}),
      connection_params: JSON.stringify(connection.params),
    });
    return {
      title: connector.title,
      fields: form.fields,
      submit: async (values) => {
        const read = readForm(form, values);
        if ('violations' in read) throw invalidArgument(read.violations);
        const connected_account = {
          authorization_details: { ...read.details },
          api_config: read.apiConfig,
        };
        const account =
          known === undefined
            ? await admin.accounts.create(caller, { ...key, connected_account })
            : await admin.accounts.update(caller, { ...key, connected_account });
        return { accountId: account.id, identifier: account.identifier, status: account.status };
      },
      close: async () => admin.close(),
    };
  } catch (error) {
    await admin.close();
    throw error;
  }
}

/** The account as it is, where there is one. */
async function existingAccount(
  { accounts }: Admin,
  caller: Caller,
  key: AccountSelector,
): Promise<AccountView | undefined> {
  try {
    return await accounts.describe(caller, key);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND') return undefined;
    throw error;
  }
}
