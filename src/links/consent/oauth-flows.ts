/**
 * Sends a browser to a provider's consent page and handles its return (docs/contract.md#callback, RFC 6749 section 4.1).
 *
 * The start of a flow fixes what its callback may do: connection, token endpoint, issuer and redirect URI come from the
 * flow's row, never from the request. A flow is claimed once, before anything is sent to the provider. A later failure
 * leaves the link as it is, so that the user can start again.
 */
import type { SelectionNames } from '../../catalog/model/tool-selection.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import type { Environments } from '../../core/environment.ts';
import { isPageFailure, PageFailure } from '../../core/page-failure.ts';
import { hashSecret, newId, newSecret } from '../../core/ids.ts';
import { rows } from '../../store/engine/rows.ts';
import type { Account } from '../../store/accounts/account.ts';
import { ConnectionStore } from '../../store/accounts/connection-store.ts';
import { clientDocument } from '../../credentials/oauth/mcp-document.ts';
import { LinkStore } from '../../store/accounts/link-store.ts';
import type { Link } from '../../store/accounts/link.ts';
import { OAuthFlowStore } from '../../store/accounts/oauth-flow-store.ts';
import type { OAuthFlow } from '../../store/accounts/oauth-flow.ts';
import type { Vault } from '../../vault/vault.ts';
import type { LinkCompletion, NewCredentials } from '../link-completion.ts';
import { doneMark } from '../done-marks.ts';
import { connectForm, readCredentialForm } from '../form-fields.ts';
import { InvalidForm } from '../link-rules.ts';
import type { Revocation } from '../../credentials/revocation.ts';
import { isByConsent } from '../../authorization-types/index.ts';
import type { SchemeServices } from '../../credentials/schemes/renewal.ts';
import { usableLink, type LinkSources } from '../usable-link.ts';
import { askedScopes } from '../asked-scopes.ts';
import { refusalOf, strayOf, withRefusal, type Callback } from './callback-checks.ts';
import { callbackFlow, type CallbackFlow } from './callback-flow.ts';
import { exchangedAnswer } from './consent-exchange.ts';
import { consentFailure, startFailure } from './consent-failure.ts';
import { consentStepOf, consentSubject } from '../consent-subject.ts';
import { verifierPlace, withEntered } from './flow-values.ts';
import { TokenFailure } from '../../credentials/oauth/token-endpoint.ts';
import { afterwardsOrigin } from '../verification-target.ts';

/** Dependencies of `OAuthFlows`. */
export interface OAuthFlowsDeps extends LinkSources {
  environments: Environments;
  catalog: Catalog;
  /** Tools that the settings name. */
  selection?: SelectionNames | undefined;
  vault: Vault;
  csrfKey: Buffer;
  completion: LinkCompletion;
  /** Services that schemes use for requests to a provider. */
  services: SchemeServices;
  /** Time until the callback must arrive, in milliseconds. */
  stateMs: number;
  /** Revokes tokens that are not stored: they came after the link was completed, or without what the account needs. */
  revocation: Pick<Revocation, 'tokensDiscarded'>;
}

/** A callback that connected an account, or whose credentials wait for verification. */
export interface Finished {
  /** The customer's app with auth_request_id and state; null if the account is connected. */
  redirectTo: string | null;
  connectorTitle: string;
  /** For `LinkEnds.connected`, if the browser comes to our final page. */
  done?: string | undefined;
}

/** Data of a page that reads a fragment. */
export interface AwaitedFragment {
  connectorTitle: string;
  /** Origin that the answer to its post redirects to; null for our own page. */
  submitOrigin: string | null;
}

export class OAuthFlows {
  readonly #deps: OAuthFlowsDeps;

  constructor(deps: OAuthFlowsDeps) {
    this.#deps = deps;
  }

