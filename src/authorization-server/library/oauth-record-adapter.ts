/** Stores the models of oidc-provider as records of one environment. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { wideNetworkOf } from '../../people/sign-in/network.ts';
import { REGISTERED_CLIENT, UNUSED_CLIENT_MS, WAITING_REQUEST } from './oauth-record-names.ts';
import type { ArtifactName, OAuthRecords, Room } from './oauth-records.ts';

/** Limits of the models that anybody can have stored (docs/authorization.md#limits). */
const ROOM: Readonly<Record<string, Omit<Room, 'network'>>> = {
  [WAITING_REQUEST]: { inEnvironment: 10_000, ofNetwork: 200 },
  [REGISTERED_CLIENT]: { inEnvironment: 1_000, ofNetwork: 50 },
};

export class OAuthRecordAdapter implements Adapter {
  readonly #artifacts: OAuthRecords;
  readonly #environmentId: string;
  readonly #model: string;
  readonly #currentIp: () => string;

  /** @param currentIp address of the current request's sender, for the audit log and the limits of networks */
  constructor(artifacts: OAuthRecords, environmentId: string, model: string, currentIp: () => string) {
    this.#artifacts = artifacts;
    this.#environmentId = environmentId;
    this.#model = model;
    this.#currentIp = currentIp;
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await this.#artifacts.findLive(this.#name(id));
    return found?.payload;
  }

  /** @param expiresIn seconds; unused clients expire. A client that is stored has always just registered itself */
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<undefined> {
    const ofClient = {
      lifetimeMs: UNUSED_CLIENT_MS,
      audit: { actor: '', ip: this.#currentIp(), action: 'client.register', target: id },
    };
    const room = ROOM[this.#model];
    await this.#artifacts.save(this.#name(id), payload, {
      ...(this.#model === REGISTERED_CLIENT ? ofClient : { lifetimeMs: (expiresIn ?? 0) * 1_000 }),
      grantId: payload.grantId,
      room: room && { ...room, network: wideNetworkOf(this.#currentIp()) },
    });
  }

  /** The code exchange consumes codes, because it handles a second use. */
  async consume(): Promise<undefined> {
    throw new Error(`${this.#model} is not consumed by the library`);
  }

  async destroy(id: string): Promise<undefined> {
    await this.#artifacts.remove(this.#name(id));
  }

  async revokeByGrantId(grantId: string): Promise<undefined> {
    await this.#artifacts.removeOfGrant(this.#environmentId, this.#model, grantId);
  }

  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}

  #name(id: string): ArtifactName {
    return { environmentId: this.#environmentId, model: this.#model, id };
  }
}

/** For records of the library that are never used: its browser sessions, because we have our own. */
export class EmptyAdapter implements Adapter {
  async find(): Promise<undefined> {}
  async upsert(): Promise<undefined> {}
  async consume(): Promise<undefined> {}
  async destroy(): Promise<undefined> {}
  async revokeByGrantId(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
}
