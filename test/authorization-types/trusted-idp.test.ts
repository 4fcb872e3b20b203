import { describe, expect, it } from 'vitest';
import { trustedIdp } from '../../src/authorization-types/trusted-idp.ts';

const PARAMS = {
  role_arn: 'arn:aws:iam::123456789012:role/path/gatehouse',
  region: 'eu-west-1',
  workgroup: 'analysts',
  database: 'sales',
};
const warned = (
  params: Record<string, unknown> = {},
  baseUrl = 'https://gate.example.com',
  overrides = {},
): string[] =>
  trustedIdp.warnings({
    rules: {
      service: 'redshift-data',
      sts_url: 'https://sts.example/',
      audience: 'a',
      duration_seconds: 900,
    },
    title: 'Redshift',
    connection: {
      hasClientId: false,
      hasSecret: false,
      params: { ...PARAMS, ...params },
      hasOverrides: Object.keys(overrides).length > 0,
    },
    baseUrl,
  });

const ADVICE = 'Set base_url (GATEHOUSE_BASE_URL) to an https address without a port that AWS can reach.';

describe('TRUSTED_IDP connection warnings', () => {
  it.each([
    ['a workgroup', {}],
    ['a cluster', { workgroup: undefined, cluster: 'main' }],
    ['a role in China', { role_arn: 'arn:aws-cn:iam::123456789012:role/gatehouse' }],
    ['no region, for which the connect page asks', { region: undefined }],
  ])('gives no warning for %s', (_, params) => {
    expect(warned(params)).toEqual([]);
  });

  it.each([
    [
      'no role',
      { role_arn: undefined },
      'It has no params.role_arn, so no account can be used. Make a role that trusts the issuer of this Gatehouse, and set its ARN.',
    ],
    [
      'a user instead of a role',
      { role_arn: 'arn:aws:iam::123456789012:user/gatehouse' },
      'params.role_arn is not the ARN of a role, so AWS will refuse it. It looks like arn:aws:iam::123456789012:role/gatehouse.',
    ],
    [
      'neither workgroup nor cluster',
      { workgroup: '' },
      'It has neither params.workgroup nor params.cluster, so no account can be connected. Set the one that Redshift runs in.',
    ],
    [
      'both',
      { cluster: 'main' },
      'It has params.workgroup and params.cluster: the workgroup is used and the cluster is not. Remove one.',
    ],
    [
      'no database',
      { database: 1 },
      'It has no params.database, so no account can be connected. Set the database of Redshift.',
    ],
  ])('warns of a connection with %s', (_, params, expected) => {
    expect(warned(params)).toEqual([expected]);
  });

  it('asks for a region where the connection overrides addresses', () => {
    expect(
      warned({ region: undefined }, 'https://gate.example.com', { base_url: 'https://box.example' }),
    ).toEqual([
      'It has overrides but no params.region. Set it if the connector does not name a region itself.',
    ]);
  });

  it.each([
    'http://gate.example.com',
    'https://gate.example.com:8443',
    'https://localhost',
    'https://127.0.0.1',
    'https://10.0.0.7',
    'https://[2001:db8::1]',
    'https://gate',
    'https://gate.corp.internal',
    'https://gate.local',
  ])('warns that AWS takes no issuer at %s', (baseUrl) => {
    expect(warned({}, baseUrl)).toEqual([
      `AWS reads ${baseUrl}/.well-known/openid-configuration and the keys named there to check identity tokens, and accepts public https addresses without a port only. ${ADVICE}`,
    ]);
  });

  it('warns of a base URL that changes with each start', () => {
    expect(warned({}, '')).toEqual([
      `With port 0 each start has another base URL, and AWS trusts an issuer by its URL. ${ADVICE}`,
    ]);
  });
});
