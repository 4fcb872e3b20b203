/** Faults of an `auth` entry that its shape cannot show: credential forms, and the block of its authorization type. Pure. */
import { addressesIn, BLOCK_OF, type AuthBlock } from '../model/auth-rules.ts';
import type { AddressedRules } from '../model/auth-types.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import type { Fault } from './fault.ts';
import { badPattern, isHostPattern, placeholdersIn } from './placeholder-check.ts';

type AuthEntry = ConnectorEntry['auth'][number];
type Path = (string | number)[];

/** Fields a type needs under these names: stored credentials use them (docs/contract.md#usable-credentials). */
const NEEDED_FIELDS: Readonly<Partial<Record<AuthEntry['type'], readonly string[]>>> = {
  API_KEY: ['api_key'],
  BEARER_TOKEN: ['token'],
  BASIC_AUTH: ['username', 'password'],
  BASIC: ['username', 'password'],
};

/** Names that fields may have where the type has a form of its own: a file may say them in other words. */
const KNOWN_FIELDS: Readonly<Partial<Record<AuthEntry['type'], readonly string[]>>> = {
  NO_AUTH: [],
  OAUTH: [],
  SMART_FHIR: [],
  BOARD_OAUTH1: [],
  OAUTH_M2M: ['client_id', 'client_secret'],
  WORKSPACE_DWD: ['subject'],
  TRUSTED_IDP: ['db_user'],
};

/** Types whose credential has no place of its own in a request. */
const NEEDS_ATTACH: readonly AuthEntry['type'][] = ['API_KEY', 'CUSTOM'];

/** What each block is for, to say that it is missing. */
const PURPOSES: Readonly<Record<AuthBlock, string>> = {
  oauth: 'where and how consent is asked for',
  oauth_m2m: 'where a token for client credentials comes from',
  workspace_dwd: 'where the assertion of a service account is exchanged',
  trusted_idp: 'how temporary credentials are got',
  smart_fhir: 'what the discovered endpoints are asked for',
  board_oauth1: 'where and how a token is asked for',
};

/** Parameters of the authorization request that are ours. */
const OWN_PARAMETERS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
];

/** The same of BOARD_OAUTH1. */
const OWN_BOARD_PARAMETERS = [
  'callback_method',
  'key',
  'name',
  'oauth_token',
  'response_type',
  'return_url',
  'scope',
];

/** Parameters of a token request that are ours. */
const OWN_TOKEN_PARAMETERS = [
  'audience',
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'grant_type',
  'scope',
];

/** @param connector the whole file, without faults of its own hosts */
export function authFaults(connector: ConnectorEntry, auth: AuthEntry, path: Path): Fault[] {
  return [
    ...blockFaults(auth, path),
    ...fieldFaults(auth, path),
    ...attachFaults(auth, path),
    ...ownFaults(auth, path),
    ...addressFaults(connector, auth, path),
  ];
}

function blockFaults(auth: AuthEntry, path: Path): Fault[] {
  const wanted = BLOCK_OF[auth.type];
  const faults: Fault[] = [];
  if (wanted !== undefined && auth[wanted] === undefined)
    faults.push({ path, message: `${auth.type} needs ${wanted}: ${PURPOSES[wanted]}` });
  for (const [type, block] of Object.entries(BLOCK_OF)) {
    if (block === undefined || block === wanted || auth[block] === undefined) continue;
    faults.push({ path: [...path, block], message: `is for ${type} only: remove it from ${auth.type}` });
  }
  return faults;
}

function fieldFaults({ type, fields }: AuthEntry, path: Path): Fault[] {
  const faults: Fault[] = [];
  const names = fields.map(({ name }) => name);
  for (const name of NEEDED_FIELDS[type] ?? [])
    if (!names.includes(name)) faults.push({ path, message: `${type} needs a field named ${name}` });
  if (type === 'CUSTOM' && names.length === 0)
    faults.push({ path, message: 'CUSTOM needs at least one field' });
  const known = KNOWN_FIELDS[type];
  if (known?.length === 0 && names.length > 0)
    faults.push({ path: [...path, 'fields'], message: `${type} has no fields` });
  for (const [i, name] of names.entries()) {
    const at = [...path, 'fields', i];
    if (names.indexOf(name) !== i) faults.push({ path: at, message: `${name} is declared twice` });
    else if (known !== undefined && known.length > 0 && !known.includes(name))
      faults.push({ path: at, message: `${type} has the fields ${known.join(' and ')} only` });
  }
  return faults;
}

function attachFaults({ type, fields, attach }: AuthEntry, path: Path): Fault[] {
  const faults: Fault[] = [];
  const needsAttach = NEEDS_ATTACH.includes(type);
  if (needsAttach && attach === undefined)
    faults.push({ path, message: `${type} needs attach: where the credential goes` });
  if (!needsAttach && attach !== undefined)
    faults.push({ path: [...path, 'attach'], message: `${type} has a fixed place: remove attach` });
  if (attach !== undefined && !fields.some(({ name }) => name === attach.field))
    faults.push({
      path: [...path, 'attach', 'field'],
      message: `names ${attach.field}, which is not a field`,
    });
  return faults;
}

