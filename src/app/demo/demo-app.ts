/**
 * The demo's stand-in for a customer's app. It knows who is signed in, and confirms to Gatehouse which user came back
 * after connecting an account (docs/contract.md#verify). Real apps have their own route for this.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The app's access to Gatehouse, known once Gatehouse is running. */
export interface GatehouseAccess {
  baseUrl: string;
  accessToken(): Promise<string>;
}

/** A running app. */
export interface DemoApp {
  /** For `user_verify_url`. */
  verifyUrl: string;
  /** The user who is signed in to the app; it only confirms accounts of this user. */
  signIn(userId: string): void;
  connectTo(gatehouse: GatehouseAccess): void;
  close(): Promise<void>;
}

/** Starts the app on a free loopback port. */
export async function startDemoApp(): Promise<DemoApp> {
  let signedIn = '';
  let gatehouse: GatehouseAccess | undefined;
  const server = createServer((request, response) => {
    const work =
      gatehouse === undefined ? refuse(response, 503) : verify(request, response, gatehouse, signedIn);
    work.catch(() => refuse(response, 502));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    verifyUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/verify`,
    signIn: (userId) => {
      signedIn = userId;
    },
    connectTo: (access) => {
      gatehouse = access;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function verify(
  request: IncomingMessage,
  response: ServerResponse,
  gatehouse: GatehouseAccess,
  signedIn: string,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://app.invalid');
  if (request.method !== 'GET' || pathname !== '/verify') return refuse(response, 404);
  const answer = await fetch(`${gatehouse.baseUrl}/api/v1/connected_accounts/user/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await gatehouse.accessToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ auth_request_id: searchParams.get('auth_request_id'), identifier: signedIn }),
  });
  const body = (await answer.json()) as { post_user_verify_redirect_url?: string };
  if (body.post_user_verify_redirect_url === undefined) return refuse(response, 403);
  response
    .writeHead(302, { location: body.post_user_verify_redirect_url, 'cache-control': 'no-store' })
    .end();
}

async function refuse(response: ServerResponse, status: number): Promise<void> {
  if (response.headersSent) response.destroy();
  else {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
    response.end('The demo app could not confirm this account. Ask the agent for a new link.\n');
  }
}
