/**
 * The way of a browser to a provider's consent page and back (contract section 6, RFC 6749 section 4.1).
 *
 * What a callback may do was fixed when the browser set out: connection, token endpoint, issuer and redirect
 * URI come from the flow's row, never from the request. A flow is claimed once, before anything is sent to
 * the provider; a failure after that leaves the link as it is, so that the person can start again.
 */
import type { AuthorizationDetails } from '../../accounts/authorization-details.ts';
import type { FillAddress } from '../../accounts/oauth-endpoints.ts';
import { consentFiller, placeholderValues } from '../../accounts/placeholders.ts';
import type { Catalog, Connector } from '../../catalog/types.ts';
import type { Environments } from '../../core/environment.ts';
import { invalidField } from '../../core/errors.ts';
import { hashSecret, newId, newSecret } from '../../core/ids.ts';
import { AccountStore, type AccountRow } from '../../store/account-store.ts';
import { ConnectionStore, type ConnectionRow } from '../../store/connection-store.ts';
import { LinkStore, type LinkRow } from '../../store/link-store.ts';
import { OAuthFlowStore, type OAuthFlowRow } from '../../store/oauth-flow-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Completion, NewCredentials } from '../completion.ts';
import { connectForm, readForm } from '../form-fields.ts';
import { InvalidForm, LinkProblem } from '../link-problem.ts';
import type { Revocation } from '../revocation.ts';
import {
  isByConsent,
  usableLink,
  usableLinkOfId,
  type LinkSources,
  type OAuthAuth,
  type UsableLink,
} from '../usable-link.ts';
import { askedScopes } from './asked-scopes.ts';
import { authorizationUrl } from './authorization-url.ts';
import { refusalOf, stateOf, type Callback } from './callback-checks.ts';
import { CallbackProblem } from './callback-problem.ts';
import { consentFailure, exchangeFailure } from './consent-failure.ts';
import { consentAddresses, oauthClientOf } from './oauth-client.ts';
import { TokenFailure, type TokenEndpoint, type TokenReply } from './token-endpoint.ts';

/** What Consents needs. */
export interface ConsentDependencies extends LinkSources {
  environments: Environments;
  catalog: Catalog;
  vault: Vault;
  completion: Completion;
  tokens: TokenEndpoint;
  /** Time for the way to the provider and back, in milliseconds. */
  stateMs: number;
  /** Gets tokens that came for a link completed meanwhile, which are stored nowhere. */
  revocation: Pick<Revocation, 'tokensDiscarded'>;
}

export class Consents {
  readonly #deps: ConsentDependencies;

  constructor(deps: ConsentDependencies) {
    this.#deps = deps;
  }

  /**
   * Sends a browser on to the provider: GET /connect/<token>/go, or the form of the page where one had to be filled
   * in. Spends nothing, and stores nothing in the account before the person comes back with a grant.
   *
   * @param browser value of the browser's cookie; only the same one may come back
   * @param entered fields of the form; checked here
   * @throws LinkProblem; InvalidForm to show the page (again) with its form; ServiceError INVALID_ARGUMENT where the operator has to complete the connection
   */
  async start(
    environmentId: string,
    token: string,
    browser: string,
    entered: Readonly<Record<string, string>> = {},
  ): Promise<{ redirectTo: string }> {
    const { db, clock, environments, catalog, vault, stateMs } = this.#deps;
    const { link, row, connector, auth } = await usableLink(this.#deps, environmentId, token);
    if (!isByConsent(auth)) throw new LinkProblem('unknown');
    const connection = await this.#connectionOf(row);
    const read = readForm(connectForm(connector, auth, row), entered);
    if ('violations' in read) throw new InvalidForm(read.violations);
    const apiConfig = JSON.stringify(read.apiConfig);
    const addresses = consentAddresses(connection, auth.oauth, fillerOf(row, connector, auth, apiConfig));
    const extra = JSON.parse(link.scopes) as string[];
    const scopes = askedScopes(connection, auth.oauth, catalog.tools.values(), extra);
    const { baseUrl } = environments.get(environmentId);
    const now = clock.now();
    const id = newId('flw', now);
    const state = newSecret();
    const verifier = auth.oauth.pkce ? newSecret() : undefined;
    const flow: OAuthFlowRow = {
      id,
      environment_id: environmentId,
      account_id: row.id,
      link_id: link.id,
      connection_id: connection.id,
      state_hash: hashSecret(state),
      browser_hash: hashSecret(browser),
      verifier_sealed: verifier === undefined ? null : await vault.seal(verifierPlace(id), verifier),
      token_url: addresses.tokenUrl,
      issuer: addresses.issuer,
      redirect_uri: `${baseUrl}/sso/v1/oauth/${connection.id}/callback`,
      scopes: JSON.stringify(scopes),
      api_config: apiConfig,
      created_at: now,
      expires_at: now + stateMs,
      consumed_at: null,
    };
    await db.transaction(async (tx) => {
      const current = await new LinkStore(tx).findById(environmentId, link.id);
      if (current === undefined) throw new LinkProblem('unknown');
      if (current.completed_at !== null) throw new LinkProblem('used');
      await new OAuthFlowStore(tx).insert(flow);
    });
    const request = { clientId: addresses.clientId, redirectUri: flow.redirect_uri, state, scopes, verifier };
    return { redirectTo: authorizationUrl(addresses.authorizationUrl, auth.oauth, request) };
  }

  /**
   * Takes a callback: GET /sso/v1/oauth/<connection_id>/callback.
   *
   * @returns redirectTo the customer's app with auth_request_id and state; null: the account is connected
   * @throws CallbackProblem; LinkProblem when the link was completed or ended meanwhile; ServiceError
   *   INVALID_ARGUMENT where the connection was changed meanwhile
   */
  async finish(
    environmentId: string,
    connectionId: string,
    query: URLSearchParams,
    browser: string | undefined,
  ): Promise<{ redirectTo: string | null; connectorTitle: string }> {
    const found = await this.#flowOf(environmentId, query);
    const connectorTitle = await this.#titleOf(found);
    const flow = await this.#claim(found, { connectionId, query, browser }, connectorTitle);
    if ((query.get('error') ?? '') !== '') throw consentFailure(query, connectorTitle);
    const { link, row, reply } = await this.#exchange(flow, query.get('code') ?? '', connectorTitle);
    const apiConfig = JSON.parse(flow.api_config) as Record<string, string>;
    const redirectTo = await this.#complete(link, row, reply, apiConfig);
    return { redirectTo, connectorTitle };
  }

  async #flowOf(environmentId: string, query: URLSearchParams): Promise<OAuthFlowRow> {
    const state = stateOf(query);
    const flow =
      state === undefined
        ? undefined
        : await new OAuthFlowStore(this.#deps.db.read).findByState(environmentId, hashSecret(state));
    if (flow === undefined) throw new CallbackProblem('state');
    return flow;
  }

  /** What a person calls the provider. */
  async #titleOf(flow: OAuthFlowRow): Promise<string> {
    const { db, catalog } = this.#deps;
    const row = await new AccountStore(db.read).find({ environmentId: flow.environment_id }, flow.account_id);
    const name = row?.provider ?? 'the provider';
    return catalog.connectors.get(name)?.title ?? name;
  }

