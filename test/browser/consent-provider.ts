/**
 * A provider with a consent page that a person answers, before the test provider of the other tests.
 *
 * It is another site than Gatehouse to the browser: `localhost` here, `127.0.0.1` there.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuthProvider } from '../support/oauth-provider/provider.ts';

export interface ConsentProvider {
  /** Issues the codes and tokens, and has the API. */
  provider: OAuthProvider;
  /** For the connection's overrides. */
  authorizationUrl: string;
  close: () => Promise<void>;
}

/** A page with the two answers; the person may also be sent here without having asked for anything. */
export async function startConsentProvider(): Promise<ConsentProvider> {
  const provider = await OAuthProvider.start();
  const server = createServer((request, response) => {
    const { pathname, searchParams, search } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/authorize') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(question(search));
      return;
    }
    if (pathname === '/allow')
      response.writeHead(303, { location: `${provider.url}/authorize${search}` }).end();
    else if (pathname === '/deny') response.writeHead(303, { location: refused(searchParams) }).end();
    else response.writeHead(404).end();
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    provider,
    authorizationUrl: `http://localhost:${(server.address() as AddressInfo).port}/authorize`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, provider.close()]);
    },
  };
}

function question(search: string): string {
  const form = (path: string, label: string): string =>
    `<form method="post" action="${path}${search.replaceAll('&', '&amp;')}"><button>${label}</button></form>`;
  return `<!doctype html><title>Ledger</title><h1>Allow access?</h1>${form('/allow', 'Allow')}${form('/deny', 'Deny')}`;
}

function refused(query: URLSearchParams): string {
  const location = new URL(query.get('redirect_uri') ?? '');
  location.searchParams.set('error', 'access_denied');
  location.searchParams.set('error_description', 'The person <b>said no</b>.');
  location.searchParams.set('state', query.get('state') ?? '');
  return location.href;
}
