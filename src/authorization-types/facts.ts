/**
 * The facts that an authorization type declares about itself. They are plain values and pure functions: no
 * I/O, no store, no catalog. How a type is connected, renewed and attached is its scheme
 * (credentials/schemes).
 */
import type * as z from 'zod';
import type { BlockFault } from './block-faults.ts';
import type { AuthorizationDetails, CredentialFacts, InternalDetails } from './credentials.ts';

/** The package zod. Facts get it as an argument and import its types only, because they are loaded at every start. */
export type Zod = typeof z;

/** Params of a connection that hold its secret instead of `client_secret`. */
export type SecretParam = 'service_account_json' | 'private_key';

/** The parts of a connection that the rules of a type look at. */
export interface ConnectionFacts {
  hasClientId: boolean;
  /** Whether it has a client secret or its replacement. */
  hasSecret: boolean;
  params: Readonly<Record<string, unknown>>;
  hasOverrides: boolean;
}

/** The credentials of an account, and the values that the rules of its type compare them with. */
export interface MissingContext<Rules> {
  rules: Rules;
  details: AuthorizationDetails;
  connection: ConnectionFacts;
  /** Names of the fields that the connector requires. */
  requiredFields: readonly string[];
}

/** Texts for the advice on setting up a connection. */
export interface SetUpContext<Rules> {
  rules: Rules;
  /** Name of the provider, for people. */
  title: string;
  /** The command that creates the connection, in quotes. */
  create: string;
}

/** A connection, and the facts that its warnings depend on. */
export interface WarningFactsContext<Rules> {
  rules: Rules;
  /** Name of the provider, for people. */
  title: string;
  connection: ConnectionFacts;
  /** Public origin of the environment; '' if this process does not know it. */
  baseUrl: string;
}

/** An authorization type. `Rules` is its block of an `auth` entry, as the catalog holds it. */
export interface AuthorizationTypeFacts<Rules extends object = object> {
  /** Shape of its block in connector.yaml, whose key is the type's name in lower case. Absent: the form says everything. */
  block?: (z: Zod) => z.ZodObject;
  /** Whether an entry may leave its block out: every key has a default. */
  isBlockOptional?: true;
  /** Completes "<type> needs <block>: …". Set if there is a block. */
  purpose?: string;
  /** Describes its block in catalogs/schema.json. Default: made of `purpose`. */
  description?: string;
  /** Places its block after those of the other types: the order of the keys in catalogs/schema.json is public. */
  isBlockLast?: true;
  /** Dotted paths of the block that hold addresses, in the order of the documentation. */
  addresses?: readonly string[];
  /** Parameters of a request that only Gatehouse sets, by the key of the block that may add others. */
  ownParameters?: Readonly<Record<string, readonly string[]>>;
  /** Mistakes in a block that its shape allows. @param described scopes of the entry, with what each allows */
  faults?(rules: Rules, described: Readonly<Record<string, string>>): BlockFault[];
  /** The only kind of provider that it works with: an API, or a remote MCP server. Absent: both. */
  provider?: 'api' | 'mcp';
  /** The only fields that its form may have. Absent: the connector chooses them. */
  fields?: readonly string[];
  /** Fields that the connector has to declare under these names, because stored credentials use them. */
  requiredFields?: readonly string[];
  /** Whether the connector has to declare at least one field. */
  needsField?: true;
  /**
   * Who decides where in a request the credential is sent (`attach`). `fields`: the connector has to, field by
   * field. `token`: the connector may, for the access token. Absent: the place is fixed.
   */
  attach?: 'fields' | 'token';
  /** Whether the connector may say one of its two fields for all accounts (`fixed`). */
  mayFixHalf?: true;
  /** Whether a connection needs nothing from the operator, because each account brings everything. Default: types without a block. */
  needsNoOperator?(rules: Rules): boolean;
  /** Whether its accounts bring a credential that is sent as it was entered and never renewed, so that one request can prove it. */
  isStatic?: true;
  /** Its credential variant. Absent: it stores none. */
  credentials?: CredentialFacts;
  /** Members of the variant that are useless without a consent, each with a sentence that says so. */
  consentOnly?(rules: Rules): Readonly<Record<string, string>>;
  /** Paths of the credentials that an account lacks to be usable (docs/contract.md: usable credentials). */
  missing(account: MissingContext<Rules>): string[];
  /** Members of `api_config` that only Gatehouse sets. They are stored sealed with the credentials. */
  readOnlyConfig?: readonly string[];
  /** Makes these members, for callers that may see live credentials. */
  obtainedConfig?(internal: InternalDetails): Readonly<Record<string, unknown>>;
  /** The param of a connection that it signs with, and never sends. */
  secretParam?(rules: Rules): SecretParam | undefined;
  /** Placeholders that an account needs a value for although no address has them, each with its pattern. */
  placeholders?(rules: Rules): Readonly<Record<string, string>>;
  /** Names of values that the provider says while an account is connected, so that nobody is asked for them. */
  metadata?(rules: Rules): readonly string[];
  /** One sentence about how the operator sets a connection up. Default: that they create one. */
  setUp?(context: SetUpContext<Rules>): string;
  /** Warnings about settings that a connection requires but lacks, in sentences that say what to do. */
  warnings?(context: WarningFactsContext<Rules>): string[];
  /** Whether an account is connected at the provider, which redirects the browser back to a redirect URI. */
  isByConsent?: true;
  /**
   * Whether the provider grants the scopes that are ticked in the registered app, so that a request asks for
   * none.
   */
  grantsTickedScopes?(rules: Rules): boolean;
  /** For minted tokens: ends the advice for a missing scope, after the operator has added it to the connection. */
  scopeAdvice?: string;
}