  async #claim(flow: OAuthFlowRow, callback: Callback, connectorTitle: string): Promise<OAuthFlowRow> {
    const { db, clock } = this.#deps;
    const refusal = refusalOf(flow, callback, clock.now());
    if (refusal !== undefined) throw new CallbackProblem(refusal, { connectorTitle });
    const claimed = await db.transaction(async (tx) =>
      new OAuthFlowStore(tx).claim(flow.environment_id, flow.id, clock.now()),
    );
    if (claimed === undefined) throw new CallbackProblem('state', { connectorTitle });
    return claimed;
  }

  /** The one request of a flow to its token endpoint. */
  async #exchange(
    flow: OAuthFlowRow,
    code: string,
    connectorTitle: string,
  ): Promise<UsableLink & { reply: ReceivedTokens }> {
    const { clock, tokens, vault } = this.#deps;
    const usable = await usableLinkOfId(this.#deps, flow.environment_id, flow.link_id);
    const { row, connector, auth } = usable;
    if (!isByConsent(auth)) throw new LinkProblem('unknown');
    const connection = await this.#connectionOf(row);
    const fill = fillerOf(row, connector, auth, flow.api_config);
    const client = await oauthClientOf(vault, connection, auth.oauth, fill);
    if (client.tokenUrl !== flow.token_url || client.issuer !== flow.issuer) throw changed(connection);
    const verifier =
      flow.verifier_sealed === null
        ? undefined
        : await vault.open(verifierPlace(flow.id), flow.verifier_sealed);
    try {
      const grant = { code, redirectUri: flow.redirect_uri, verifier };
      const reply = await tokens.exchange({ ...client, tokenUrl: flow.token_url }, grant);
      const asked = auth.oauth.scope_parameter ? (JSON.parse(flow.scopes) as string[]) : undefined;
      return { ...usable, reply: { ...reply, scopes: reply.scopes ?? asked, receivedAt: clock.now() } };
    } catch (cause) {
      if (cause instanceof TokenFailure) throw exchangeFailure(cause, connectorTitle);
      throw cause;
    }
  }

  async #complete(
    link: LinkRow,
    row: AccountRow,
    reply: ReceivedTokens,
    apiConfig: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const { accessToken, refreshToken, scopes, expiresInSeconds, receivedAt } = reply;
    const token: NonNullable<AuthorizationDetails['oauth_token']> = {
      access_token: accessToken,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(scopes !== undefined && { scopes }),
    };
    const credentials: NewCredentials = {
      details: { oauth_token: token },
      expiresAt: expiresInSeconds === undefined ? null : receivedAt + expiresInSeconds * 1_000,
      apiConfig,
    };
    try {
      return await this.#deps.completion.complete(link, row, credentials);
    } catch (error) {
      if (error instanceof LinkProblem) this.#deps.revocation.tokensDiscarded(row, token);
      throw error;
    }
  }

  async #connectionOf(row: AccountRow): Promise<ConnectionRow> {
    const connection = await new ConnectionStore(this.#deps.db.read).findById(
      row.environment_id,
      row.connection_id,
    );
    if (connection === undefined) throw new LinkProblem('unknown');
    return connection;
  }
}

/** Tokens as they came, with the scopes they have as far as known. */
interface ReceivedTokens extends TokenReply {
  /** Unix milliseconds. */
  receivedAt: number;
}

/** What was entered for this consent goes before what the account has: it was asked for because that is of no use. */
function fillerOf(row: AccountRow, connector: Connector, auth: OAuthAuth, entered: string): FillAddress {
  const known = JSON.parse(row.api_config) as Record<string, unknown>;
  const api_config = JSON.stringify({ ...known, ...(JSON.parse(entered) as Record<string, string>) });
  return consentFiller(auth.oauth, connector, placeholderValues({ ...row, api_config }));
}

function verifierPlace(row: string): Parameters<Vault['seal']>[0] {
  return { table: 'oauth_flows', row, column: 'verifier_sealed' };
}

function changed({ name }: ConnectionRow): Error {
  return invalidField(
    'connector',
    `The connection ${name} was changed while you were at the provider. Nothing was stored: open the link once more.`,
    'changed',
  );
}
