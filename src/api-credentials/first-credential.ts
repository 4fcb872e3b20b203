/**
 * The credential that an environment has from its first start: made here, or given by the settings.
 *
 * Two processes may start at once: one transaction decides, and both get the same credential.
 */
import { SCOPES } from '../core/caller.ts';
import { invalidArgument, invalidField, violation, type FieldViolation } from '../core/errors.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import { isUniqueViolation } from '../store/engine/database-errors.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import type { ApiCredential } from '../store/tables/tables.ts';
import { liveCredential } from '../store/tokens/credential-store.ts';
import { insertCredential, isClientId, newClientId, replaceSecrets } from './credential-rows.ts';

/** `client_id` and `client_secret` of the settings: both or neither. */
export interface GivenCredential {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
}

export interface FirstCredential {
  /** Whether this call made the credential. */
  created: boolean;
  clientId: string;
  /** Only if it was made here, never one from the settings. */
  clientSecret?: string;
}

/** See ApiCredentials.ensureFirst. @param now Unix milliseconds */
export async function ensureFirstCredential(
  database: Database,
  now: number,
  environmentId: string,
  given: GivenCredential,
): Promise<FirstCredential> {
  const { clientId, clientSecret } = given;
  if (clientId === undefined && clientSecret === undefined) return makeOne(database, now, environmentId);
  const violations = givenViolations(given);
  if (violations.length > 0) throw invalidArgument(violations);
  return takeGiven(database, now, environmentId, clientId ?? '', clientSecret ?? '');
}

async function makeOne(database: Database, now: number, environmentId: string): Promise<FirstCredential> {
  const secret = newSecret();
  const row = firstRow(environmentId, newClientId(), now);
  const oldest = await database.transaction(async (tx) => {
    const oldestFirst = { orderBy: ['created_at', 'id'], limit: 1 } as const;
    const [existing] = await rows(tx, 'credentials').list(environmentId, oldestFirst);
    if (existing !== undefined) return existing;
    await insertCredential(tx, row, secret);
    await writeAuditLine(tx, atStart(environmentId), { action: 'credential.create', target: row.id, now });
    return undefined;
  });
  if (oldest !== undefined) return { created: false, clientId: oldest.client_id };
  return { created: true, clientId: row.client_id, clientSecret: secret };
}

async function takeGiven(
  database: Database,
  now: number,
  environmentId: string,
  clientId: string,
  secret: string,
): Promise<FirstCredential> {
  try {
    const created = await database.transaction(async (tx) => {
      const live = await liveCredential(tx, environmentId, clientId, now);
      if (live === undefined) {
        const row = firstRow(environmentId, clientId, now);
        await insertCredential(tx, row, secret);
        await writeAuditLine(tx, atStart(environmentId), {
          action: 'credential.create',
          target: row.id,
          now,
        });
        return true;
      }
      if (live.secretHashes.includes(hashSecret(secret))) return false;
      await replaceSecrets(tx, live.credential, { secret, now, othersEndAt: now });
      await writeAuditLine(tx, atStart(environmentId), {
        action: 'credential.rotate',
        target: live.credential.id,
        now,
      });
      return false;
    });
    return { created, clientId };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw invalidField(
      'client_id',
      'This client id belongs to another environment of this installation. Choose another one.',
      'unique',
    );
  }
}

/** Name of the credential that a start makes. It says nothing about who uses it, so no page for people shows it. */
export const FIRST_NAME = 'First credential';

function firstRow(environmentId: string, clientId: string, now: number): ApiCredential {
  return {
    id: newId('cred', now),
    environment_id: environmentId,
    name: FIRST_NAME,
    client_id: clientId,
    organization_id: '',
    scopes: SCOPES.join(' '),
    created_at: now,
    last_used_at: null,
  };
}

/** There is no caller: the program itself is the actor at its start. */
function atStart(environmentId: string): { environmentId: string; actor: string; ip: string } {
  return { environmentId, actor: 'local', ip: '' };
}

function givenViolations({ clientId, clientSecret }: GivenCredential): FieldViolation[] {
  const out: FieldViolation[] = [];
  if (clientId === undefined) {
    out.push(
      violation(
        'client_id',
        'client_id is missing. Set both client_id and client_secret, or neither.',
        'required',
      ),
    );
  } else if (!isClientId(clientId)) {
    out.push(
      violation(
        'client_id',
        'A client id has 1 to 200 printable ASCII characters, no space, no colon.',
        'pattern',
      ),
    );
  }
  if (clientSecret === undefined) {
    out.push(
      violation(
        'client_secret',
        'client_secret is missing. Set both client_id and client_secret, or neither.',
        'required',
      ),
    );
  } else if (!/^[!-~]{1,500}$/.test(clientSecret)) {
    out.push(
      violation(
        'client_secret',
        'A client secret has 1 to 500 printable ASCII characters, no space.',
        'pattern',
      ),
    );
  }
  return out;
}
