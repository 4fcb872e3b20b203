/** Verifies Signature Version 4 by another implementation than the one that signs. */
import aws4 from 'aws4';

/** A request as it arrived. */
export interface ArrivedRequest {
  method: string;
  /** Path with query, as on the wire. */
  target: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=[0-9a-f]{64}$/;

/** Access key id that the request names; undefined: no signature. */
export function accessKeyOf({ headers }: ArrivedRequest): string | undefined {
  return AUTHORIZATION.exec(headers['authorization'] ?? '')?.[1];
}

/** What is wrong with the signature of a request; undefined: nothing. */
export function signatureProblem(
  { method, target, headers, body }: ArrivedRequest,
  keys: { accessKeyId: string; secretAccessKey: string; sessionToken: string },
  scope: { region: string; service: string },
  now: number = Date.now(),
): string | undefined {
  const given = AUTHORIZATION.exec(headers['authorization'] ?? '');
  if (given === null) return 'no signature';
  const [, , day, region, service, signedHeaders = ''] = given;
  const date = headers['x-amz-date'] ?? '';
  if (region !== scope.region || service !== scope.service) return 'another region or service';
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  if (!date.startsWith(day ?? '-') || !(Math.abs(Date.parse(iso) - now) < 300_000)) return 'another time';
  if (headers['x-amz-security-token'] !== keys.sessionToken) return 'another session token';
  const names = signedHeaders.split(';');
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (body !== '') needed.push('content-type');
  const lacking = needed.filter((name) => !names.includes(name));
  if (lacking.length > 0) return `does not cover ${lacking.join(', ')}`;
  const covered = Object.fromEntries(names.map((name) => [name, headers[name] ?? '']));
  const signed = aws4.sign(
    {
      host: headers['host'] ?? '',
      method,
      path: target,
      headers: covered,
      ...(body !== '' && { body }),
      service: scope.service,
      region: scope.region,
      // Added by the library, covered by no signature here.
      extraHeadersToIgnore: { 'content-length': true },
    },
    keys,
  );
  return signed.headers['Authorization'] === headers['authorization'] ? undefined : 'another signature';
}
