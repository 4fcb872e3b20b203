/** Environments of an installation as the rules see them: the settings of one environment. */
import { notFound, ServiceError } from './errors.ts';

/** The step that makes a completed consent or form usable (docs/contract.md#verification-modes). */
export type VerificationMode = 'app' | 'signed_in' | 'none';

/** See `sign_up` of docs/people.md#organizations. */
export type SignUp = 'closed' | 'invited' | 'open';

/**
 * The operator's brand on the pages of an environment (`brand` of docs/configuration.md). Every member may be
 * absent.
 */
export interface Brand {
  /** Name of the operator or of its product; replaces "Gatehouse" in header and title. */
  name?: string;
  logo?: Logo;
  /** Color of buttons and links as `#rrggbb`, as it was entered. */
  accent?: string;
  helpUrl?: string;
  privacyUrl?: string;
}

/** A picture that was read and checked at start. */
export interface Logo {
  mediaType: 'image/png' | 'image/svg+xml';
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Environment {
  id: string;
  /** `development`, `production`. */
  name: string;
  /** Public origin, without trailing slash. Never taken from a request. */
  baseUrl: string;
  userVerification: VerificationMode;
  /** Address that the browser opens after a completed consent, unless the link brings its own. */
  userVerifyUrl: string | undefined;
  /** URLs that a link's `user_verify_url` must begin with; any URL is allowed if empty, which the settings leave only without `userVerifyUrl`. */
  userVerifyUrls: readonly string[];
  /** People who may create organizations and users of their own: nobody, invited people, or anybody. */
  signUp: SignUp;
  /** Base URL and listener are both on loopback: sign-in codes may be shown in the log. */
  isLocalOnly: boolean;
  /** Absent: the pages show Gatehouse's own name. */
  brand?: Brand;
}

/** An environment as the REST API and the command line show it. */
export function toEnvironmentView({ id, name, baseUrl }: Environment) {
  return { id, name, base_url: baseUrl };
}

/** The environments of this process, by id and by name. */
export class Environments {
  readonly #byId: ReadonlyMap<string, Environment>;

  constructor(environments: readonly Environment[]) {
    this.#byId = new Map(environments.map((environment) => [environment.id, environment]));
  }

  get all(): readonly Environment[] {
    return [...this.#byId.values()];
  }

  /** Sets the base URL for a listener on port 0, whose address is known only once it listens. */
  assignBaseUrl(id: string, baseUrl: string): void {
    this.get(id).baseUrl = baseUrl;
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  get(id: string): Environment {
    const found = this.#byId.get(id);
    if (found === undefined) throw notFound('environment');
    return found;
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND naming the existing environments */
  byName(name: string): Environment {
    const found = this.all.find((environment) => environment.name === name);
    if (found !== undefined) return found;
    const names = this.all.map((environment) => environment.name).join(', ');
    throw new ServiceError('RESOURCE_NOT_FOUND', `There is no environment ${name}. There are: ${names}.`);
  }
}
