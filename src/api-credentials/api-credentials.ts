/**
 * API credentials, with which machines prove who they are: makes, lists, rotates, removes and checks them.
 *
 * A secret has 256 random bits, is shown once and stored as its SHA-256. Changes are audited in the transaction
 * that makes them. Tokens are issued elsewhere (authorization-server.ts).
 */
import { timingSafeEqual } from 'node:crypto';
import {
  boundOrganizationOf,
  requireScope,
  SCOPES,
  type Caller,
  type CredentialScope,
} from '../core/caller.ts';
import { toTimestamp, toTimestampOrNull, type Clock } from '../core/clock.ts';
import { notFound } from '../core/errors.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import type { ApiCredential } from '../store/tables/tables.ts';
import { liveCredential } from '../store/tokens/credential-store.ts';
import { SessionStore } from '../store/people/session-store.ts';
import { type CredentialInput, requireScopesToGive, requireValidCredential } from './credential-input.ts';
import { insertCredential, isClientId, newClientId, replaceSecrets } from './credential-rows.ts';
import { ensureFirstCredential, type FirstCredential, type GivenCredential } from './first-credential.ts';

/** Time for which older secrets still work after a rotation, so that deployments can switch. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Limit of a list; an environment has only a few. */
const MAX_LISTED = 1_000;

/** Compared if there is no such client, so that the check takes the same steps. */
const NO_SECRET = hashSecret(newSecret());

/** A credential as the rules use it. */
export interface Credential {
  /** `cred_…` */
  id: string;
  clientId: string;
  scopes: readonly CredentialScope[];
  /** '' if it is not bound to an organization. */
  organizationId: string;
}

/** A credential as the API shows it. */
export interface CredentialView {
  id: string;
  name: string;
  scopes: CredentialScope[];
  /** '' if the credential is not bound to an organization. */
  organization_id: string;
  client_id: string;
  created_at: string;
  /** The last request with one of its tokens, to the minute. */
  last_used_at: string | null;
}

/** The only answer that ever holds the secret. */
export interface NewCredentialView extends CredentialView {
  client_secret: string;
}

