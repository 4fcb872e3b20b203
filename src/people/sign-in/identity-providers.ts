/**
 * The OpenID providers of organizations, managed by their owners, and by the operator for the whole environment.
 *
 * A claimed domain identifies users in the whole environment, not only in the organization: anyone who claims one can
 * sign in as any user with an address in it. So only the operator, who knows the owners, adds domains. A claim belongs
 * to one issuer and client: if anybody else changes these, the claim ends.
 */
import { boundOrganizationOf, type Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import { invalidArgument, invalidField, ServiceError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { writeAuditLine } from '../../store/records/audit-store.ts';
import type { Database, Readable, WriteTransaction } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { authorityIn, noOrganization, requireRole, type Authority } from '../organization-reach.ts';
import {
  domainOf,
  normalizeDomain,
  providerViolations,
  identityProviderSecretPlace,
  toProviderView,
  type IdentityProviderInput,
  type IdentityProviderView,
  type ProviderReach,
} from './identity-provider-rules.ts';
import { asRead } from '../../store/engine/row-reader.ts';
import { identityProviderOfDomain } from '../../store/people/organization-provider-store.ts';
import { rows } from '../../store/engine/rows.ts';
import type { IdentityProvider } from '../../store/tables/people-tables.ts';

/** A provider after a change. */
export interface ChangedProviderView extends IdentityProviderView {
  /** Warnings about the change; absent if there are none. */
  warnings?: string[];
}

interface IdentityProvidersDeps extends ProviderReach {
  db: Database;
  clock: Clock;
  vault: Pick<Vault, 'seal'>;
  environments: Environments;
}

export class IdentityProviders {
  readonly #deps: IdentityProvidersDeps;

  constructor(deps: IdentityProvidersDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below owner */
  async get(caller: Caller, organizationId: string): Promise<IdentityProviderView> {
    requireRole(caller, await authorityIn(this.#deps.db.read, caller, organizationId), 'owner');
    const row = await this.#find(this.#deps.db.read, caller, organizationId);
    if (row === undefined) throw noProvider();
    return this.#view(row);
  }

  /**
   * Creates or replaces the organization's provider. What the input leaves out stays only if issuer and client stay.
   *
   * @returns the provider, with `warnings` where its domains were dropped
   * @throws ServiceError INVALID_ARGUMENT; RESOURCE_NOT_FOUND; PERMISSION_DENIED below owner, for a new domain or switch
   *   unless the operator sets it, and for a bound credential if the provider has domains; ALREADY_EXISTS for a domain
   *   that another organization has claimed
   */
  async put(
    caller: Caller,
    organizationId: string,
    input: IdentityProviderInput,
  ): Promise<ChangedProviderView> {
    const authority = await authorityIn(this.#deps.db.read, caller, organizationId);
    requireRole(caller, authority, 'owner');
    const isOperator = isForAll(caller, authority);
    const before = await this.#find(this.#deps.db.read, caller, organizationId);
    requireMayChange(caller, before);
    const isOperators = isOperator || isOfOperator(before, input);
    const violations = providerViolations(input, this.#deps, isOperators);
    if (violations.length > 0) throw invalidArgument(violations);
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    const id = before?.id ?? newId('idp', now);
    const secret = input.client_secret;
    const columns = {
      issuer: input.issuer,
      client_id: input.client_id,
      client_secret_sealed:
        typeof secret === 'string'
          ? await this.#deps.vault.seal(identityProviderSecretPlace(id), secret)
          : null,
      entered_by_operator: isOperators ? (1 as const) : (0 as const),
      updated_at: now,
    };
    return this.#deps.db.transaction(async (tx) => {
      const store = rows(tx, 'organization_providers');
      const organization = await rows(tx, 'organizations').find(environmentId, organizationId);
      if (organization === undefined) throw noOrganization();
      const current = await this.#find(tx, caller, organizationId);
      if (current?.id !== before?.id) throw changedMeanwhile();
      if (isOfOperator(current, input) !== isOfOperator(before, input)) throw changedMeanwhile();
      requireMayChange(caller, current);
      const kept = isSameClient(current, input) ? current : undefined;
      const claimed = current?.domains ?? [];
      const trust = trustOf(input, kept);
      if (!isOperator) requireNoMoreTrust(trust, claimed, kept);
      const isDropped = !isOperator && kept === undefined && claimed.length > 0;
      if (isDropped) trust.domains = [];
      await requireUnclaimed(tx, environmentId, organizationId, trust.domains);
      if (secret === undefined) columns.client_secret_sealed = keptSecret(input, current);
      const set = { ...columns, ...stored(trust) };
      const made = { id, environment_id: environmentId, organization_id: organizationId, created_at: now };
      if (current === undefined) await store.insert({ ...made, ...set });
      else await store.update(environmentId, id, set);
      const action = `organization_provider.${current === undefined ? 'create' : 'update'}`;
      await writeAuditLine(tx, caller, { action, target: id, now });
      if (isDropped)
        await writeAuditLine(tx, caller, { action: 'organization_provider.drop_domains', target: id, now });
      const view = this.#view({ ...(current ?? made), ...asRead('organization_providers', set) });
      return isDropped ? { ...view, warnings: [droppedDomains(claimed)] } : view;
    });
  }

  /** The addresses of its domains sign in by e-mail code again. @throws as `get` */
  async remove(caller: Caller, organizationId: string): Promise<void> {
    requireRole(caller, await authorityIn(this.#deps.db.read, caller, organizationId), 'owner');
    await this.#deps.db.transaction(async (tx) => {
      const row = await this.#find(tx, caller, organizationId);
      if (row === undefined) throw noProvider();
      requireMayChange(caller, row);
      await rows(tx, 'organization_providers').delete(row.environment_id, row.id);
      const now = this.#deps.clock.now();
      await writeAuditLine(tx, caller, { action: 'organization_provider.delete', target: row.id, now });
    });
  }

  /** The only provider at which an address can sign in; `undefined` if it signs in by code. @param email in normal form */
  async ofEmail(environmentId: string, email: string): Promise<IdentityProvider | undefined> {
    const domain = domainOf(email);
    if (domain === undefined) return undefined;
    return identityProviderOfDomain(this.#deps.db.read, environmentId, domain);
  }

  async #find(
    db: Readable,
    { environmentId }: Caller,
    organizationId: string,
  ): Promise<IdentityProvider | undefined> {
    return rows(db, 'organization_providers').findBy(environmentId, { organization_id: organizationId });
  }

  #view(row: IdentityProvider): IdentityProviderView {
    return toProviderView(row, this.#deps.environments.get(row.environment_id).baseUrl);
  }
}

/** Whether the caller acts for the whole environment, which a credential bound to the organization does not. */
function isForAll(caller: Caller, authority: Authority): boolean {
  return authority === 'operator' && boundOrganizationOf(caller) === undefined;
}

/** Whether issuer and client are still the ones that the operator entered. */
function isOfOperator(current: IdentityProvider | undefined, input: IdentityProviderInput): boolean {
  return current?.entered_by_operator === true && isSameClient(current, input);
}

function isSameClient(current: IdentityProvider | undefined, input: IdentityProviderInput): boolean {
  return current?.issuer === input.issuer && current.client_id === input.client_id;
}

/** The powers of an identity provider: its claimed domains and the operator's switches. */
interface Trust {
  domains: readonly string[];
  assumeEmailVerified: boolean;
  allowOperatorRights: boolean;
}

/** @param kept what is stored, if issuer and client stay */
function trustOf(input: IdentityProviderInput, kept: IdentityProvider | undefined): Trust {
  const given = input.domains?.map((domain) => normalizeDomain(domain) ?? '');
  return {
    domains: given === undefined ? (kept?.domains ?? []) : [...new Set(given)],
    assumeEmailVerified: input.assume_email_verified ?? kept?.assume_email_verified ?? false,
    allowOperatorRights: input.allow_operator_rights ?? kept?.allow_operator_rights ?? false,
  };
}

function stored({ domains, assumeEmailVerified, allowOperatorRights }: Trust) {
  return {
    domains: JSON.stringify(domains),
    assume_email_verified: assumeEmailVerified ? (1 as const) : (0 as const),
    allow_operator_rights: allowOperatorRights ? (1 as const) : (0 as const),
  };
}

/** @param kept what is stored, if issuer and client stay */
function requireNoMoreTrust(
  trust: Trust,
  known: readonly string[],
  kept: IdentityProvider | undefined,
): void {
  if (!trust.domains.every((domain) => known.includes(domain)))
    throw new ServiceError(
      'PERMISSION_DENIED',
      'An e-mail domain decides who people are everywhere here, so only the operator adds it. Leave it out, or ask the operator of this Gatehouse.',
    );
  if (
    trust.assumeEmailVerified !== (kept?.assume_email_verified ?? false) ||
    trust.allowOperatorRights !== (kept?.allow_operator_rights ?? false)
  )
    throw new ServiceError(
      'PERMISSION_DENIED',
      'Only the operator sets assume_email_verified and allow_operator_rights: leave them out, or ask the operator of this Gatehouse.',
    );
}

/** @throws ServiceError PERMISSION_DENIED for a credential bound to an organization if the provider has domains */
function requireMayChange(caller: Caller, current: IdentityProvider | undefined): void {
  if (boundOrganizationOf(caller) === undefined || (current?.domains ?? []).length === 0) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'This provider decides who people with its e-mail domains are, so a credential of one organization cannot change it: an owner or the operator can.',
  );
}

function droppedDomains(domains: readonly string[]): string {
  return `Issuer or client id changed, so ${domains.join(', ')} ${domains.length === 1 ? 'was' : 'were'} dropped from the domains. Nobody signs in through this provider until the operator of this Gatehouse adds them again.`;
}

async function requireUnclaimed(
  tx: WriteTransaction,
  environmentId: string,
  organizationId: string,
  domains: readonly string[],
): Promise<void> {
  for (const domain of domains) {
    const holder = await identityProviderOfDomain(tx, environmentId, domain);
    if (holder === undefined || holder.organization_id === organizationId) continue;
    throw new ServiceError(
      'ALREADY_EXISTS',
      `Another organization has the domain ${domain}. Take it out of that one's provider first, or leave it out here.`,
    );
  }
}

/** @throws ServiceError INVALID_ARGUMENT if issuer or client changes: the secret was not meant for the new one */
function keptSecret(input: IdentityProviderInput, current: IdentityProvider | undefined): string | null {
  if (current === undefined || current.client_secret_sealed === null) return null;
  if (isSameClient(current, input)) return current.client_secret_sealed;
  throw invalidField(
    'client_secret',
    'Issuer or client id changes: give the secret again, or null for a client without one.',
    'required',
  );
}

function noProvider(): ServiceError {
  return new ServiceError('RESOURCE_NOT_FOUND', 'The organization has no OpenID provider.');
}

function changedMeanwhile(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The provider was changed in the meantime. Try again.', {
    retryAfterSeconds: 1,
  });
}
