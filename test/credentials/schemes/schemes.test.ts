import { describe, expect, it } from 'vitest';
import type { AuthorizationDetails } from '../../../src/authorization-types/credentials.ts';
import { isByConsent } from '../../../src/authorization-types/index.ts';
import { renewalOf, schemeOf } from '../../../src/credentials/schemes/index.ts';
import type { AttachContext } from '../../../src/credentials/schemes/scheme.ts';
import type { ConnectorAuth } from '../../../src/catalog/model/types.ts';
import { smallestEntry } from '../../support/auth-entries.ts';

/** What a scheme of stored credentials sees. */
function context(details: AuthorizationDetails, auth: ConnectorAuth): AttachContext {
  return {
    details,
    auth,
    openConnection: () => Promise.reject(new Error('nothing of the connection is needed')),
  } as unknown as AttachContext;
}

const attached = async (details: AuthorizationDetails, auth: ConnectorAuth) =>
  schemeOf(auth.type).attach(context(details, auth));

const field = (name: string) => ({ name, label: name, input: 'password', required: true }) as const;

describe('credential of a request to a provider', () => {
  it('sends an OAuth access token as bearer token and nothing else of the account', async () => {
    const details = {
      oauth_token: { access_token: 'at-1', refresh_token: 'rt-1', scopes: ['a'], domain: 'acme' },
    };
    expect(await attached(details, smallestEntry('OAUTH'))).toEqual({
      headers: { authorization: 'Bearer at-1' },
      query: [],
      secrets: ['at-1'],
    });
  });

  it.each([
    ['its password', { username: 'ada', password: 'secret' }, ['YWRhOnNlY3JldA==', 'secret']],
    ['its user name where that is the key', { username: 'key-1', password: '' }, ['a2V5LTE6', 'key-1']],
    ['its user name where there is nothing else', { username: 'key-1' }, ['a2V5LTE6', 'key-1']],
  ])('keeps parts of basic credentials from coming back: %s', async (_, details, secrets) => {
    const fields = [field('username'), field('password')];
    expect(await attached({ static_auth: { details } }, { type: 'BASIC', fields })).toMatchObject({
      secrets,
    });
  });

  it('sends a minted token as bearer token, and not what it was minted with', async () => {
    const details = {
      static_auth: { details: { client_id: 'id-1', client_secret: 'secret-1' } },
      internal: { access_token: 'at-1' },
    };
    const bearer = { headers: { authorization: 'Bearer at-1' }, query: [], secrets: ['at-1'] };
    expect(await attached(details, smallestEntry('OAUTH_M2M'))).toEqual(bearer);
    expect(await attached(details, smallestEntry('WORKSPACE_DWD'))).toEqual(bearer);
  });

  it('sends an API key in the declared query parameter, with its prefix', async () => {
    const auth: ConnectorAuth = {
      type: 'API_KEY',
      fields: [field('api_key')],
      attach: { in: 'query', name: 'key', field: 'api_key', prefix: 'k-' },
    };
    expect(await attached({ static_auth: { details: { api_key: 'one' } } }, auth)).toEqual({
      headers: {},
      query: [['key', 'k-one']],
      secrets: ['one'],
    });
  });

  it('sends nothing for a public API', async () => {
    expect(await attached({}, { type: 'NO_AUTH', fields: [] })).toEqual({
      headers: {},
      query: [],
      secrets: [],
    });
  });
});

describe('authorization types without renewal', () => {
  it.each(['API_KEY', 'BASIC', 'BASIC_AUTH', 'BEARER_TOKEN', 'CUSTOM', 'NO_AUTH'] as const)(
    'offers neither renewal nor consent for %s',
    (type) => {
      expect(renewalOf(smallestEntry(type))).toBeUndefined();
      expect(isByConsent({ type })).toBe(false);
    },
  );
});
