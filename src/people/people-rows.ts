/** Writes users and memberships for sign-up, invitations and the operator's commands. Checks nothing. */
import type { Role } from '../core/caller.ts';
import { newId } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import type { CheckedPerson } from './people-rules.ts';
import { asRead } from '../store/engine/row-reader.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import { rows } from '../store/engine/rows.ts';
import type { Membership, User, UserTable } from '../store/tables/people-tables.ts';

/** The actor, for the audit log. */
export interface Actor {
  environmentId: string;
  /** Empty for self sign-up: the new user is then the actor. */
  actor: string;
  ip: string;
}

/** A new user as a row. */
export function newUserRow(
  environmentId: string,
  { email, givenName, familyName }: CheckedPerson,
  {
    now,
    isEmailVerified,
    isOperator = false,
  }: { now: number; isEmailVerified: boolean; isOperator?: boolean },
): StoredForm<UserTable> {
  return {
    id: newId('usr', now),
    environment_id: environmentId,
    email,
    email_verified: isEmailVerified ? 1 : 0,
    given_name: givenName,
    family_name: familyName,
    is_operator: isOperator ? 1 : 0,
    created_at: now,
    updated_at: now,
  };
}

/** Stores a new user with its audit line. */
export async function insertUser(
  tx: WriteTransaction,
  who: Actor,
  row: StoredForm<UserTable>,
): Promise<void> {
  await rows(tx, 'users').insert(row);
  const actor = who.actor === '' ? row.id : who.actor;
  await writeAuditLine(tx, { ...who, actor }, { action: 'user.create', target: row.id, now: row.created_at });
}

/**
 * Finds the user with this address, or creates one. An existing user keeps their names; an address that is proven now
 * is marked so.
 */
export async function findOrCreateUser(
  tx: WriteTransaction,
  who: Actor,
  person: CheckedPerson,
  { now, isEmailVerified }: { now: number; isEmailVerified: boolean },
): Promise<User> {
  const store = rows(tx, 'users');
  const known = await store.findBy(who.environmentId, { email: person.email });
  if (known === undefined) {
    const row = newUserRow(who.environmentId, person, { now, isEmailVerified });
    await insertUser(tx, who, row);
    return asRead('users', row);
  }
  if (!isEmailVerified || known.email_verified) return known;
  const set = { email_verified: 1, updated_at: now } as const;
  await store.update(who.environmentId, known.id, set);
  return { ...known, ...asRead('users', set) };
}

/** Stores a new membership. The caller writes its audit line, which may be part of something larger. */
export async function insertMembership(
  tx: WriteTransaction,
  of: { environmentId: string; organizationId: string; userId: string },
  role: Role,
  now: number,
): Promise<Membership> {
  const row: Membership = {
    id: newId('mem', now),
    environment_id: of.environmentId,
    organization_id: of.organizationId,
    user_id: of.userId,
    role,
    created_at: now,
    updated_at: now,
  };
  await rows(tx, 'memberships').insert(row);
  return row;
}
