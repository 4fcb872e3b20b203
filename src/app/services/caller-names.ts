/** Names of callers for the pages of the links they ask for. Reads stored data only. */
import { FIRST_NAME } from '../../api-credentials/first-credential.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { loadOnce } from '../../core/load-once.ts';
import type { CallerName } from '../../links/link-rules.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import type { Vault } from '../../vault/vault.ts';

/**
 * The name of an API credential, which somebody here gave it; the host of an app's document, which nobody else can
 * claim; or the name that an app gave itself. `undefined` for the command line, stdio, an app without a name, and the
 * credential that a start has made.
 */
export function callerNames(deps: { db: Database; vault: Vault; clock: Clock }) {
  const { db, vault, clock } = deps;
  const appNames = loadOnce(async () => {
    const [{ ClientNames }, { OAuthRecords }] = await Promise.all([
      import('../../authorization-server/library/client-names.ts'),
      import('../../authorization-server/library/oauth-records.ts'),
    ]);
    return new ClientNames({ db, clock, artifacts: new OAuthRecords({ database: db, vault, clock }) });
  });
  return async (caller: Caller): Promise<CallerName | undefined> => {
    const { environmentId } = caller;
    if (caller.kind === 'machine') {
      const name = (await rows(db.read, 'credentials').find(environmentId, caller.actor))?.name ?? '';
      return name === '' || name === FIRST_NAME ? undefined : { name, isGiven: true };
    }
    if (caller.kind !== 'person' || !caller.isApp) return undefined;
    const session = await rows(db.read, 'sessions').find(environmentId, caller.person.sessionId);
    if (session === undefined || session.client_id === '') return undefined;
    const name = await (await appNames()).of(environmentId, session.client_id);
    if (name === session.client_id) return undefined;
    return { name: name.slice(0, MAX_NAME), isGiven: session.client_id.startsWith('https:') };
  };
}

/** Longest name on a page, as for `requested_by`. */
const MAX_NAME = 80;