export class ApiCredentials {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Makes a credential. A caller bound to an organization makes only credentials of that organization. Except at the
   * command line, a caller gives only scopes that it has.
   *
   * @throws ServiceError PERMISSION_DENIED without `admin` or a scope to give; INVALID_ARGUMENT with all violations
   */
  async create(caller: Caller, input: CredentialInput): Promise<{ credential: NewCredentialView }> {
    requireScope(caller, 'admin');
    const checked = requireValidCredential(caller, input);
    const now = this.#clock.now();
    const secret = newSecret();
    const row: ApiCredential = {
      id: newId('cred', now),
      environment_id: caller.environmentId,
      name: checked.name,
      client_id: newClientId(),
      organization_id: checked.organizationId,
      scopes: checked.scopes.join(' '),
      created_at: now,
      last_used_at: null,
    };
    await this.#database.transaction(async (tx) => {
      await insertCredential(tx, row, secret);
      await writeAuditLine(tx, caller, { action: 'credential.create', target: row.id, now });
    });
    return { credential: { ...toView(row), client_secret: secret } };
  }

  /** All credentials of an environment, newest first; with `organizationId` only those bound to it. */
  async list(environmentId: string, reach: { organizationId?: string } = {}): Promise<CredentialView[]> {
    const credentials = await rows(this.#database.read, 'credentials').page(environmentId, {
      where: { organization_id: reach.organizationId },
      position: undefined,
      limit: MAX_LISTED,
    });
    return credentials.map(toView);
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(
    environmentId: string,
    id: string,
    reach: { organizationId?: string } = {},
  ): Promise<CredentialView> {
    const row = await rows(this.#database.read, 'credentials').find(environmentId, id);
    return toView(found(row, reach.organizationId));
  }

  /** The time until which secrets before the last rotation still work; null if only the newest works. */
  async previousUntil(environmentId: string, id: string): Promise<string | null> {
    const secrets = await rows(this.#database.read, 'credential_secrets').list(environmentId, {
      where: (e) => e.and([e('credential_id', '=', id), e('expires_at', '>', this.#clock.now())]),
    });
    const ends = secrets.flatMap(({ expires_at }) => expires_at ?? []);
    return toTimestampOrNull(ends.length === 0 ? null : Math.max(...ends));
  }

  /**
   * Adds a secret to a credential. The previous ones still work for 24 h, or less if an earlier rotation ends them
   * sooner. To disable a leaked secret at once, remove the credential and make a new one.
   *
   * @returns the new secret, and the time (RFC 3339) until which the previous ones work
   * @throws ServiceError PERMISSION_DENIED without `admin`, or if the credential has a scope that the caller lacks,
   *   because the new secret gives that scope; RESOURCE_NOT_FOUND
   */
  async rotate(
    caller: Caller,
    id: string,
  ): Promise<{ credential: NewCredentialView; previous_until: string }> {
    requireScope(caller, 'admin');
    const now = this.#clock.now();
    const secret = newSecret();
    const previousUntil = now + ROTATION_OVERLAP_MS;
    const row = await this.#database.transaction(async (tx) => {
      const stored = await rows(tx, 'credentials').find(caller.environmentId, id);
      const current = found(stored, boundOrganizationOf(caller));
      requireScopesToGive(caller, scopesOfRow(current));
      await replaceSecrets(tx, current, { secret, now, othersEndAt: previousUntil });
      await writeAuditLine(tx, caller, { action: 'credential.rotate', target: id, now });
      return current;
    });
    return {
      credential: { ...toView(row), client_secret: secret },
      previous_until: toTimestamp(previousUntil),
    };
  }

  /**
   * Removes a credential. Every process refuses its tokens within 5 s, including those of sessions that it made:
   * otherwise an attacker with a leaked secret could continue as the users.
   *
   * @throws ServiceError PERMISSION_DENIED without `admin`; RESOURCE_NOT_FOUND
   */
  async remove(caller: Caller, id: string): Promise<void> {
    requireScope(caller, 'admin');
    await this.#database.transaction(async (tx) => {
      const store = rows(tx, 'credentials');
      const row = found(await store.find(caller.environmentId, id), boundOrganizationOf(caller));
      const now = this.#clock.now();
      await store.delete(caller.environmentId, id);
      await new SessionStore(tx).endAll(caller.environmentId, { clientId: row.client_id }, now);
      await writeAuditLine(tx, caller, { action: 'credential.delete', target: id, now });
    });
  }

  /**
   * Makes sure that an environment has a credential with all scopes; for `serve` and `init`, never for `mcp`.
   *
   * @param given client id and secret of the settings, used as they are. A changed secret replaces the
   *   previous one at once.
   * @returns `clientSecret` only if it was made here: it is printed once and cannot be read again
   * @throws ServiceError INVALID_ARGUMENT for an id without a secret or the reverse, and for unusable characters
   */
  async ensureFirst(environmentId: string, given: GivenCredential = {}): Promise<FirstCredential> {
    return ensureFirstCredential(this.#database, this.#clock.now(), environmentId, given);
  }

  /** Whether there is a credential with this client id. */
  async isClient(environmentId: string, clientId: string): Promise<boolean> {
    if (!isClientId(clientId)) return false;
    const credential = await rows(this.#database.read, 'credentials').findBy(environmentId, {
      client_id: clientId,
    });
    return credential !== undefined;
  }

  /**
   * Returns the credential with this id and secret.
   *
   * Takes the same steps if the client is unknown and if the secret is wrong: two look-ups, one hash per reading
   * of the secret, comparisons in constant time.
   *
   * @param secrets the secret as sent, in each way in which it can be decoded
   * @returns `undefined` if the client is unknown or the secret wrong
   */
  async authenticate(
    environmentId: string,
    clientId: string,
    secrets: string | readonly string[],
  ): Promise<Credential | undefined> {
    const { read } = this.#database;
    const live = isClientId(clientId)
      ? await liveCredential(read, environmentId, clientId, this.#clock.now())
      : undefined;
    if (live === undefined) await rows(read, 'credentials').find(environmentId, 'cred_');
    const good = live === undefined || live.secretHashes.length === 0 ? [NO_SECRET] : live.secretHashes;
    const given = [secrets].flat().map((secret) => Buffer.from(hashSecret(secret)));
    let matches = 0;
    for (const hash of good) {
      for (const candidate of given) matches += timingSafeEqual(Buffer.from(hash), candidate) ? 1 : 0;
    }
    return live === undefined || matches === 0 ? undefined : toCredential(live.credential);
  }
}

function toCredential(row: ApiCredential): Credential {
  return {
    id: row.id,
    clientId: row.client_id,
    scopes: scopesOfRow(row),
    organizationId: row.organization_id,
  };
}

function toView(row: ApiCredential): CredentialView {
  return {
    id: row.id,
    name: row.name,
    scopes: scopesOfRow(row),
    organization_id: row.organization_id,
    client_id: row.client_id,
    created_at: toTimestamp(row.created_at),
    last_used_at: toTimestampOrNull(row.last_used_at),
  };
}

function scopesOfRow(row: ApiCredential): CredentialScope[] {
  const words = new Set(row.scopes.split(' '));
  return SCOPES.filter((scope) => words.has(scope));
}

function found(row: ApiCredential | undefined, organizationId: string | undefined): ApiCredential {
  const isWithin = organizationId === undefined || row?.organization_id === organizationId;
  if (row !== undefined && isWithin) return row;
  throw notFound('credential');
}
