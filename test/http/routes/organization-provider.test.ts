/** The OpenID provider of an organization over REST, with the real rules behind it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { json, restApi, rowsWritten, type RestApi } from '../rest-api.ts';

let api: RestApi;
let path: string;
beforeEach(async () => {
  api = await restApi();
  const organization = { name: 'Acme', user: { email: 'olga@acme.example' } };
  const made = await api.request('/api/v1/organizations', json('POST', organization));
  const { id } = ((await made.json()) as { organization: { id: string } }).organization;
  path = `/api/v1/organizations/${id}/provider`;
});

const PROVIDER = {
  issuer: 'https://login.acme.example',
  client_id: 'gatehouse',
  client_secret: 'secret1',
  domains: ['acme.example'],
};

const put = (body: unknown): RequestInit => json('PUT', body);

describe('identity provider of an organization over REST', () => {
  it('sets, shows and deletes the identity provider', async () => {
    const { client_secret: _, ...rest } = PROVIDER;
    const shown = {
      provider: expect.objectContaining({
        ...rest,
        id: expect.stringMatching(/^idp_/),
        has_client_secret: true,
      }),
    };
    expect(await (await api.request(path, put(PROVIDER))).json()).toEqual(shown);
    expect(await (await api.request(path)).json()).toEqual(shown);
    expect(await (await api.request(path, { method: 'DELETE' })).json()).toEqual({});
    expect((await api.request(path)).status).toBe(404);
  });

  it('accepts a provider without a secret, and keeps the secret when none is named', async () => {
    const { client_secret: _, ...rest } = PROVIDER;
    const hasSecret = async (body: object) => {
      const response = await api.request(path, put(body));
      expect(response.status).toBe(200);
      return ((await response.json()) as { provider: { has_client_secret: boolean } }).provider
        .has_client_secret;
    };
    expect(await hasSecret(PROVIDER)).toBe(true);
    expect(await hasSecret(rest)).toBe(true);
    expect(await hasSecret({ ...rest, client_secret: null })).toBe(false);
    expect(await hasSecret(rest)).toBe(false);
  });

  it.each([
    ['issuer', { issuer: undefined }],
    ['client_id', { client_id: 7 }],
    ['client_secret', { client_secret: '' }],
    ['domains', { domains: 'acme.example' }],
    ['domains', { domains: Array.from({ length: 51 }, (_, i) => `d${i}.example`) }],
    ['audience', { audience: 'x' }],
  ])('refuses a wrong %s before anything is done', async (field, change) => {
    const before = await rowsWritten(api.services.db);
    const answer = await api.request(path, put({ ...PROVIDER, ...change }));
    expect(answer.status).toBe(400);
    const body = (await answer.json()) as { details: { field_violations: { field: string }[] }[] };
    expect(body.details[0]?.field_violations.map((violation) => violation.field)).toEqual([field]);
    expect(await rowsWritten(api.services.db)).toBe(before);
  });
});
