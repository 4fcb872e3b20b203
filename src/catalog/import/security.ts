/**
 * Turns security schemes into authorization types of a connector, and finds what an operation requires of
 * them. Pure.
 */
import { credentialPlaces } from '../model/credential-places.ts';
import type { OpenApiDocument, Security } from './document.ts';
import type { References } from './references.ts';
import { authOf, isScope, type AuthInput } from './schemes.ts';
import { terse } from './text.ts';

/** Requirements of one operation. */
export interface OperationSecurity {
  /** Groups of alternatives, in the form that tools use. */
  scopes: string[][];
  notes: string[];
  /** The reason why no account could ever call it. */
  obstacle?: string;
}

/** Maximum number of alternatives after multiplying; more are not written out. */
const MAX_GROUPS = 24;

/** The ways to authenticate that the chosen operations require. */
export class ImportedSecurity {
  readonly #document: OpenApiDocument;
  /** By scheme: its types, or the reason why it has none. */
  readonly #types = new Map<string, AuthInput['type'][] | string>();
  readonly #auth = new Map<AuthInput['type'], AuthInput>();
  /** Whether neither the document nor an operation says which schemes apply. */
  readonly #isSilent: boolean;
  /** Notes for people about the connector as a whole. */
  readonly notes: string[] = [];

  /** @param chosen `security` of every chosen operation */
  constructor(document: OpenApiDocument, references: References, chosen: readonly Security[]) {
    this.#document = document;
    const schemes = document.components?.securitySchemes ?? {};
    this.#isSilent =
      document.security === undefined &&
      chosen.every((one) => one === undefined) &&
      Object.keys(schemes).length > 0;
    if (this.#isSilent)
      this.notes.push(
        'The document does not say which of its security schemes count; all of them are taken.',
      );
    const wanted = new Set(
      chosen.flatMap((one) => this.#alternatives(one)).flatMap((one) => Object.keys(one)),
    );
    for (const [name, written] of Object.entries(schemes)) {
      if (!wanted.has(name)) continue;
      const scheme = references.resolve(written) ?? {};
      const made = authOf(scheme, serverOf(document));
      this.#types.set(name, typeof made === 'string' ? made : this.#merge(name, made));
      if (typeof made === 'string') this.notes.push(`The security scheme ${terse(name, 60)} ${made}.`);
    }
    this.#addScopes(chosen);
  }

  /** Never empty: NO_AUTH if there is no scheme. */
  get auth(): AuthInput[] {
    return this.#auth.size === 0 ? [{ type: 'NO_AUTH' }] : [...this.#auth.values()];
  }

  /** Places of credentials, such as `header.x-api-key` in lower case; no parameter of a tool may use one. */
  get places(): ReadonlySet<string> {
    return credentialPlaces(this.auth);
  }

  /** @param security of the operation */
  needsOf(security: Security): OperationSecurity {
    const alternatives = this.#alternatives(security);
    const notes: string[] = [];
    const usable = alternatives.filter((one) => {
      const names = Object.keys(one);
      if (names.length > 1)
        notes.push(`needs ${terse(names.join(' and '), 80)} together, which an import cannot write.`);
      return names.length < 2 && names.every((name) => Array.isArray(this.#types.get(name)));
    });
    if (alternatives.length > 0 && usable.length === 0)
      return {
        scopes: [],
        notes: [],
        obstacle: `it needs ${terse(alternatives.map((one) => Object.keys(one).join(' and ')).join(' or '), 120)}, for which there is no authorization type`,
      };
    const types = new Set(
      usable.flatMap((one) => Object.keys(one)).flatMap((name) => this.#types.get(name) ?? []),
    );
    const isOpen = usable.length === 0 || usable.some((one) => Object.keys(one).length === 0);
    if (!isOpen && types.size < this.#auth.size)
      notes.push(`takes accounts of the type ${[...types].join(' or ')} only.`);
    return { scopes: this.#groups(usable, notes), notes };
  }

  #alternatives(security: Security): Readonly<Record<string, string[]>>[] {
    if (!this.#isSilent) return security ?? this.#document.security ?? [];
    return Object.keys(this.#document.components?.securitySchemes ?? {}).map((name) => ({ [name]: [] }));
  }

  /**
   * A connector has one entry for each type. Of two schemes with the same type the first is used, unless they
   * are equal.
   */
  #merge(name: string, made: readonly AuthInput[]): AuthInput['type'][] | string {
    const types: AuthInput['type'][] = [];
    for (const auth of made) {
      const known = this.#auth.get(auth.type);
      if (known === undefined) this.#auth.set(auth.type, auth);
      else if (JSON.stringify(placeOf(known)) !== JSON.stringify(placeOf(auth))) {
        this.notes.push(
          `The security scheme ${terse(name, 60)} is left out: a connector has ${auth.type} once.`,
        );
        continue;
      }
      types.push(auth.type);
    }
    return types.length > 0 ? types : 'is left out';
  }

  /** Adds scopes that are named only by operations. */
  #addScopes(chosen: readonly Security[]): void {
    for (const one of chosen.flatMap((security) => this.#alternatives(security)))
      for (const [name, scopes] of Object.entries(one)) {
        const types = this.#types.get(name);
        for (const type of Array.isArray(types) ? types : []) {
          const auth = this.#auth.get(type);
          if (auth === undefined || (type !== 'OAUTH' && type !== 'OAUTH_M2M')) continue;
          for (const scope of scopes.filter(isScope))
            auth.scopes = { ...auth.scopes, [scope]: auth.scopes?.[scope] ?? scope };
        }
      }
  }

  /** Converts alternatives of sets into sets of alternatives: one of each group is required. */
  #groups(usable: readonly Readonly<Record<string, string[]>>[], notes: string[]): string[][] {
    const sets = usable
      .flatMap((one) => Object.entries(one))
      .filter(([name]) =>
        [this.#types.get(name)].flat().some((type) => type === 'OAUTH' || type === 'OAUTH_M2M'),
      )
      .map(([, scopes]) => scopes.filter(isScope));
    if (sets.length === 0 || sets.some((set) => set.length === 0)) return [];
    if (sets.reduce((size, set) => size * set.length, 1) > MAX_GROUPS) {
      notes.push('can be called with other scopes too; only the first set of them is named.');
      return [...new Set(sets[0])].map((scope) => [scope]);
    }
    let groups: string[][] = [[]];
    for (const set of sets)
      groups = groups.flatMap((group) => set.map((scope) => [...new Set([...group, scope])]));
    const distinct = groups.filter((group, i) => groups.findIndex((other) => sameSet(other, group)) === i);
    return distinct.filter(
      (group) =>
        !distinct.some(
          (other) => other.length < group.length && other.every((scope) => group.includes(scope)),
        ),
    );
  }
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}

function placeOf(auth: AuthInput): unknown {
  const { scopes: _, fields: __, ...place } = auth;
  return place;
}

function serverOf({ servers }: OpenApiDocument): string | undefined {
  const url = servers?.[0]?.url;
  return url !== undefined && URL.canParse(url) ? url : undefined;
}
