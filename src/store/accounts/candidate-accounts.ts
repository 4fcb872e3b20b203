/**
 * The accounts among which a call chooses, with the connections where they may be: in one statement, because every call
 * makes it. Knows SQL and nothing else.
 */
import type { Kysely } from 'kysely';
import type { Owner } from '../../core/caller.ts';
import type { Database } from '../engine/database.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { Tables } from '../tables/tables.ts';
import { CONNECTION_OF_ACCOUNT } from './account-rows.ts';
import { accountOf, type Account, type AccountRow } from './account.ts';
import type { Connection } from './connection.ts';

/** Rows that are read if no owner limits them. */
const MAX_OF_ALL_OWNERS = 20;

/** Most answers that are kept, of about 2 kB each. */
const MAX_KNOWN = 1_000;

/** The accounts that a call may mean. `owner` or `identifier` is present, or both. */
export interface Candidacy {
  environmentId: string;
  /** Column of the connection that `value` is compared with. */
  by: 'name' | 'connector';
  value: string;
  /** `undefined` for accounts of all owners, and those without an owner. */
  owner?: Owner | undefined;
  identifier?: string | undefined;
}

export interface Candidates {
  /** All connections that fit, also those without an account. */
  connections: readonly Pick<Connection, 'id' | 'name'>[];
  /** Oldest first. */
  accounts: readonly Account[];
  /** Whether there may be more. Never with an owner. */
  isCut: boolean;
}

/**
 * Reads candidates, and reuses those of the last reads as long as nothing was written. An agent makes many calls
 * with one account, and reading it takes a tenth of a call.
 */
export class CandidateAccounts {
  readonly #db: Pick<Database, 'read' | 'version'>;
  readonly #known = new Map<string, Candidates>();
  /** Version of the database for which the known facts hold. */
  #version: string | undefined;

  constructor(db: Pick<Database, 'read' | 'version'>) {
    this.#db = db;
  }

  /** @throws ServiceError UNAVAILABLE */
  async of(wish: Candidacy): Promise<Candidates> {
    const version = this.#db.version();
    if (version === undefined) return candidateAccounts(this.#db.read, wish);
    if (version !== this.#version || this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#version = version;
    const key = keyOf(wish);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = await candidateAccounts(this.#db.read, wish);
    // Somebody may have written meanwhile; then this may be the earlier state.
    if (this.#version === version) this.#known.set(key, found);
    return found;
  }
}

/** The key of a query. Its parts are separated unambiguously, because names of people may contain anything. */
function keyOf({ environmentId, by, value, owner, identifier }: Candidacy): string {
  return JSON.stringify([environmentId, by, value, owner?.userId, owner?.organizationId, identifier]);
}

export async function candidateAccounts(db: Kysely<Tables>, wish: Candidacy): Promise<Candidates> {
  const { environmentId, by, value, owner, identifier } = wish;
  const shape = owner === undefined ? 'named' : identifier === undefined ? 'owned' : 'ownedAndNamed';
  const rows = await QUERIES[by][shape](db, {
    environmentId,
    value,
    userId: owner?.userId ?? '',
    organizationId: owner?.organizationId ?? '',
    identifier: identifier ?? '',
  });
  const connections = new Map(rows.map((row) => [row.candidate_id, row.connection_name]));
  return {
    connections: [...connections].map(([id, name]) => ({ id, name })),
    accounts: rows.filter(isAccount).map(accountOf).toSorted(byAge),
    isCut: owner === undefined && rows.length === MAX_OF_ALL_OWNERS,
  };
}

/** Values of the queries; those that a shape does not need are ignored. */
interface Values {
  environmentId: string;
  value: string;
  userId: string;
  organizationId: string;
  identifier: string;
}

function prepared(by: Candidacy['by'], limits: { isOwned: boolean; isNamed: boolean }) {
  return preparedQuery((db, of: Values) => {
    const query = db
      .selectFrom('connections')
      .leftJoin('accounts', (join) => {
        let on = join
          .onRef('accounts.connection_id', '=', 'connections.id')
          .on('accounts.environment_id', '=', of.environmentId);
        if (limits.isOwned)
          on = on
            .on('accounts.user_id', '=', of.userId)
            .on('accounts.organization_id', '=', of.organizationId);
        return limits.isNamed ? on.on('accounts.identifier', '=', of.identifier) : on;
      })
      .selectAll('accounts')
      .select(['connections.id as candidate_id', ...CONNECTION_OF_ACCOUNT])
      .where('connections.environment_id', '=', of.environmentId)
      .where(`connections.${by}`, '=', of.value);
    return limits.isOwned ? query : query.limit(MAX_OF_ALL_OWNERS);
  });
}

function shapes(by: Candidacy['by']) {
  return {
    owned: prepared(by, { isOwned: true, isNamed: false }),
    named: prepared(by, { isOwned: false, isNamed: true }),
    ownedAndNamed: prepared(by, { isOwned: true, isNamed: true }),
  };
}

const QUERIES = { name: shapes('name'), connector: shapes('connector') };

/** Compares by age. The database does not sort, because it would copy every row for it, and there are few rows. */
function byAge(a: Account, b: Account): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** A connection without an account has a row whose account is null. */
function isAccount<Row extends { id: string | null }>(row: Row): row is Row & AccountRow {
  return row.id !== null;
}
