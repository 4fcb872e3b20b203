/**
 * Sign-in by an organization's own OpenID provider: authorization code with PKCE and nonce, `state` bound to the
 * browser that started, and the ID token's signature checked against the provider's keys.
 *
 * The callback's path names the organization, and is compared with the flow before anything is sent. So a provider that
 * forwards a browser to another provider gains nothing. openid-client is loaded with the first flow.
 */
import type { Configuration } from 'openid-client';
import type { Clock } from '../../core/clock.ts';
import { PageFailure } from '../../core/page-failure.ts';
import type { Environments } from '../../core/environment.ts';
import { hashSecret, newId, newSecret } from '../../core/ids.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import type { IdentityProvider, SignInFlow } from '../../store/tables/people-tables.ts';
import type { Vault } from '../../vault/vault.ts';
import {
  CLOCK_TOLERANCE_S,
  configuredClient,
  handIn,
  signInAddress,
  signInHosts,
  type NamedPerson,
} from './openid.ts';
import { domainOf, redirectUri, identityProviderSecretPlace } from './identity-provider-rules.ts';

/** Longest time between the redirect to the provider and the callback, in milliseconds. */
const FLOW_MS = 10 * 60_000;

/** Facts with which a flow starts. */
export interface ProviderStart {
  environmentId: string;
  organizationId: string;
  /** Value of the browser's cookie. */
  browser: string;
  /** Path of ours to continue at after sign-in. */
  next: string;
  /** As the user wrote it; '' if not known. */
  email: string;
  /** The person is signed in and has to prove again who they are. */
  isAgain?: boolean;
}

/** A provider's statement about the user who came back. people-sign-in.ts decides whether to trust it. */
export interface ProvenByProvider extends NamedPerson {
  provider: IdentityProvider;
  /** Path of ours. */
  next: string;
}

/** Values fixed at the start of the flow. */
interface FlowSecrets {
  verifier: string;
  nonce: string;
  issuer: string;
  clientId: string;
  /** Absent in flows of earlier versions. */
  isAgain?: boolean;
}

interface IdentityProviderSignInDeps {
  db: Database;
  clock: Clock;
  vault: Pick<Vault, 'seal' | 'open'>;
  environments: Environments;
  /** For providers that the operator entered. */
  sender: Pick<Sender, 'send'>;
  /** For other providers, at public addresses only. */
  publicSender: Pick<Sender, 'send'>;
}

export class IdentityProviderSignIn {
  readonly #deps: IdentityProviderSignInDeps;

  constructor(deps: IdentityProviderSignInDeps) {
    this.#deps = deps;
  }

  /**
   * The hosts shown to users before they go there: the issuer's, and that of its sign-in page if different. Asks the
   * provider.
   *
   * @throws PageFailure of a sign-in, as `start`
   */
  async hosts(of: Pick<ProviderStart, 'environmentId' | 'organizationId' | 'email'>): Promise<string[]> {
    return signInHosts(await this.#configured(await this.#providerFor(of)));
  }

  /**
   * Returns the address of the provider's sign-in page.
   *
   * @throws PageFailure of a sign-in: `no_provider`, `email` (not one of the provider's domains), `unreachable`, `answer`
   */
  async start({
    environmentId,
    organizationId,
    browser,
    next,
    email,
    isAgain = false,
  }: ProviderStart): Promise<string> {
    const provider = await this.#providerFor({ environmentId, organizationId, email });
    const config = await this.#configured(provider);
    const now = this.#deps.clock.now();
    const id = newId('flw', now);
    const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()];
    const redirectTo = await signInAddress(config, {
      redirectUri: this.#redirectUri(provider),
      state,
      nonce,
      verifier,
      isAgain,
      email,
    });
    const { issuer, client_id: clientId } = provider;
    const secrets: FlowSecrets = { verifier, nonce, issuer, clientId, isAgain };
    const row: SignInFlow = {
      id,
      environment_id: environmentId,
      organization_id: organizationId,
      state_hash: hashSecret(state),
      browser_hash: hashSecret(browser),
      secrets_sealed: await this.#deps.vault.seal(flowPlace(id), JSON.stringify(secrets)),
      next,
      created_at: now,
      expires_at: now + FLOW_MS,
      consumed_at: null,
    };
    await this.#deps.db.transaction(async (tx) => rows(tx, 'sign_in_flows').insert(row));
    return redirectTo;
  }

