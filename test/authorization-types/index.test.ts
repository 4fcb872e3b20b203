/** The table of authorization types: facts that messages, schemas and the API take for granted. */
import { describe, expect, it } from 'vitest';
import {
  AUTHORIZATION_TYPE_NAMES,
  blockOf,
  isByConsent,
  typeNamed,
  typeOf,
} from '../../src/authorization-types/index.ts';

describe('authorization types', () => {
  it('lists the types in the order of the enumerations that the API publishes', () => {
    expect(AUTHORIZATION_TYPE_NAMES).toEqual([
      'OAUTH',
      'API_KEY',
      'BASIC_AUTH',
      'BEARER_TOKEN',
      'CUSTOM',
      'BASIC',
      'OAUTH_M2M',
      'BOARD_OAUTH1',
      'WORKSPACE_DWD',
      'TRUSTED_IDP',
      'SMART_FHIR',
      'NO_AUTH',
      'MCP_OAUTH',
    ]);
  });

  it('names the block of each type after the type and says what it is for', () => {
    const blocks = AUTHORIZATION_TYPE_NAMES.filter((type) => blockOf(type) !== undefined);
    expect(blocks.map(blockOf)).toEqual(blocks.map((type) => type.toLowerCase()));
    expect(blocks.filter((type) => typeOf({ type }).purpose === undefined)).toEqual([]);
  });

  it('lets callers write the member that says in whose name an account acts', () => {
    const acting = AUTHORIZATION_TYPE_NAMES.flatMap((type) => {
      const { actsAs, writable = {} } = typeOf({ type }).credentials ?? {};
      return actsAs === undefined ? [] : [[type, Object.keys(writable)]];
    });
    expect(acting).toEqual([
      ['WORKSPACE_DWD', ['subject']],
      ['TRUSTED_IDP', ['db_user']],
    ]);
  });

  it('tells which types redirect the browser back from the provider', () => {
    const byConsent = AUTHORIZATION_TYPE_NAMES.filter((type) => isByConsent({ type }));
    expect(byConsent).toEqual(['OAUTH', 'BOARD_OAUTH1', 'SMART_FHIR', 'MCP_OAUTH']);
  });

  it('has no facts for the name of an inherited member', () => {
    expect(typeNamed('constructor')).toBeUndefined();
    expect(typeNamed('SAML')).toBeUndefined();
  });
});
