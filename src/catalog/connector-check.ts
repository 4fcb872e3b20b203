/** Faults of a connector.yaml that its shape cannot show: hosts, placeholders, credential forms. Pure. */
import type { ConnectorEntry } from './connector-schema.ts';
import type { Fault } from './fault.ts';

type AuthEntry = ConnectorEntry['auth'][number];

/** Fields a type needs under these names: stored credentials use them (contract section 5). */
const NEEDED_FIELDS: Readonly<Record<AuthEntry['type'], readonly string[]>> = {
  API_KEY: ['api_key'],
  BEARER_TOKEN: ['token'],
  BASIC_AUTH: ['username', 'password'],
  BASIC: ['username', 'password'],
  CUSTOM: [],
  NO_AUTH: [],
  OAUTH: [],
};

/** Types whose credential has no place of its own in a request. */
const NEEDS_ATTACH: readonly AuthEntry['type'][] = ['API_KEY', 'CUSTOM'];

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

/** @returns faults with paths below the root of the file */
export function connectorFaults(connector: ConnectorEntry): Fault[] {
  const types = connector.auth.map(({ type }) => type);
  return [
    ...connector.hosts.flatMap((host, i) => hostFaults(host, ['hosts', i])),
    ...settingFaults(connector),
    ...connector.auth.flatMap((auth, i) => [
      ...authFaults(auth, ['auth', i]),
      ...oauthAddressFaults(connector, auth, ['auth', i, 'oauth']),
      ...(types.indexOf(auth.type) === i
        ? []
        : [{ path: ['auth', i, 'type'], message: `${auth.type} is declared twice` }]),
    ]),
    ...errorFaults(connector.errors),
  ];
}

/** An answer means that the credential is dead, or that it lacks a scope: the account ends or stays by it. */
function errorFaults({ reconnect, missing_scope }: ConnectorEntry['errors']): Fault[] {
  return (missing_scope?.statuses ?? []).flatMap((status, i) =>
    reconnect.includes(status)
      ? [
          {
            path: ['errors', 'missing_scope', 'statuses', i],
            message: `${status} is among reconnect too: it can mean one of them only`,
          },
        ]
      : [],
  );
}

function hostFaults(host: ConnectorEntry['hosts'][number], path: (string | number)[]): Fault[] {
  const faults: Fault[] = [];
  const used = placeholdersIn([host.url]);
  const sample = host.url.replaceAll(/\{[^{}]*\}/g, 'x');
  if (!isBaseUrl(sample))
    faults.push({
      path: [...path, 'url'],
      message:
        'must be https://host (or http://host inside your own network), perhaps with a path, without query, user name and final slash',
    });
  for (const name of used)
    if (!Object.hasOwn(host.placeholders, name))
      faults.push({
        path: [...path, 'url'],
        message: `has the placeholder {${name}}, which placeholders does not describe`,
      });
  for (const [name, pattern] of Object.entries(host.placeholders)) {
    if (!used.has(name)) faults.push({ path: [...path, 'placeholders', name], message: 'is not in the url' });
    if (!isHostPattern(pattern)) faults.push(badPattern([...path, 'placeholders', name]));
  }
  return faults;
}

function badPattern(path: (string | number)[]): Fault {
  return {
    path,
    message:
      'must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
  };
}

/** The addresses of an OAuth block, by key, as far as they are given. */
const ADDRESSES = ['authorization_url', 'token_url', 'revocation_url', 'issuer'] as const;

function oauthAddressFaults(
  connector: ConnectorEntry,
  { oauth }: AuthEntry,
  path: (string | number)[],
): Fault[] {
  if (oauth === undefined) return [];
  const ofHosts = new Set(connector.hosts.flatMap(({ placeholders }) => Object.keys(placeholders)));
  const own = oauth.placeholders ?? {};
  const faults: Fault[] = [];
  for (const key of ADDRESSES) {
    const url = oauth[key] ?? '';
    for (const name of placeholdersIn([url]))
      if (!ofHosts.has(name) && !Object.hasOwn(own, name))
        faults.push({
          path: [...path, key],
          message: `has the placeholder {${name}}, which placeholders does not describe`,
        });
    if (url !== '' && !URL.canParse(url.replaceAll(/\{[^{}]*\}/g, 'x')))
      faults.push({ path: [...path, key], message: 'must be a web address without user name and fragment' });
  }
  const used = placeholdersIn(ADDRESSES.map((key) => oauth[key] ?? ''));
  for (const [name, pattern] of Object.entries(own)) {
    const at = [...path, 'placeholders', name];
    if (!used.has(name)) faults.push({ path: at, message: 'is not in an address' });
    if (ofHosts.has(name)) faults.push({ path: at, message: 'is described by a host already: remove it' });
    if (!isHostPattern(pattern)) faults.push(badPattern(at));
  }
  return faults;
}

