/** What of a TRUSTED_IDP connection will not work as it is: its params, and our issuer as AWS sees it. Pure. */
import { isIP } from 'node:net';
import type { Connector } from '../catalog/model/types.ts';
import type { ConnectionRow } from '../store/accounts/connection-store.ts';
import { isLoopbackHost } from './web-url.ts';

const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/;

/** Names that public DNS does not have (RFC 6761, RFC 6762, and `.internal` by decision of ICANN). */
const PRIVATE_SUFFIXES = /\.(localhost|local|internal|test|invalid|home\.arpa)$/;

/** One sentence or two for each thing; empty when all is well. @param baseUrl '' where this process does not know it */
export function federationWarnings(
  { params, overrides }: Pick<ConnectionRow, 'params' | 'overrides'>,
  { title }: Pick<Connector, 'title'>,
  baseUrl: string,
): string[] {
  const given = JSON.parse(params) as Record<string, unknown>;
  const text = (name: string): string => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  const out: string[] = [];
  if (text('role_arn') === '')
    out.push(
      'It has no params.role_arn, so no account can be used. Make a role that trusts the issuer of this Gatehouse, and set its ARN.',
    );
  else if (!ROLE_ARN.test(text('role_arn')))
    out.push(
      'params.role_arn is not the ARN of a role, so AWS will refuse it. It looks like arn:aws:iam::123456789012:role/gatehouse.',
    );
  if (text('workgroup') === '' && text('cluster') === '')
    out.push(
      `It has neither params.workgroup nor params.cluster, so no account can be connected. Set the one that ${title} runs in.`,
    );
  if (text('workgroup') !== '' && text('cluster') !== '')
    out.push(
      'It has params.workgroup and params.cluster: the workgroup is used and the cluster is not. Remove one.',
    );
  if (text('database') === '')
    out.push(`It has no params.database, so no account can be connected. Set the database of ${title}.`);
  return [...out, ...regionWarnings(text('region'), overrides), ...issuerWarnings(baseUrl)];
}

/** Beside overrides no address is filled, so that no page asks for the region; requests are signed for it all the same. */
function regionWarnings(region: string, overrides: string): string[] {
  if (region !== '' || Object.keys(JSON.parse(overrides) as object).length === 0) return [];
  return [
    'It has no params.region beside overrides. Set it where the connector does not name a region itself.',
  ];
}

/** IAM reads the discovery document and the keys of an issuer; its address is https without a port. */
function issuerWarnings(baseUrl: string): string[] {
  const advice = 'Set base_url (GATEHOUSE_BASE_URL) to an https address without a port that AWS can reach.';
  if (baseUrl === '')
    return [`With port 0 each start has another base URL, and AWS trusts an issuer by its URL. ${advice}`];
  const { protocol, hostname, port } = new URL(baseUrl);
  const isPrivate =
    isLoopbackHost(hostname) ||
    isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0 ||
    !hostname.includes('.') ||
    PRIVATE_SUFFIXES.test(hostname);
  if (protocol === 'https:' && port === '' && !isPrivate) return [];
  return [
    `AWS reads ${baseUrl}/.well-known/openid-configuration and the keys named there to check identity tokens, and accepts public https addresses without a port only. ${advice}`,
  ];
}