/** What one block forbids that its shape allows. */
function ownFaults(auth: AuthEntry, path: Path): Fault[] {
  const block = BLOCK_OF[auth.type];
  const rules = block === undefined ? undefined : auth[block];
  if (block === undefined || rules === undefined) return [];
  const at = [...path, block];
  const faults: Fault[] = [];
  const own = (key: string, given: Readonly<Record<string, string>>, names: readonly string[]) =>
    Object.keys(given)
      .filter((name) => names.includes(name))
      .map((name) => ({ path: [...at, key, name], message: 'is set by Gatehouse: remove it' }));
  const { oauth, smart_fhir: smart, board_oauth1: board } = auth;
  faults.push(
    ...own('authorize_parameters', oauth?.authorize_parameters ?? {}, OWN_PARAMETERS),
    ...own('authorize_parameters', smart?.authorize_parameters ?? {}, [...OWN_PARAMETERS, 'aud']),
    ...own('authorize_parameters', board?.authorize_parameters ?? {}, OWN_BOARD_PARAMETERS),
  );
  const token = auth.oauth_m2m?.token_parameters ?? {};
  faults.push(...own('token_parameters', token, OWN_TOKEN_PARAMETERS));
  if (auth.oauth !== undefined && auth.oauth.revocation !== 'none' && auth.oauth.revocation_url === undefined)
    faults.push({ path: [...at, 'revocation'], message: 'needs revocation_url' });
  faults.push(...scopeFaults(auth, rules, at), ...boardFaults(auth, at), ...regionFaults(auth, at));
  return faults;
}

function scopeFaults({ oauth, scopes: described = {} }: AuthEntry, rules: object, at: Path): Fault[] {
  const faults: Fault[] = [];
  const { scope_names: names = {}, scopes = [] } = rules as {
    scope_names?: Readonly<Record<string, string>>;
    scopes?: readonly string[];
  };
  for (const [name, called] of Object.entries(names)) {
    const place = [...at, 'scope_names', name];
    if (!Object.hasOwn(described, name)) faults.push({ path: place, message: 'is not in scopes' });
    if (Object.values(names).filter((other) => other === called).length > 1)
      faults.push({ path: place, message: `${called} is the name of two scopes` });
  }
  const offline = oauth?.offline_scope;
  if (offline !== undefined && !Object.hasOwn(described, offline))
    faults.push({ path: [...at, 'offline_scope'], message: `names ${offline}, which is not in scopes` });
  for (const [i, name] of scopes.entries())
    if (!Object.hasOwn(described, name))
      faults.push({
        path: [...at, 'scopes', i],
        message: `names ${name}, which is not in the scopes of the entry`,
      });
  return faults;
}

function boardFaults({ board_oauth1: rules }: AuthEntry, at: Path): Fault[] {
  if (rules === undefined) return [];
  return (['request_token_url', 'access_token_url'] as const).flatMap((key) => {
    if (rules.flow === 'oauth1' && rules[key] === undefined)
      return [{ path: at, message: `the flow oauth1 needs ${key}` }];
    if (rules.flow === 'token' && rules[key] !== undefined)
      return [{ path: [...at, key], message: 'is for the flow oauth1 only: remove it' }];
    return [];
  });
}

function regionFaults({ trusted_idp: rules }: AuthEntry, at: Path): Fault[] {
  if (rules === undefined || rules.region !== undefined || rules.sts_url.includes('{region}')) return [];
  return [{ path: at, message: 'needs region, or the placeholder {region} in sts_url' }];
}

/** Addresses and their placeholders, wherever the block has them. */
function addressFaults(connector: ConnectorEntry, auth: AuthEntry, path: Path): Fault[] {
  const block = BLOCK_OF[auth.type];
  const rules = block === undefined ? undefined : auth[block];
  if (block === undefined || rules === undefined) return [];
  const at = [...path, block];
  const ofHosts = new Set(connector.hosts.flatMap(({ placeholders }) => Object.keys(placeholders)));
  const own = (rules as AddressedRules).placeholders ?? {};
  const addresses = addressesIn(rules);
  const faults: Fault[] = [];
  for (const [key, url] of addresses) {
    for (const name of placeholdersIn([url]))
      if (!ofHosts.has(name) && !Object.hasOwn(own, name))
        faults.push({
          path: [...at, key],
          message: `has the placeholder {${name}}, which placeholders does not describe`,
        });
    if (!URL.canParse(url.replaceAll(/\{[^{}]*\}/g, 'x')))
      faults.push({ path: [...at, key], message: 'must be a web address without user name and fragment' });
  }
  const used = placeholdersIn(addresses.map(([, url]) => url));
  for (const [name, pattern] of Object.entries(own)) {
    const place = [...at, 'placeholders', name];
    if (!used.has(name)) faults.push({ path: place, message: 'is not in an address' });
    if (ofHosts.has(name)) faults.push({ path: place, message: 'is described by a host already: remove it' });
    if (!isHostPattern(pattern)) faults.push(badPattern(place));
  }
  return faults;
}
