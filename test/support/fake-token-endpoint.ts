/** A provider's token endpoint that answers what it is told and notes what it is asked. */
import {
  TokenFailure,
  type OAuthClient,
  type TokenEndpoint,
  type TokenFailureKind,
  type TokenReply,
} from '../../src/credentials/oauth/token-endpoint.ts';

/** One request, as it came. */
export interface TokenRequest {
  kind: 'exchange' | 'refresh' | 'mint' | 'revoke';
  client: OAuthClient;
  /** Code, refresh token, grant type, or the token to revoke. */
  token: string;
  /** Of a minting. */
  parameters?: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

type Answer = Partial<TokenReply> | Error | ((request: TokenRequest) => Promise<Partial<TokenReply>>);

export class FakeTokenEndpoint implements TokenEndpoint {
  readonly requests: TokenRequest[] = [];
  /** Answers to come; without any, the n-th request gets `at-n` and `rt-n` for an hour. */
  readonly answers: Answer[] = [];
  /** What revocations end in; undefined: success. */
  revocationError: Error | undefined;

  async exchange(client: OAuthClient, { code }: { code: string }): Promise<TokenReply> {
    return this.#answer({ kind: 'exchange', client, token: code });
  }

  async refresh(client: OAuthClient, token: string, { timeoutMs }: { timeoutMs: number }) {
    return this.#answer({ kind: 'refresh', client, token, timeoutMs });
  }

  async mint(
    client: OAuthClient,
    { type, parameters }: { type: string; parameters: Readonly<Record<string, string>> },
    { timeoutMs }: { timeoutMs: number },
  ) {
    return this.#answer({ kind: 'mint', client, token: type, parameters, timeoutMs });
  }

  async revoke(client: OAuthClient, token: string): Promise<void> {
    this.requests.push({ kind: 'revoke', client, token });
    if (this.revocationError !== undefined) throw this.revocationError;
  }

  /** Tokens presented to one endpoint, in order. */
  presented(kind: TokenRequest['kind']): string[] {
    return this.requests.filter((request) => request.kind === kind).map((request) => request.token);
  }

  async #answer(request: TokenRequest): Promise<TokenReply> {
    this.requests.push(request);
    const n = this.requests.filter(({ kind }) => kind !== 'revoke').length;
    const answer = this.answers.shift() ?? {};
    if (answer instanceof Error) throw answer;
    const given = typeof answer === 'function' ? await answer(request) : answer;
    return {
      accessToken: `at-${n}`,
      refreshToken: `rt-${n}`,
      expiresInSeconds: 3_600,
      scopes: undefined,
      ...given,
    };
  }
}

export function tokenFailure(
  kind: TokenFailureKind,
  answer: ConstructorParameters<typeof TokenFailure>[2] = {},
): TokenFailure {
  return new TokenFailure(kind, `token request: ${kind}`, answer);
}

/** Something that a test lets happen when it wants to. */
export function gate<T>(): { promise: Promise<T>; open(value: T): void; fail(error: Error): void } {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  promise.catch(() => {});
  return { promise, open: resolve, fail: reject };
}
