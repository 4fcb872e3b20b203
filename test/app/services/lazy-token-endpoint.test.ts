/** Token requests of a process that makes none until it has to. */
import { expect, it } from 'vitest';
import { lazyTokenEndpoint } from '../../../src/app/services/lazy-token-endpoint.ts';
import type { OAuthClient } from '../../../src/credentials/oauth/token-endpoint.ts';
import type { OutboundRequest } from '../../../src/outbound/outbound.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

const client: OAuthClient = {
  tokenUrl: 'https://login.ledger.example/token',
  revocationUrl: 'https://login.ledger.example/revoke',
  issuer: 'https://login.ledger.example',
  clientId: 'client-1',
  clientSecret: undefined,
  authentication: 'post',
  scopeSeparator: ' ',
};

it('sends every kind of token request through the sender, with its own deadline', async () => {
  const sent: OutboundRequest[] = [];
  const endpoint = lazyTokenEndpoint(
    {
      totalTimeoutMs: 1_234,
      send: async (request) => {
        sent.push(request);
        return { status: 200, headers: {}, body: Buffer.from('{"access_token":"at"}') };
      },
    },
    fixedClock(),
  );
  const grant = { code: 'c', redirectUri: 'https://gate.example/cb', verifier: undefined };
  expect((await endpoint.exchange(client, grant)).accessToken).toBe('at');
  expect((await endpoint.refresh(client, 'rt', { timeoutMs: 5_678 })).accessToken).toBe('at');
  await endpoint.revoke(client, 'rt', 'refresh_token');
  expect(sent.map(({ url, totalTimeoutMs }) => [url.pathname, totalTimeoutMs])).toEqual([
    ['/token', 1_234],
    ['/token', 5_678],
    ['/revoke', 1_234],
  ]);
});
