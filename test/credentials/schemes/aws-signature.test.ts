import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { awsSigner } from '../../../src/credentials/schemes/aws-signature.ts';
import { accessKeyOf, signatureProblem } from '../../support/aws-signature.ts';

const KEYS = {
  accessKeyId: 'ASIAEXAMPLE000000001',
  secretAccessKey: 'secret/key+1',
  sessionToken: 'session+token==',
};
const SCOPE = { region: 'eu-west-1', service: 'athena' };
const NOW = Date.UTC(2026, 10, 20, 10, 15, 7);
const sign = awsSigner({ ...KEYS, ...SCOPE, clock: { now: () => NOW } });

/** The request as it arrives, with what signing adds. */
async function arrived(request: {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}) {
  const url = new URL(request.url);
  const { method, headers = {}, body } = request;
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const added = await sign({ method, url, headers, body: bytes });
  return {
    method,
    target: url.pathname + url.search,
    headers: { ...headers, ...added, host: url.host } as Record<string, string>,
    body: body ?? '',
  };
}

const JSON_BODY = {
  method: 'POST',
  url: 'https://athena.eu-west-1.amazonaws.com/',
  headers: { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'AmazonAthena.Start' },
  body: '{"Query":"select \'ü\'"}',
};

/** As they arrive: names in lower case. */
const lowered = (request: Awaited<ReturnType<typeof arrived>>) => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
});

describe('AWS signature (SigV4) of a request to a provider', () => {
  it.each([
    ['a JSON body', JSON_BODY],
    ['no body', { method: 'GET', url: 'https://athena.eu-west-1.amazonaws.com/' }],
    ['a port', { method: 'GET', url: 'http://127.0.0.1:4010/x' }],
    [
      'characters that are encoded in the path',
      { method: 'GET', url: "https://a.example/v1/a%2Fb%20c/(d)*'!/%C3%BC~" },
    ],
    [
      'a query out of order, with blanks and repeated names',
      { method: 'GET', url: 'https://a.example/x?b=2&a=%2B%20%2F&b=1&c=&%C3%BC=*' },
    ],
  ])('signs a request with %s like another implementation', async (_, request) => {
    const sent = lowered(await arrived(request));
    expect(signatureProblem(sent, KEYS, SCOPE, NOW)).toBeUndefined();
    expect(accessKeyOf(sent)).toBe('ASIAEXAMPLE000000001');
    expect(sent.headers['x-amz-date']).toBe('20261120T101507Z');
  });

  it.each([
    ['a body', 'PUT', 'https://b.s3.example/a%20b/%C3%BC', 'text'],
    ['no body', 'GET', 'https://b.s3.example/a//b?list-type=2&prefix=a%2Fb', undefined],
  ])('adds the hash of the body for S3 with %s', async (_, method, address, body) => {
    const scope = { region: 'eu-west-1', service: 's3' };
    const given = { 'content-type': 'text/plain' };
    const url = new URL(address);
    const signS3 = awsSigner({ ...KEYS, ...scope, clock: { now: () => NOW } });
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const added = await signS3({ method, url, headers: given, body: bytes });
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    expect(added['x-amz-content-sha256']).toBe(hash);
    const headers = { ...given, ...added, host: url.host };
    const sent = { method, target: url.pathname + url.search, headers, body: body ?? '' };
    expect(signatureProblem(sent, KEYS, scope, NOW)).toBeUndefined();
  });

  it.each([
    ['method', { method: 'PUT' }],
    ['path', { target: '/other' }],
    ['body', { body: '{}' }],
  ])('refuses the signature with another %s', async (_, change) => {
    const sent = lowered(await arrived(JSON_BODY));
    expect(signatureProblem({ ...sent, ...change }, KEYS, SCOPE, NOW)).toBe('another signature');
  });

  it.each(['host', 'content-type', 'x-amz-target'])(
    'refuses the signature with another header %s',
    async (name) => {
      const sent = lowered(await arrived(JSON_BODY));
      const changed = { ...sent, headers: { ...sent.headers, [name]: 'other' } };
      expect(signatureProblem(changed, KEYS, SCOPE, NOW)).toBe('another signature');
    },
  );

  it('leaves out headers that are changed on the way', async () => {
    const request = { ...JSON_BODY, headers: { ...JSON_BODY.headers, accept: '*/*', traceparent: '00-1' } };
    const { headers } = await arrived(request);
    expect(headers['authorization']).toContain(
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target,',
    );
  });
});
