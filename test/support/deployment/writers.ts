/** Programs that connect accounts all the time, and what they were told: for faults that come in the middle. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiAnswer, ServerProcess } from './server-process.ts';

/** Writers for each process. */
const WRITERS = 3;

/** Pause after an answer that acknowledged nothing. */
const PAUSE_MS = 20;

export class Writers {
  readonly answers: ApiAnswer[] = [];
  /** Users whose account was acknowledged; it waits for its owner then. */
  readonly acknowledged: string[] = [];
  readonly #running: Promise<unknown>;
  #isOver = false;

  /** @param name of users, unique in the deployment */
  constructor(servers: readonly ServerProcess[], name = 'writer') {
    const writers = servers.flatMap((server, s) =>
      Array.from({ length: WRITERS }, async (_, n) => this.#write(server, `${name}-${s}-${n}`)),
    );
    this.#running = Promise.all(writers);
  }

  /** Ends when told, or when its process is gone. */
  async #write(server: ServerProcess, name: string): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const user = `${name}-${n}`;
      const wish = { connector: 'ledger', user_id: user };
      const answer = await server.api('POST', '/connected_accounts/magic_link', wish).catch(() => undefined);
      if (answer === undefined) return;
      this.answers.push(answer);
      if (answer.status === 200) this.acknowledged.push(user);
      else await delay(PAUSE_MS);
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }
}