  /**
   * Accepts the provider's answer, once.
   *
   * @param answer.query the whole query of the callback
   * @throws PageFailure of a sign-in
   */
  async finish(answer: {
    environmentId: string;
    organizationId: string;
    query: URLSearchParams;
    browser: string | undefined;
  }): Promise<ProvenByProvider> {
    const { environmentId, organizationId, query } = answer;
    const state = query.get('state') ?? '';
    const flow = await rows(this.#deps.db.read, 'sign_in_flows').findBy(environmentId, {
      state_hash: hashSecret(state),
    });
    if (flow === undefined || flow.consumed_at !== null) throw new PageFailure('sign_in', 'state');
    if (flow.expires_at <= this.#deps.clock.now()) throw new PageFailure('sign_in', 'expired');
    if (flow.organization_id !== organizationId) throw new PageFailure('sign_in', 'place');
    if (answer.browser === undefined || hashSecret(answer.browser) !== flow.browser_hash)
      throw new PageFailure('sign_in', 'browser');
    await this.#claim(flow);
    const secrets = JSON.parse(
      await this.#deps.vault.open(flowPlace(flow.id), flow.secrets_sealed),
    ) as FlowSecrets;
    const provider = await this.#provider(environmentId, organizationId);
    // A code for the earlier provider must not be sent to another one.
    if (provider.issuer !== secrets.issuer || provider.client_id !== secrets.clientId)
      throw new PageFailure('sign_in', 'no_provider');
    const address = new URL(`${this.#redirectUri(provider)}?${query.toString()}`);
    const { verifier, nonce, isAgain = false } = secrets;
    const person = await handIn(await this.#configured(provider), address, { state, nonce, verifier });
    const since = flow.created_at - CLOCK_TOLERANCE_S * 1_000;
    if (isAgain && (person.provenAt ?? 0) < since) throw new PageFailure('sign_in', 'stale');
    return { ...person, provider, next: flow.next };
  }

  async #claim({ environment_id: environmentId, id }: SignInFlow): Promise<void> {
    const now = this.#deps.clock.now();
    const isClaimed = await this.#deps.db.transaction(async (tx) =>
      rows(tx, 'sign_in_flows').update(environmentId, id, { consumed_at: now }, { consumed_at: null }),
    );
    if (!isClaimed) throw new PageFailure('sign_in', 'state');
  }

  /** Reads the provider's metadata each time: one sign-in reads it only twice, and keys change. */
  async #configured(provider: IdentityProvider): Promise<Configuration> {
    const { id, issuer, client_id: clientId, client_secret_sealed: sealed } = provider;
    const secret =
      sealed === null ? undefined : await this.#deps.vault.open(identityProviderSecretPlace(id), sealed);
    const { sender, publicSender } = this.#deps;
    // The library uses the same sender for the token, the user and the keys.
    return configuredClient(
      { issuer, clientId, secret },
      provider.entered_by_operator ? sender : publicSender,
    );
  }

  /** The provider, if the address signs in there; '' stands for an unknown address. */
  async #providerFor({
    environmentId,
    organizationId,
    email,
  }: Pick<ProviderStart, 'environmentId' | 'organizationId' | 'email'>): Promise<IdentityProvider> {
    const provider = await this.#provider(environmentId, organizationId);
    if (email !== '' && !provider.domains.includes(domainOf(email) ?? ''))
      throw new PageFailure('sign_in', 'email');
    return provider;
  }

  /** Finds the identity provider. Without domains it signs nobody in, because it is not trusted with any address. */
  async #provider(environmentId: string, organizationId: string): Promise<IdentityProvider> {
    const provider = await rows(this.#deps.db.read, 'organization_providers').findBy(environmentId, {
      organization_id: organizationId,
    });
    if (provider === undefined || provider.domains.length === 0)
      throw new PageFailure('sign_in', 'no_provider');
    return provider;
  }

  #redirectUri({ environment_id: environmentId, organization_id: organizationId }: IdentityProvider): string {
    return redirectUri(this.#deps.environments.get(environmentId).baseUrl, organizationId);
  }
}

function flowPlace(id: string): { table: string; row: string; column: string } {
  return { table: 'sign_in_flows', row: id, column: 'secrets_sealed' };
}
