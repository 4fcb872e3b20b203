import { describe, expect, it } from 'vitest';
import { fakeApi } from '../fake-services.ts';

const PATH = '/api/v1/organizations/org_1/provider';
const PROVIDER = {
  issuer: 'https://login.acme.example',
  client_id: 'gatehouse',
  client_secret: 'secret1',
  domains: ['acme.example'],
};

const put = (body: unknown): RequestInit => ({
  method: 'PUT',
  headers: { authorization: 'Bearer all', 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe('identity provider of an organization over REST', () => {
  it('sets, shows and deletes the identity provider', async () => {
    const api = fakeApi();
    const shown = { provider: expect.objectContaining({ id: 'idp_1', has_client_secret: true }) };
    expect(await (await api.request(PATH, put(PROVIDER))).json()).toEqual(shown);
    expect(await (await api.request(PATH)).json()).toEqual(shown);
    const headers = { authorization: 'Bearer all' };
    expect(await (await api.request(PATH, { method: 'DELETE', headers })).json()).toEqual({});
    expect(api.reached).toEqual([
      { what: 'organizationProviders.put', with: ['org_1', PROVIDER] },
      { what: 'organizationProviders.get', with: ['org_1'] },
      { what: 'organizationProviders.remove', with: ['org_1'] },
    ]);
  });

  it('accepts a provider without a secret, and keeps the secret when none is named', async () => {
    const api = fakeApi();
    const { client_secret: _, ...rest } = PROVIDER;
    expect((await api.request(PATH, put({ ...rest, client_secret: null }))).status).toBe(200);
    expect((await api.request(PATH, put(rest))).status).toBe(200);
    expect(api.reached.map((call) => call.with[1])).toEqual([{ ...rest, client_secret: null }, rest]);
  });

  it.each([
    ['issuer', { issuer: undefined }],
    ['client_id', { client_id: 7 }],
    ['client_secret', { client_secret: '' }],
    ['domains', { domains: 'acme.example' }],
    ['domains', { domains: Array.from({ length: 51 }, (_, i) => `d${i}.example`) }],
    ['audience', { audience: 'x' }],
  ])('refuses a wrong %s before anything is done', async (field, change) => {
    const api = fakeApi();
    const answer = await api.request(PATH, put({ ...PROVIDER, ...change }));
    expect(answer.status).toBe(400);
    const body = (await answer.json()) as { details: { field_violations: { field: string }[] }[] };
    expect(body.details[0]?.field_violations.map((violation) => violation.field)).toEqual([field]);
    expect(api.reached).toEqual([]);
  });
});