/** A setting without a placeholder is a name spelled wrong. */
function settingFaults({ hosts, auth, settings }: ConnectorEntry): Fault[] {
  const known = new Set([
    ...hosts.flatMap(({ placeholders }) => Object.keys(placeholders)),
    ...auth.flatMap(({ oauth }) => Object.keys(oauth?.placeholders ?? {})),
  ]);
  return Object.keys(settings ?? {})
    .filter((name) => !known.has(name))
    .map((name) => ({ path: ['settings', name], message: 'is not the name of a placeholder' }));
}

function placeholdersIn(urls: readonly string[]): Set<string> {
  return new Set(urls.flatMap((url) => [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '')));
}

function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#@\\\s]+(\/[^?#\\\s]*[^/?#\\\s])?$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === '' && url.password === '';
}

/** Compiles, and lets none of the characters through that end or redirect a host. */
function isHostPattern(source: string): boolean {
  try {
    const pattern = new RegExp(`^(?:${source})$`, 'u');
    return !['/', '@', '?', '#', ':', '\\', ' '].some((c) => pattern.test(c) || pattern.test(`a${c}b`));
  } catch {
    return false;
  }
}

function authFaults(auth: AuthEntry, path: (string | number)[]): Fault[] {
  const faults: Fault[] = [];
  const names = auth.fields.map(({ name }) => name);
  faults.push(...oauthFaults(auth, path));
  for (const name of NEEDED_FIELDS[auth.type])
    if (!names.includes(name)) faults.push({ path, message: `${auth.type} needs a field named ${name}` });
  if (auth.type === 'CUSTOM' && names.length === 0)
    faults.push({ path, message: 'CUSTOM needs at least one field' });
  if (['NO_AUTH', 'OAUTH'].includes(auth.type) && names.length > 0)
    faults.push({ path: [...path, 'fields'], message: `${auth.type} has no fields` });
  for (const [i, name] of names.entries())
    if (names.indexOf(name) !== i)
      faults.push({ path: [...path, 'fields', i], message: `${name} is declared twice` });
  const needsAttach = NEEDS_ATTACH.includes(auth.type);
  if (needsAttach && auth.attach === undefined)
    faults.push({ path, message: `${auth.type} needs attach: where the credential goes` });
  if (!needsAttach && auth.attach !== undefined)
    faults.push({ path: [...path, 'attach'], message: `${auth.type} has a fixed place: remove attach` });
  if (auth.attach !== undefined && !names.includes(auth.attach.field))
    faults.push({
      path: [...path, 'attach', 'field'],
      message: `names ${auth.attach.field}, which is not a field`,
    });
  return faults;
}

function oauthFaults({ type, oauth, scopes }: AuthEntry, path: (string | number)[]): Fault[] {
  if (oauth === undefined)
    return type === 'OAUTH'
      ? [{ path, message: 'OAUTH needs oauth: where and how consent is asked for' }]
      : [];
  const at = [...path, 'oauth'];
  if (type !== 'OAUTH') return [{ path: at, message: `is for OAUTH only: remove it from ${type}` }];
  const faults: Fault[] = [];
  const own = Object.keys(oauth.authorize_parameters).filter((name) => OWN_PARAMETERS.includes(name));
  for (const name of own)
    faults.push({ path: [...at, 'authorize_parameters', name], message: 'is set by Gatehouse: remove it' });
  if (oauth.revocation !== 'none' && oauth.revocation_url === undefined)
    faults.push({ path: [...at, 'revocation'], message: 'needs revocation_url' });
  for (const [name, called] of Object.entries(oauth.scope_names ?? {})) {
    const place = [...at, 'scope_names', name];
    if (!Object.hasOwn(scopes ?? {}, name)) faults.push({ path: place, message: 'is not in scopes' });
    const others = Object.entries(oauth.scope_names ?? {}).filter(([, other]) => other === called);
    if (others.length > 1) faults.push({ path: place, message: `${called} is the name of two scopes` });
  }
  const { offline_scope } = oauth;
  if (offline_scope !== undefined && !Object.hasOwn(scopes ?? {}, offline_scope))
    faults.push({
      path: [...at, 'offline_scope'],
      message: `names ${offline_scope}, which is not in scopes`,
    });
  return faults;
}
