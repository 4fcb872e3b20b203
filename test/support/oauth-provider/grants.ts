/**
 * The provider's memory: codes, grants and tokens, with rotation and what follows from its abuse.
 *
 * Everything that comes of one consent is one family; reuse of a rotated token or of a code ends the family.
 */
import { randomBytes } from 'node:crypto';
import type { ProviderSettings } from './settings.ts';

/** A refusal of the token endpoint (RFC 6749 section 5.2). */
export class GrantRefused extends Error {
  readonly error: string;
  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

export interface Code {
  redirectUri: string;
  scope: string;
  subject: string;
  challenge: string | null;
  family: Family | undefined;
}

interface Family {
  id: number;
  subject: string;
  scope: string;
  isRevoked: boolean;
}

interface AccessToken {
  family: Family;
  expiresAt: number;
  isRevoked: boolean;
}

interface RefreshToken {
  family: Family;
  usedAt: number | undefined;
  isRevoked: boolean;
  presentations: number;
}

/** A token reply before it is written down. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | undefined;
  scope: string;
}

export interface GrantCounts {
  familiesRevoked: number;
  refreshReuse: number;
  codeReuse: number;
  /** Most often that one and the same refresh token arrived. */
  maxPresentations: number;
}

export class Grants {
  readonly #name: string;
  readonly #settings: () => ProviderSettings;
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, AccessToken>();
  readonly #refresh = new Map<string, RefreshToken>();
  readonly #families: Family[] = [];
  counts: GrantCounts = { familiesRevoked: 0, refreshReuse: 0, codeReuse: 0, maxPresentations: 0 };

  constructor(name: string, settings: () => ProviderSettings) {
    this.#name = name;
    this.#settings = settings;
  }

  now(): number {
    return Date.now() + this.#settings().clockOffsetMs;
  }

  /** Everything secret it ever handed out. */
  secrets(): string[] {
    return [...this.#codes.keys(), ...this.#access.keys(), ...this.#refresh.keys()];
  }

  newCode(code: Omit<Code, 'family'>): string {
    const text = this.#mint('code');
    this.#codes.set(text, { ...code, family: undefined });
    return text;
  }

  /** @throws GrantRefused for an unknown code; a used one also ends what came of it */
  takeCode(text: string): Code {
    const code = this.#codes.get(text);
    if (code === undefined) throw new GrantRefused('invalid_grant', 'unknown code');
    if (code.family === undefined) return code;
    this.counts.codeReuse += 1;
    this.#revoke(code.family);
    throw new GrantRefused('invalid_grant', 'code used before');
  }

  /** Tokens of a new family. `code`: the code they are for. */
  issue(grant: { subject: string; scope: string; withRefresh: boolean; code?: Code }): IssuedTokens {
    const family = {
      id: this.#families.length + 1,
      subject: grant.subject,
      scope: grant.scope,
      isRevoked: false,
    };
    this.#families.push(family);
    if (grant.code !== undefined) grant.code.family = family;
    return this.#mintPair(family, grant.withRefresh);
  }

  /** Counts an arrival, whatever becomes of it. */
  present(text: string): void {
    const token = this.#refresh.get(text);
    if (token === undefined) return;
    token.presentations += 1;
    this.counts.maxPresentations = Math.max(this.counts.maxPresentations, token.presentations);
  }

  /** @throws GrantRefused */
  renew(text: string): IssuedTokens {
    const token = this.#refresh.get(text);
    if (token === undefined) throw new GrantRefused('invalid_grant', 'unknown refresh token');
    if (token.isRevoked) throw new GrantRefused('invalid_grant', 'refresh token revoked');
    const { rotation, graceMs } = this.#settings();
    const isLate =
      token.usedAt !== undefined && (rotation === 'strict' || this.now() > token.usedAt + graceMs);
    if (rotation !== 'off' && isLate) {
      this.counts.refreshReuse += 1;
      this.#revoke(token.family);
      throw new GrantRefused('invalid_grant', 'refresh token used before');
    }
    token.usedAt ??= this.now();
    return this.#mintPair(token.family, rotation !== 'off');
  }

  /** RFC 7009: ends this token alone; a refresh token ends its family. */
  revokeToken(text: string): void {
    const access = this.#access.get(text);
    if (access !== undefined) access.isRevoked = true;
    const refresh = this.#refresh.get(text);
    if (refresh !== undefined) this.#revoke(refresh.family);
  }

  /** The person takes every consent back. Not counted as a revoked family. */
  revokeAll(): void {
    for (const token of [...this.#access.values(), ...this.#refresh.values()]) token.isRevoked = true;
  }

  /** Access tokens stop working; refresh tokens do not. */
  expireAccess(): void {
    for (const token of this.#access.values()) token.expiresAt = 0;
  }

  /** Whom a live access token stands for; undefined: it is not good. */
  holderOf(text: string): { subject: string; scope: string } | undefined {
    const token = this.#access.get(text);
    if (token === undefined || token.isRevoked || token.expiresAt <= this.now()) return undefined;
    return token.family;
  }

  /** How many access tokens still work. */
  liveAccessTokens(): number {
    return [...this.#access.keys()].filter((text) => this.holderOf(text) !== undefined).length;
  }

  #mintPair(family: Family, withRefresh: boolean): IssuedTokens {
    const { accessLifetimeMs, expiresInSeconds } = this.#settings();
    const lifetimeMs = accessLifetimeMs ?? (expiresInSeconds ?? 3600) * 1000;
    const accessToken = this.#mint('at');
    this.#access.set(accessToken, { family, expiresAt: this.now() + lifetimeMs, isRevoked: false });
    const refreshToken = withRefresh ? this.#mint('rt') : undefined;
    if (refreshToken !== undefined) {
      const fresh = { family, usedAt: undefined, isRevoked: false, presentations: 0 };
      this.#refresh.set(refreshToken, fresh);
    }
    return { accessToken, refreshToken, scope: family.scope };
  }

  #revoke(family: Family): void {
    if (family.isRevoked) return;
    family.isRevoked = true;
    this.counts.familiesRevoked += 1;
    for (const token of [...this.#access.values(), ...this.#refresh.values()]) {
      if (token.family === family) token.isRevoked = true;
    }
  }

  /** The prefix makes a leak one search away. */
  #mint(kind: string): string {
    return `planted-${kind}.${this.#name}.${randomBytes(24).toString('base64url')}`;
  }
}
