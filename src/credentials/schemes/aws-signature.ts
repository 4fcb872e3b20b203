/**
 * Signs provider requests with temporary AWS credentials (Signature Version 4). The provider client sends the request
 * itself, like every other.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../core/clock.ts';
import type { RequestSigner } from '../../outbound/request-signer.ts';

/** The credentials and the scope of a signature. */
export interface AwsSigning {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** E.g. `eu-west-1`. */
  region: string;
  /** Signing name of the service, e.g. `redshift-data`. */
  service: string;
  clock: Clock;
}

/** The headers a signature adds. */
const ADDED = ['authorization', 'x-amz-date', 'x-amz-security-token'];

/** S3 requires it in addition. */
const BODY_HASH = 'x-amz-content-sha256';

/** Returns a signer that covers method, path, query, body, host and the headers that AWS requires. */
export function awsSigner({ clock, ...signing }: AwsSigning): RequestSigner {
  // Derived once per day, region and service, for all attempts.
  const cache = new Map<string, ArrayBuffer>();
  const isS3 = signing.service === 's3';
  const added = isS3 ? [...ADDED, BODY_HASH] : ADDED;
  return async ({ method, url, headers, body }) => {
    const bytes = Buffer.from(body ?? []);
    const covered = coveredHeaders(headers, added);
    const signer = new AwsV4Signer({
      ...signing,
      cache,
      method,
      url: url.href,
      // By default, the library does not cover the body of a request to S3.
      headers: isS3 ? [...covered, [BODY_HASH, hashOf(bytes)]] : covered,
      allHeaders: true,
      datetime: amzDate(clock.now()),
      ...(body !== undefined && { body: bytes }),
    });
    const signed = await signer.sign();
    return Object.fromEntries([...signed.headers].filter(([name]) => added.includes(name)));
  };
}

/** The host is always covered. Headers that proxies may change (`accept`, trace headers) are not. */
function coveredHeaders(
  headers: Readonly<Record<string, string>>,
  added: readonly string[],
): [string, string][] {
  return Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    return (lower === 'content-type' || lower.startsWith('x-amz-')) && !added.includes(lower);
  });
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** `20261120T101500Z` */
function amzDate(now: number): string {
  return new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
}
