/**
 * `gatehouse connect`: connects an account from a terminal. The operator types in credentials that a connector
 * declares. If people consent at the provider, the command shows a link and waits until it is finished.
 */
import { setTimeout } from 'node:timers/promises';
import { selectorOf, type NamedAccount } from '../../accounts/account-input.ts';
import type { AccountView } from '../../accounts/account-views.ts';
import { requireConnectable } from '../../links/link-rules.ts';
import { connectForm, readCredentialForm } from '../../links/form-fields.ts';
import { linkProgress } from '../../links/link-progress.ts';
import { isByConsent } from '../../authorization-types/index.ts';
import type { ConnectTarget as Target } from '../../credentials/schemes/scheme.ts';
import type { CredentialField } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import type { Settings } from '../../settings/settings.ts';
import { invalidArgument, ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { operatorIn } from './admin.ts';
import { openServices, type Services } from '../services/services.ts';
import type { LinkListener } from '../serve/link-listener.ts';
import { waitForLink, type WaitingState } from './link-wait.ts';
import { toldToStop } from '../serve/stop-signal.ts';

/** The owner of the account, and the connection. */
export interface ConnectTarget {
  environment: string;
  /** Connection name. */
  connector: string;
  userId?: string | undefined;
  organizationId?: string | undefined;
  /** Default: the user's or organization's id. */
  identifier?: string | undefined;
}

/** An account that is now connected. */
export interface ConnectedAccount {
  accountId: string;
  identifier: string;
  status: string;
  /** Sentences about what was not proven; absent if nothing was tried. */
  warnings?: readonly string[];
}

/** The form for the terminal, and the function that takes its values. */
export interface FormConnect {
  kind: 'form';
  title: string;
  /** As on the connect page: missing parts of the app's address, then the credentials. Empty if nothing is needed. */
  fields: readonly CredentialField[];
  /** @throws ServiceError INVALID_ARGUMENT with every violation of the values */
  submit(values: Readonly<Record<string, string>>): Promise<ConnectedAccount>;
  close(): Promise<void>;
}

/** A link for a user with a browser. */
export interface LinkConnect {
  kind: 'link';
  title: string;
  identifier: string;
  link: string;
  /** RFC 3339. */
  expiry: string;
  /** False if another process serves the link, at the link's address. */
  isServedHere: boolean;
  /**
   * Waits until the account is connected.
   *
   * @param tell called for every change until then
   * @param stopped ends the wait; default: SIGINT and SIGTERM
   * @throws ServiceError CONNECTED_ACCOUNT_NOT_ACTIVE with the reason
   */
  finished(tell: (state: WaitingState) => void, stopped?: Promise<unknown>): Promise<ConnectedAccount>;
  /** Closes the listener of this process, after a browser that has finished got its last page. */
  close(): Promise<void>;
}

export type ConnectSession = FormConnect | LinkConnect;

/** Longest wait for the first list of a remote MCP server. */
const FIRST_LIST_MS = 15_000;

/** Longest wait for a browser to request the final page. */
const LAST_PAGE_MS = 3_000;

/**
 * Opens the installation and prepares a form for the terminal or a link, as the connector needs.
 *
 * Typed credentials need no verification: the operator vouches for the account's owner. A link may be passed on, so it
 * is verified like any other.
 *
 * @throws ServiceError INVALID_ARGUMENT if accounts of the connector cannot be connected this way; CONNECTION_MISSING;
 *   UNAVAILABLE if the link could not be served
 */
export async function openConnect(options: {
  settings: Settings;
  log: Log;
  target: ConnectTarget;
}): Promise<ConnectSession> {
  const { settings, log, target } = options;
  let listener: Promise<LinkListener> | undefined;
  const openListener = async (): Promise<LinkListener> => {
    const { LinkListener } = await import('../serve/link-listener.ts');
    return new LinkListener(services);
  };
  const services = await openServices({
    settings,
    log,
    linkBase: async (environmentId) => (await (listener ??= openListener())).baseUrl(environmentId),
  });
  const close = async (): Promise<void> => {
    await firstList(services);
    await (await listener)?.close();
    await services.close();
  };
  try {
    const caller = operatorIn(services.environments.byName(target.environment).id);
    const { connection, connector, auth } = await chosenConnection(services, caller, target.connector);
    const { name } = connection;
    const key = accountKey(target, name);
    if (isByConsent(auth))
      return await byLink({ services, caller, key, title: connector.title, listener: () => listener });
    const connectTarget = { connection, connector, auth };
    requireConnectable(connection, connectTarget);
    return await byForm({ services, caller, key, target: connectTarget, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws ServiceError CONNECTION_MISSING or INVALID_ARGUMENT, naming the connections and how to create one */
async function chosenConnection(
  { connectionFinder, connections }: Services,
  { environmentId }: Caller,
  idOrName: string,
): Promise<Target> {
  const name = idOrName.startsWith('conn_')
    ? (await connections.get(environmentId, idOrName)).name
    : idOrName;
  const connection = await connectionFinder.byName(environmentId, name);
  return { connection, ...connectionFinder.connectorOf(connection) };
}

type AccountKey = NamedAccount & { connector: string; identifier: string | undefined };

function accountKey({ userId, organizationId, identifier }: ConnectTarget, connector: string): AccountKey {
  return {
    connector,
    identifier: identifier ?? userId ?? organizationId,
    ...(userId !== undefined && { user_id: userId }),
    ...(organizationId !== undefined && { organization_id: organizationId }),
  };
}

async function byLink(parts: {
  services: Services;
  caller: Caller;
  key: AccountKey;
  title: string;
  /** Opened with the link, if this process serves it. */
  listener: () => Promise<LinkListener> | undefined;
}): Promise<LinkConnect> {
  const { services, caller, key, title } = parts;
  const { db, clock, links, log, deliverer } = services;
  const { link, expiry } = await links.create(caller, key);
  const listener = await parts.listener();
  const token = link.slice(link.lastIndexOf('/') + 1);
  deliverer.start();
  const isServedHere = (): boolean => listener?.isOpen === true;
  let isConnected = false;
  return {
    kind: 'link',
    title,
    identifier: key.identifier ?? '',
    link,
    expiry,
    isServedHere: isServedHere(),
    finished: async (tell, stopped = toldToStop(log)) => {
      const { id, identifier, status } = await waitForLink({
        title,
        expiry,
        isServedHere,
        progress: async () => linkProgress(db, clock, caller.environmentId, token),
        tell,
        stopped,
      });
      isConnected = true;
      return { accountId: id, identifier, status };
    },
    close: async () => {
      if (isConnected) await Promise.all([listener?.lastPage(LAST_PAGE_MS), firstList(services)]);
      await listener?.close();
      await services.close();
    },
  };
}

async function byForm(parts: {
  services: Services;
  caller: Caller;
  key: AccountKey;
  target: Target;
  close: () => Promise<void>;
}): Promise<FormConnect> {
  const { services, caller, key, target, close } = parts;
  const { accounts, trials } = services;
  const known = await existingAccount(services, caller, key);
  const form = connectForm(target, known?.api_config ?? {});
  return {
    kind: 'form',
    title: target.connector.title,
    fields: form.fields,
    submit: async (values) => {
      const read = readCredentialForm(form, values);
      if ('violations' in read) throw invalidArgument(read.violations);
      const connected_account = {
        authorization_details: { ...read.details },
        api_config: read.apiConfig,
      };
      const trial = target.auth.check === undefined ? undefined : trials.begin(caller);
      const input = { ...key, connected_account };
      const { id, identifier, status } =
        known === undefined
          ? await accounts.create(caller, input, trial)
          : await accounts.update(caller, input, trial);
      return { accountId: id, identifier, status, ...(trial !== undefined && { warnings: trial.warnings }) };
    },
    close,
  };
}

/** Waits for the list of tools that a remote MCP server gives the new account; another process would read it much later. */
async function firstList({ upstreams }: Services): Promise<void> {
  const late = setTimeout(FIRST_LIST_MS, undefined, { ref: false });
  await Promise.race([upstreams.settled(), late]);
}

/** The current account, if it exists. */
async function existingAccount(
  { accounts }: Services,
  caller: Caller,
  key: AccountKey,
): Promise<AccountView | undefined> {
  try {
    return await accounts.describe(caller, selectorOf(key));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND') return undefined;
    throw error;
  }
}
