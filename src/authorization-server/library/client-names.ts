/** Display names of token holders, from stored data only: no document is fetched. */
import type { Clock } from '../../core/clock.ts';
import { liveCredential } from '../../store/tokens/credential-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { REGISTERED_CLIENT } from './oauth-record-names.ts';
import type { OAuthRecords } from './oauth-records.ts';
import { isHttps, isRegisteredClientId } from '../protocol/client-metadata.ts';

interface ClientNamesDeps {
  db: Database;
  clock: Clock;
  artifacts: Pick<OAuthRecords, 'find'>;
}

export class ClientNames {
  readonly #deps: ClientNamesDeps;

  constructor(deps: ClientNamesDeps) {
    this.#deps = deps;
  }

  /**
   * The name that a registered client gave itself, the host of a client's document, or the name of an API credential;
   * otherwise the client id.
   *
   * @throws UnreadableSecret if a registration cannot be opened
   */
  async of(environmentId: string, clientId: string): Promise<string> {
    if (isHttps(clientId)) return new URL(clientId).host;
    if (isRegisteredClientId(clientId)) {
      const client = await this.#deps.artifacts.find({
        environmentId,
        model: REGISTERED_CLIENT,
        id: clientId,
      });
      const name = client?.payload['client_name'];
      return typeof name === 'string' ? name : clientId;
    }
    const found = await liveCredential(this.#deps.db.read, environmentId, clientId, this.#deps.clock.now());
    return found === undefined || found.credential.name === '' ? clientId : found.credential.name;
  }
}
