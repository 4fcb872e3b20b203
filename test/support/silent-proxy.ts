/**
 * Stands between a program and a server on loopback, and can stop to pass anything on without closing anything: what a
 * partition, a stopped machine or a firewall looks like from either side.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What of a connection is passed on. */
type Passing = 'everything' | 'questions' | 'nothing';

interface Link {
  passing: Passing;
  client: Socket;
  server: Socket;
}

export class SilentProxy {
  readonly #listener: Server;
  readonly #links = new Set<Link>();
  #passing: Passing = 'everything';
  #swallowed = 0;

  private constructor(target: { host: string; port: number }) {
    this.#listener = createServer({ allowHalfOpen: true }, (client) => this.#join(client, target));
  }

  /** @param url of the server. @returns the proxy, and the same URL with its address */
  static async start(url: string): Promise<{ proxy: SilentProxy; url: string }> {
    const target = new URL(url);
    const proxy = new SilentProxy({ host: target.hostname, port: Number(target.port || 5432) });
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    target.host = `127.0.0.1:${(proxy.#listener.address() as AddressInfo).port}`;
    return { proxy, url: target.href };
  }

  /** How many pieces were not passed on. */
  get swallowed(): number {
    return this.#swallowed;
  }

  /** Passes nothing on, in either direction, of connections that there are and that come. */
  silence(): void {
    this.forget();
    this.#passing = 'nothing';
  }

  /** Passes nothing on of the connections that there are. New ones work. */
  forget(): void {
    for (const link of this.#links) link.passing = 'nothing';
  }

  /** Passes on what the program says, and nothing of what the server answers, for connections that there are. */
  swallowAnswers(): void {
    for (const link of this.#links) link.passing = 'questions';
  }

  /** New connections work again. What was silent stays so. */
  restore(): void {
    this.#passing = 'everything';
  }

  /** Ends all connections and takes no more, as a server does that is gone. @returns takes them again, at the same port */
  async leave(): Promise<() => Promise<void>> {
    const { port } = this.#listener.address() as AddressInfo;
    await this.close();
    return async () => {
      this.#listener.listen(port, '127.0.0.1');
      await once(this.#listener, 'listening');
    };
  }

  async close(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const { client, server } of this.#links) {
      client.destroy();
      server.destroy();
    }
    this.#links.clear();
    await closed;
  }

  #join(client: Socket, target: { host: string; port: number }): void {
    const server = connect({ ...target, allowHalfOpen: true });
    const link: Link = { passing: this.#passing, client, server };
    this.#links.add(link);
    this.#pass(client, server, () => link.passing !== 'nothing');
    this.#pass(server, client, () => link.passing === 'everything');
  }

  /** The end of one side is told to the other as long as bytes are; errors are ends. */
  #pass(from: Socket, to: Socket, passes: () => boolean): void {
    from.on('data', (chunk) => {
      if (passes()) to.write(chunk);
      else this.#swallowed++;
    });
    from.on('end', () => passes() && to.end());
    from.on('error', () => passes() && to.destroy());
    from.on('close', () => passes() && to.destroySoon());
  }
}
