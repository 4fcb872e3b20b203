/** TRUSTED_IDP: temporary AWS credentials for a token of our own issuer (STS AssumeRoleWithWebIdentity). */
import { isIP } from 'node:net';
import type * as z from 'zod';
import { isLoopbackHost } from '../core/hosts.ts';
import { placeholders, webUrl, word } from './block-shapes.ts';
import { isFilled } from './credentials.ts';
import type { AuthorizationTypeFacts, ConnectionFacts, Zod } from './facts.ts';

declare module './credentials.ts' {
  interface AuthorizationDetails {
    trusted_idp?: { db_user?: string };
  }
  interface InternalDetails {
    /** Temporary credentials of TRUSTED_IDP. */
    access_key_id?: string;
    secret_access_key?: string;
    session_token?: string;
  }
}

const block = (z: Zod) =>
  z.strictObject({
    sts_url: webUrl(z, 'Endpoint of the security token service, e.g. https://sts.{region}.amazonaws.com/.'),
    placeholders: placeholders(z),
    region: z
      .string()
      .regex(/^[a-z0-9-]+$/, { error: 'must be a region such as eu-west-1' })
      .optional()
      .describe('Region requests are signed for. Left out: the value of the placeholder region.'),
    service: word(
      z,
      /^[a-z0-9-]+$/,
      'a service name such as redshift-data',
      'Service requests are signed for.',
    ),
    audience: z
      .string()
      .min(1)
      .default('sts.amazonaws.com')
      .describe('Audience of the token that is exchanged.'),
    duration_seconds: z
      .int()
      .min(900)
      .max(43_200)
      .default(3_600)
      .describe('Lifetime of the temporary credentials.'),
  });

const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/;

/** Names that public DNS does not have (RFC 6761, RFC 6762, and `.internal` by decision of ICANN). */
const PRIVATE_SUFFIXES = /\.(localhost|local|internal|test|invalid|home\.arpa)$/;

/** The facts of TRUSTED_IDP. */
export const trustedIdp = {
  block,
  provider: 'api',
  purpose: 'how temporary credentials are obtained',
  description: 'For TRUSTED_IDP: how temporary AWS credentials are obtained.',
  addresses: ['sts_url'],
  faults: ({ region, sts_url }) =>
    region !== undefined || sts_url.includes('{region}')
      ? []
      : [{ path: [], message: 'needs region, or the placeholder {region} in sts_url' }],
  fields: ['db_user'],
  credentials: {
    variant: 'trusted_idp',
    writable: {
      db_user: { kind: 'text', maxLength: 200, meaning: 'Database user of the federated session.' },
    },
    shown: ['db_user'],
    readOnly: ['access_key_id', 'expiry', 'secret_access_key', 'session_token'],
    // The secrets of the session are never shown: a caller with live credentials gets the key id alone.
    obtained: ({ internal: { access_key_id }, expiry, isSecretShown }) => ({
      ...(isSecretShown && access_key_id !== undefined && { access_key_id }),
      ...(expiry !== null && { expiry }),
    }),
    actsAs: 'db_user',
  },
  missing: ({ details, connection }) =>
    typeof connection.params['workgroup'] === 'string' || isFilled(details.trusted_idp?.db_user)
      ? []
      : ['trusted_idp.db_user'],
  // Requests are signed for a region, to any address.
  placeholders({ region, placeholders: patterns }) {
    const pattern = region === undefined ? patterns?.['region'] : undefined;
    return pattern === undefined ? {} : { region: pattern };
  },
  setUp: ({ title, create }) =>
    `The operator makes a role at AWS that trusts the issuer of this Gatehouse and runs ${create} with role_arn, database, and workgroup or cluster of ${title} in --params, or declares the connection in gatehouse.yaml.`,
  warnings: ({ title, connection, baseUrl }) => [
    ...paramWarnings(title, connection),
    ...regionWarnings(connection),
    ...issuerWarnings(baseUrl),
  ],
} satisfies AuthorizationTypeFacts<z.output<ReturnType<typeof block>>>;

function textParam({ params }: ConnectionFacts, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  return typeof value === 'string' ? value : '';
}

function paramWarnings(title: string, connection: ConnectionFacts): string[] {
  const [role, workgroup] = [textParam(connection, 'role_arn'), textParam(connection, 'workgroup')];
  const [cluster, database] = [textParam(connection, 'cluster'), textParam(connection, 'database')];
  const out: string[] = [];
  if (role === '')
    out.push(
      'It has no params.role_arn, so no account can be used. Make a role that trusts the issuer of this Gatehouse, and set its ARN.',
    );
  else if (!ROLE_ARN.test(role))
    out.push(
      'params.role_arn is not the ARN of a role, so AWS will refuse it. It looks like arn:aws:iam::123456789012:role/gatehouse.',
    );
  if (workgroup === '' && cluster === '')
    out.push(
      `It has neither params.workgroup nor params.cluster, so no account can be connected. Set the one that ${title} runs in.`,
    );
  if (workgroup !== '' && cluster !== '')
    out.push(
      'It has params.workgroup and params.cluster: the workgroup is used and the cluster is not. Remove one.',
    );
  if (database === '')
    out.push(`It has no params.database, so no account can be connected. Set the database of ${title}.`);
  return out;
}

/** With overrides no address is filled, so no page asks for the region; requests are still signed for it. */
function regionWarnings(connection: ConnectionFacts): string[] {
  if (textParam(connection, 'region') !== '' || !connection.hasOverrides) return [];
  return ['It has overrides but no params.region. Set it if the connector does not name a region itself.'];
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
