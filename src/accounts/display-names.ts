/**
 * The provider's name for an account, such as the e-mail address of the person who consented.
 *
 * It is requested once, after the account's credentials are stored or wait, if its connector says how (`who`). It
 * is shown to the owner and to programs that read the account, sealed like a credential, and never logged.
 */
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { ServiceError } from '../core/errors.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { Database } from '../store/engine/database.ts';
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import type { Candidate } from './credential-trials.ts';
import type { SealedDetails } from './sealed-details.ts';

/** Longest name that is kept. */
const MAX_NAME = 120;

/** Sends the request of the connector's `who`, once. Never throws for anything that the provider does. */
export type AskWho = (candidate: Candidate & { account: Account }) => Promise<string | undefined>;

interface DisplayNamesDeps {
  db: Database;
  connections: ConnectionFinder;
  sealed: SealedDetails;
  askWho: AskWho;
}

export class DisplayNames {
  readonly #deps: DisplayNamesDeps;

  constructor(deps: DisplayNamesDeps) {
    this.#deps = deps;
  }

  /**
   * Asks the provider and stores its answer. Nothing depends on it: no answer, and a database that is busy, leave the
   * account without a name.
   *
   * @param row as before the credentials came, or with them
   * @param of the auth request whose credentials wait, or the generation of the account that has them
   */
  async learn(
    row: Account,
    credentials: { details: AuthorizationDetails; apiConfig: Readonly<Record<string, unknown>> },
    of: { waitsAs: string } | { generation: number },
  ): Promise<void> {
    const { connector, auth } = this.#deps.connections.connectorOf(row.connection);
    if (auth.who === undefined) return;
    const apiConfig = { ...row.apiConfig, ...credentials.apiConfig };
    const { details } = credentials;
    const { connection } = row;
    const said = await this.#deps.askWho({ connector, auth, connection, details, apiConfig, account: row });
    const name = shownName(said ?? '');
    if (name === '') return;
    try {
      await this.#store(row, name, of);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  async #store(
    { environmentId, id }: Account,
    name: string,
    of: { waitsAs: string } | { generation: number },
  ): Promise<void> {
    const { db, sealed } = this.#deps;
    if ('waitsAs' in of) {
      const { waitsAs } = of;
      const value = await sealed.sealWaitingName(waitsAs, name);
      await db.transaction(async (tx) =>
        new AuthRequestStore(tx).setDisplayName(environmentId, waitsAs, value),
      );
      return;
    }
    const value = await sealed.sealName(id, name);
    // Newer credentials may be those of another account at the provider.
    await db.transaction(async (tx) =>
      new AccountStore(tx).update(environmentId, id, { display_name_sealed: value }, of.generation),
    );
  }
}

/** One line without characters that hide or turn text. */
function shownName(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  // A cut may halve a character.
  return line
    .slice(0, MAX_NAME)
    .toWellFormed()
    .replace(/\u{FFFD}$/u, '')
    .trim();
}
