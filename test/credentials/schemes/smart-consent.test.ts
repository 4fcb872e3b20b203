/** The way to the consent page of one clinic among many: its host comes from the account. */
import { expect, it } from 'vitest';
import { consentSubject } from '../../../src/links/consent-subject.ts';
import { smartConsent } from '../../../src/credentials/schemes/smart-consent.ts';
import type { UsableLink } from '../../../src/links/usable-link.ts';
import { loadCatalog } from '../../../src/catalog/index.ts';
import type { OutboundRequest } from '../../../src/outbound/outbound.ts';
import { testAccount, testConnection } from '../../support/accounts.ts';
import { EXAMPLES } from '../../support/example-server.ts';

const connector = loadCatalog([EXAMPLES]).connectors.get('clinic')!;
const auth = connector.auth.find((entry) => entry.type === 'SMART_FHIR')!;

/** What is read of a link here. */
function subject(apiConfig: Record<string, string>, rules: object = {}) {
  const connection = testConnection({ name: 'clinic', connector: 'clinic', type: 'SMART_FHIR' });
  const row = testAccount({ connection });
  const own = { ...auth, smart_fhir: { ...auth.smart_fhir, ...rules } };
  const link = { row, connection, connector, auth: own } as unknown as UsableLink;
  return { ...consentSubject(link, apiConfig), auth: own };
}

async function begin(of: ReturnType<typeof subject>, login: string) {
  const sent: OutboundRequest[] = [];
  const document = { authorization_endpoint: `${login}/authorize`, token_endpoint: `${login}/token` };
  const send = async (request: OutboundRequest) => {
    sent.push(request);
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
  };
  const services = { http: { send }, clock: { now: () => 0 } } as unknown as Parameters<
    typeof smartConsent.begin
  >[2];
  const flow = { state: 's', redirectUri: 'https://gate.example/callback', scopes: [] };
  return { ...(await smartConsent.begin(of, flow, services)), sent };
}

it('asks the FHIR server that api_config.domain names, completed by the suffix', async () => {
  const { sent, redirectTo, tokenUrl } = await begin(
    subject({ domain: 'north' }),
    'https://north.clinic.example/auth',
  );
  expect(sent.map(({ url }) => url.href)).toEqual([
    'https://north.clinic.example/fhir/r4/.well-known/smart-configuration',
  ]);
  expect(new URL(redirectTo).searchParams.get('aud')).toBe('https://north.clinic.example/fhir/r4');
  expect(tokenUrl).toBe('https://north.clinic.example/auth/token');
});

it('asks no FHIR server for a domain that is not one of the connector', async () => {
  const of = subject({ domain: 'evil.example/x' });
  await expect(begin(of, 'https://evil.example')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

it('tells the person the declared origin of the consent page, else the FHIR server', () => {
  expect(smartConsent.outline(subject({ domain: 'north' })).address).toBe(
    'https://north.clinic.example/fhir/r4',
  );
  const origins = { endpoint_origins: ['https://login.clinic.example'] };
  expect(smartConsent.outline(subject({ domain: 'north' }, origins)).address).toBe(
    'https://login.clinic.example',
  );
});
