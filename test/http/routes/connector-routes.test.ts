/** Connectors and environments over REST; every answer is checked against /openapi.json. */
import { beforeEach, describe, expect, it } from 'vitest';
import { answerProblems, openApi } from '../openapi-document.ts';
import { testCatalog } from '../../support/test-catalog.ts';
import { restApi, type RestApi } from '../rest-api.ts';

const document = await openApi();
const CONNECTORS = '/api/v1/connectors';

let api: RestApi;
beforeEach(async () => {
  api = await restApi();
});

async function call(path: string, template = path.split('?')[0] ?? path) {
  const response = await api.request(path);
  const body = (await response.json()) as Record<string, never>;
  const { status } = response;
  expect(answerProblems(document, { method: 'GET', path: template, status, body })).toEqual([]);
  return { status, body };
}

describe('connectors of the catalog over REST', () => {
  it('shows how accounts are connected, and which scopes, toolsets and hosts there are', async () => {
    expect(await call(`${CONNECTORS}/notes`, `${CONNECTORS}/{name}`)).toEqual({
      status: 200,
      body: {
        connector: {
          name: 'notes',
          title: 'Notes',
          description: expect.any(String),
          authorization_types: [
            {
              type: 'API_KEY',
              fields: [expect.objectContaining({ name: 'api_key', required: true })],
              scopes: [],
            },
          ],
          toolsets: expect.arrayContaining([expect.any(String)]),
          hosts: ['https://api.notes.example'],
        },
      },
    });
  });

  it('explains the scopes that a connection may ask for', async () => {
    const mailbox = testCatalog.connectors.get('mailbox')!;
    const auth = mailbox.auth.map((one) => ({
      ...one,
      scopes: { 'mail.read': 'Read mail.', 'mail.send': '' },
    }));
    const connectors = new Map([...testCatalog.connectors, ['mailbox', { ...mailbox, auth }]]);
    api = await restApi({ catalog: { ...testCatalog, connectors } });
    const { body } = await call(`${CONNECTORS}/mailbox`, `${CONNECTORS}/{name}`);
    expect(body['connector']).toMatchObject({
      authorization_types: [
        {
          type: 'OAUTH',
          scopes: [
            { name: 'mail.read', meaning: 'Read mail.' },
            { name: 'mail.send', meaning: '' },
          ],
        },
      ],
    });
  });

  it('lists them all, or in pages', async () => {
    const names = ({ body }: { body: Record<string, { name: string }[]> }) =>
      (body['connectors'] ?? []).map(({ name }) => name);
    const all = names(await call(CONNECTORS));
    const first = await call(`${CONNECTORS}?page_size=2`);
    const second = await call(
      `${CONNECTORS}?page_size=2&page_token=${String(first.body['next_page_token'])}`,
    );
    expect([...names(first), ...names(second)]).toEqual(all.slice(0, 4));
    expect(first.body['total_size']).toBe(all.length);
  });

  it.each([
    [`${CONNECTORS}/nothing`, 404],
    [`${CONNECTORS}/__proto__`, 404],
    [`${CONNECTORS}?page_size=0`, 400],
    [`${CONNECTORS}?page_size=101`, 400],
    [`${CONNECTORS}?page_token=made-up`, 400],
    [`${CONNECTORS}?color=red`, 400],
    ['/api/v1/environments?page_token=made-up', 400],
  ])('answers %s with %i', async (path, status) => {
    expect((await api.request(path)).status).toBe(status);
  });

  it.each([CONNECTORS, `${CONNECTORS}/notes`, '/api/v1/environments'])(
    'shows %s to administrators of the whole environment only',
    async (path) => {
      for (const token of ['tools.execute', 'bound']) {
        const response = await api.request(path, { headers: { authorization: `Bearer ${token}` } });
        expect(response.status).toBe(403);
      }
    },
  );
});

describe('environments of the installation over REST', () => {
  it('lists them with their public addresses', async () => {
    const { body } = await call('/api/v1/environments');
    expect(body).toEqual({
      environments: [
        { id: 'env_test', name: 'development', base_url: 'http://127.0.0.1:3000' },
        { id: 'env_other', name: 'production', base_url: 'https://gate.example' },
      ],
      next_page_token: '',
      prev_page_token: '',
      total_size: 2,
    });
  });
});