  /**
   * Redirects a browser to the provider: GET /connect/<token>/go, or the submitted form of the page. Does not
   * use up the link, and stores nothing in the account before the user comes back with a grant.
   *
   * @param browser value of the browser's cookie; only the same browser may come back
   * @param entered fields of the form; checked here
   * @returns where the browser goes, and the state with which it comes back
   * @throws PageFailure of a link; InvalidForm to show the page (again) with its form; ServiceError
   *   INVALID_ARGUMENT if the operator has to complete the connection; PageFailure of a callback if the
   *   provider gives no address of its consent page
   */
  async start(
    environmentId: string,
    token: string,
    browser: string,
    entered: Readonly<Record<string, string>> = {},
  ): Promise<{ redirectTo: string; state: string }> {
    const { db, clock, environments, vault, services, stateMs } = this.#deps;
    const usable = await usableLink(this.#deps, environmentId, token);
    const { link, row, connection, auth } = usable;
    if (!isByConsent(auth)) throw new PageFailure('link', 'unknown');
    const read = readCredentialForm(connectForm(usable, row.apiConfig), entered);
    if ('violations' in read) throw new InvalidForm(read.violations);
    const step = consentStepOf(auth);
    const subject = consentSubject(usable, withEntered(row, read.apiConfig));
    const scopes = askedScopes(connection, step.outline(subject), this.#deps, link.scopes);
    const { baseUrl } = environments.get(environmentId);
    const now = clock.now();
    const id = newId('flw', now);
    const state = newSecret();
    const redirectUri = `${baseUrl}/sso/v1/oauth/${connection.id}/callback`;
    const beginning = step.begin(subject, { state, redirectUri, scopes }, services);
    const begun = await beginning.catch((cause: unknown) => {
      throw cause instanceof TokenFailure ? startFailure(cause, usable.connector.title) : cause;
    });
    const { redirectTo, secret, tokenUrl, issuer, isIssuerRequired = false } = begun;
    const flow = {
      id,
      environment_id: environmentId,
      account_id: row.id,
      link_id: link.id,
      connection_id: connection.id,
      state_hash: hashSecret(state),
      browser_hash: hashSecret(browser),
      verifier_sealed: secret === undefined ? null : await vault.seal(verifierPlace(id), secret),
      token_url: tokenUrl,
      issuer,
      issuer_required: isIssuerRequired ? (1 as const) : (0 as const),
      redirect_uri: redirectUri,
      scopes: JSON.stringify(begun.scopes ?? scopes),
      api_config: JSON.stringify(read.apiConfig),
      created_at: now,
      expires_at: now + stateMs,
      consumed_at: null,
    };
    await db.transaction(async (tx) => {
      const current = await new LinkStore(tx).findById(environmentId, link.id);
      if (current === undefined) throw new PageFailure('link', 'unknown');
      if (current.completedAt !== null) throw new PageFailure('link', 'used');
      await rows(tx, 'oauth_flows').insert(flow);
    });
    return { redirectTo, state };
  }

  /** The document by which authorization servers know a connection; `undefined` if it is no client that way. */
  async clientDocument(
    environmentId: string,
    connectionId: string,
  ): Promise<Record<string, unknown> | undefined> {
    const { db, environments } = this.#deps;
    const connection = await new ConnectionStore(db.read).findById(environmentId, connectionId);
    const { baseUrl } = environments.get(environmentId);
    return connection && clientDocument(baseUrl, connection);
  }

  /**
   * Handles a callback: GET /sso/v1/oauth/<connection_id>/callback.
   *
   * @returns redirectTo the customer's app with auth_request_id and state; null if the account is connected
   * @throws PageFailure of a callback, or of a link that was completed or ended meanwhile; ServiceError
   *   INVALID_ARGUMENT if the connection was changed meanwhile
   */
  async finish(
    environmentId: string,
    connectionId: string,
    query: URLSearchParams,
    browser: string | undefined,
  ): Promise<Finished> {
    const found = await callbackFlow(this.#deps, environmentId, query);
    // A token in the query would appear in the logs and histories that the fragment keeps it out of.
    if (found.isInFragment && query.has(found.answer))
      throw new PageFailure('callback', 'malformed', { connectorTitle: found.connectorTitle });
    return this.#finish(found, { connectionId, query: withRefusal(query, found.answer), browser });
  }

  /**
   * Whether the answer of a callback is in the fragment, so that a page has to read it. Does not claim the flow.
   *
   * @returns `undefined` if the query carries the answer, even a refusal
   * @throws PageFailure of a callback if the request does not continue a flow
   */
  async awaitedFragment(
    environmentId: string,
    connectionId: string,
    query: URLSearchParams,
    browser: string | undefined,
  ): Promise<AwaitedFragment | undefined> {
    const { db, clock } = this.#deps;
    const { flow, connectorTitle, answer, isInFragment } = await callbackFlow(
      this.#deps,
      environmentId,
      query,
    );
    if (!isInFragment || query.has(answer) || (query.get('error') ?? '') !== '') return undefined;
    const stray = strayOf(flow, { connectionId, browser }, clock.now());
    if (stray !== undefined) throw new PageFailure('callback', stray, { connectorTitle });
    if (flow.consumedAt !== null) throw new PageFailure('callback', 'state', { connectorTitle });
    const link = await new LinkStore(db.read).findById(environmentId, flow.linkId);
    const { baseUrl } = this.#deps.environments.get(environmentId);
    return { connectorTitle, submitOrigin: link === undefined ? null : afterwardsOrigin(link, baseUrl) };
  }

  /**
   * Accepts what that page has read: POST to the callback's address.
   *
   * @param query of the address, with the `state`
   * @param posted the answer
   * @throws as `finish`
   */
  async finishFragment(
    environmentId: string,
    connectionId: string,
    { query, posted }: { query: URLSearchParams; posted: URLSearchParams },
    browser: string | undefined,
  ): Promise<Finished> {
    const found = await callbackFlow(this.#deps, environmentId, query);
    const { connectorTitle, isInFragment, answer } = found;
    if (!isInFragment || query.has(answer))
      throw new PageFailure('callback', 'malformed', { connectorTitle });
    const whole = new URLSearchParams([...query, ...posted]);
    return this.#finish(found, { connectionId, query: whole, browser });
  }

  async #finish(
    { flow: found, connectorTitle, answer }: CallbackFlow,
    callback: Callback,
  ): Promise<Finished> {
    const { query } = callback;
    const flow = await this.#claim(found, { ...callback, answer }, connectorTitle);
    if ((query.get('error') ?? '') !== '') throw consentFailure(query, connectorTitle);
    const { link, row, credentials } = await exchangedAnswer(this.#deps, flow, query, connectorTitle);
    const redirectTo = await this.#complete(link, row, credentials, flow.browserHash);
    return { redirectTo, connectorTitle, done: doneMark(this.#deps.csrfKey, link.id, callback.browser) };
  }

  async #claim(flow: OAuthFlow, callback: Callback, connectorTitle: string): Promise<OAuthFlow> {
    const { db, clock } = this.#deps;
    const refusal = refusalOf(flow, callback, clock.now());
    if (refusal !== undefined) throw new PageFailure('callback', refusal, { connectorTitle });
    const claimed = await db.transaction(async (tx) =>
      new OAuthFlowStore(tx).claim(flow.environmentId, flow.id, clock.now()),
    );
    if (claimed === undefined) throw new PageFailure('callback', 'state', { connectorTitle });
    return claimed;
  }

  async #complete(
    link: Link,
    row: Account,
    credentials: NewCredentials,
    browserHash: string,
  ): Promise<string | null> {
    const { completion, revocation } = this.#deps;
    try {
      return await completion.complete(link, row, credentials, browserHash);
    } catch (error) {
      if (isPageFailure(error, 'link') && credentials.details.oauth_token !== undefined)
        revocation.tokensDiscarded(row, credentials.details);
      throw error;
    }
  }
}
