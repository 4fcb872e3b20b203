/**
 * The demo's stand-in for a customer's policy: an endpoint that Gatehouse calls before it issues a token for a machine
 * (docs/contract.md#trigger-points). It trusts only signed requests.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { signatureOf } from '../../signed-sender/signing.ts';

/** The policy's answer. */
export type Verdict = { decision: 'DENY'; message: string } | { decision: 'ALLOW'; claims: object };

/** A running policy endpoint. */
export interface DemoPolicy {
  endpoint: string;
  /** Body of the last request with a valid signature. */
  readonly asked: string | undefined;
  /** @param signingSecret `whsec_…` of the environment */
  answerWith(verdict: Verdict, signingSecret: string): void;
  close(): Promise<void>;
}

/** Starts the endpoint on a free loopback port. It refuses until an answer is set. */
export async function startDemoPolicy(): Promise<DemoPolicy> {
  let asked: string | undefined;
  let verdict: Verdict | undefined;
  let secret = '';
  const server = createServer((request, response) => {
    const work = async (): Promise<void> => {
      const body = await text(request);
      if (verdict === undefined || !isSigned(request, body, secret)) {
        response.writeHead(401).end();
        return;
      }
      asked = body;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerOf(verdict)));
    };
    work().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/policy`,
    get asked() {
      return asked;
    },
    answerWith: (next, signingSecret) => {
      verdict = next;
      secret = signingSecret;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @see docs/contract.md#what-an-interceptor-answers */
function answerOf(verdict: Verdict): object {
  return verdict.decision === 'DENY'
    ? { decision: 'DENY', error: { message: verdict.message } }
    : { decision: 'ALLOW', response: { claims: verdict.claims } };
}

function isSigned({ headers }: IncomingMessage, body: string, secret: string): boolean {
  const id = String(headers['interceptor-id']);
  const timestamp = Number(headers['interceptor-timestamp']);
  return String(headers['interceptor-signature'])
    .split(' ')
    .includes(signatureOf([secret], { id, timestamp, body }));
}
