/** No authorization type is forgotten: each has its scheme, its credential variant, its example and its end-to-end tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { detailsViolations } from '../../src/accounts/authorization-details.ts';
import {
  AUTHORIZATION_TYPE_NAMES,
  blockOf,
  isByConsent,
  type AuthorizationType,
} from '../../src/authorization-types/index.ts';
import { renewalOf, schemeOf } from '../../src/credentials/schemes/index.ts';
import { rulesOf } from '../../src/authorization-types/blocks.ts';
import { loadCatalog } from '../../src/catalog/load/load.ts';
import { smallestEntry } from '../support/auth-entries.ts';
import { EXAMPLES } from '../support/example-server.ts';

const examples = loadCatalog([EXAMPLES]);
const fileName = (type: AuthorizationType): string => type.toLowerCase().replaceAll('_', '-');

/** The variant by type (docs/contract.md#credentials-of-an-account); undefined: it takes none. */
const VARIANTS: Readonly<Record<AuthorizationType, string | undefined>> = {
  OAUTH: 'oauth_token',
  API_KEY: 'static_auth',
  BASIC_AUTH: 'static_auth',
  BEARER_TOKEN: 'static_auth',
  CUSTOM: 'static_auth',
  BASIC: 'static_auth',
  OAUTH_M2M: 'static_auth',
  BOARD_OAUTH1: 'oauth_token',
  WORKSPACE_DWD: 'workspace_dwd',
  TRUSTED_IDP: 'trusted_idp',
  SMART_FHIR: 'oauth_token',
  NO_AUTH: undefined,
  MCP_OAUTH: 'oauth_token',
};

it('lists the thirteen types of docs/contract.md#fields-of-an-account', () => {
  expect(AUTHORIZATION_TYPE_NAMES.toSorted()).toEqual(
    [
      'API_KEY',
      'BASIC',
      'BASIC_AUTH',
      'BEARER_TOKEN',
      'BOARD_OAUTH1',
      'CUSTOM',
      'MCP_OAUTH',
      'NO_AUTH',
      'OAUTH',
      'OAUTH_M2M',
      'SMART_FHIR',
      'TRUSTED_IDP',
      'WORKSPACE_DWD',
    ].toSorted(),
  );
});

describe.each(AUTHORIZATION_TYPE_NAMES)('authorization type %s', (type) => {
  const file = join(EXAMPLES, fileName(type), 'connector.yaml');
  const { name } = parse(readFileSync(file, 'utf8')) as { name: string };
  const example = examples.connectors.get(name);

  it('has an example connector with a tool, in the folder of its name', () => {
    expect(example?.auth.map((way) => way.type)).toContain(type);
    if (example?.mcp !== undefined) return;
    expect([...examples.tools.values()].some(({ connector }) => connector === example?.name)).toBe(true);
  });

  it('has end-to-end tests, which call a tool of its example', () => {
    const text = readFileSync(join(import.meta.dirname, 'schemes', `${fileName(type)}.test.ts`), 'utf8');
    const tools = [...examples.tools.values()].filter(({ connector }) => connector === example?.name);
    if (example?.mcp !== undefined) return;
    expect(tools.some(({ name }) => text.includes(`'${name}'`))).toBe(true);
  });

  it('takes its credential variant and no other', () => {
    const auth = smallestEntry(type);
    const taken = ['oauth_token', 'static_auth', 'workspace_dwd', 'trusted_idp'].filter((variant) =>
      detailsViolations(auth, { [variant]: {} }, 'd').every(({ constraint }) => constraint !== 'variant'),
    );
    expect(taken).toEqual([VARIANTS[type]].filter((variant) => variant !== undefined));
  });

  it('has a scheme that says how it is connected and renewed', () => {
    const auth = example?.auth.find((way) => way.type === type);
    if (auth === undefined) throw new Error(`there is no example of ${type}`);
    const scheme = schemeOf(type);
    expect(isByConsent(auth)).toBe(scheme.consent !== undefined);
    expect(rulesOf(auth) === undefined).toBe(blockOf(type) === undefined);
    const isLasting = blockOf(type) === undefined || type === 'BOARD_OAUTH1';
    expect(renewalOf(auth) === undefined).toBe(isLasting);
  });
});
