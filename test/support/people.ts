/** People of an installation for tests, made in its database, and tokens of their sessions, signed by its keys. */
import type { Role } from '../../src/core/caller.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Environments } from '../../src/core/environment.ts';
import { newId } from '../../src/core/ids.ts';
import type { Database } from '../../src/store/engine/database.ts';
import type { ConnectionDetail } from '../../src/store/tables/people-tables.ts';
import type { Vault } from '../../src/vault/vault.ts';
import type { SessionKind } from '../../src/core/stored-words.ts';
import { testAuthorizationServer } from './authorization-server.ts';

export const PERSON_SCOPES = ['tools:execute', 'accounts:read', 'accounts:write'];

/** What a session is, beside its user. */
export interface SessionOptions {
  /** Default `{base}/mcp`. */
  resource?: string;
  organizationId?: string;
  kind?: SessionKind;
  /** Default: of a person. */
  scopes?: readonly string[];
  /** How the user signed in. Default: an application vouches for them. */
  connectionDetails?: readonly ConnectionDetail[];
  /** Default: an hour from now. */
  expiresAt?: number;
}

/** A session and its token. */
export interface SignedIn {
  userId: string;
  sessionId: string;
  token: string;
}

export function peopleOf(
  parts: { db: Database; vault: Vault; clock: Clock; environments: Environments },
  environmentId: string,
) {
  const { db, clock, environments } = parts;
  const { keys, personTokens: tokens } = testAuthorizationServer(parts);
  const dates = () => ({ created_at: clock.now(), updated_at: clock.now() });

  const signIn = async (userId: string, options: SessionOptions = {}): Promise<SignedIn> => {
    const { baseUrl } = environments.get(environmentId);
    const {
      resource = `${baseUrl}/mcp`,
      organizationId = '',
      kind = 'client',
      scopes = PERSON_SCOPES,
      connectionDetails = [],
    } = options;
    const now = clock.now();
    const id = newId('ses', now);
    const expiresAt = options.expiresAt ?? now + 3_600_000;
    const clientId = 'test-client';
    await db.transaction(async (tx) => {
      await tx
        .insertInto('sessions')
        .values({
          id,
          environment_id: environmentId,
          kind,
          user_id: userId,
          organization_id: organizationId,
          client_id: clientId,
          resource,
          token_hash: null,
          connection_details: JSON.stringify(connectionDetails),
          custom_claims: '{}',
          device: '{}',
          created_at: now,
          expires_at: expiresAt,
          ended_at: null,
        })
        .execute();
    });
    const session = {
      id,
      environmentId,
      userId,
      organizationId,
      clientId,
      resource,
      customClaims: {},
      expiresAt,
    };
    return { userId, sessionId: id, token: (await tokens.accessToken(session, scopes)).access_token };
  };

  const join = async (userId: string, organizationId: string, role: Role): Promise<void> => {
    const row = { environment_id: environmentId, organization_id: organizationId, user_id: userId, role };
    await db.transaction(async (tx) => {
      await tx
        .insertInto('memberships')
        .values({ id: newId('mem', clock.now()), ...row, ...dates() })
        .execute();
    });
  };

  return {
    keys,
    signIn,
    /** A user. @returns the id */
    user: async (name: string, isOperator = false): Promise<string> => {
      const id = newId('usr', clock.now());
      await db.transaction(async (tx) => {
        await tx
          .insertInto('users')
          .values({
            id,
            environment_id: environmentId,
            email: `${name}@example.test`,
            email_verified: 1,
            given_name: name,
            family_name: '',
            is_operator: isOperator ? 1 : 0,
            ...dates(),
          })
          .execute();
      });
      return id;
    },
    /** An organization with its members. @returns the id */
    organization: async (members: Readonly<Record<string, Role>>): Promise<string> => {
      const id = newId('org', clock.now());
      await db.transaction(async (tx) => {
        await tx
          .insertInto('organizations')
          .values({ id, environment_id: environmentId, name: 'Acme', ...dates() })
          .execute();
      });
      for (const [userId, role] of Object.entries(members)) await join(userId, id, role);
      return id;
    },
    join,
    setRole: async (userId: string, role: Role | null): Promise<void> => {
      await db.transaction(async (tx) => {
        if (role === null) await tx.deleteFrom('memberships').where('user_id', '=', userId).execute();
        else await tx.updateTable('memberships').set({ role }).where('user_id', '=', userId).execute();
      });
    },
    endSession: async (sessionId: string): Promise<void> => {
      await db.transaction(async (tx) => {
        await tx.updateTable('sessions').set({ ended_at: clock.now() }).where('id', '=', sessionId).execute();
      });
    },
  };
}

export type People = ReturnType<typeof peopleOf>;
