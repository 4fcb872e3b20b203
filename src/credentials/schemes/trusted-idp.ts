/**
 * TRUSTED_IDP: temporary AWS credentials for a token of our own issuer (STS AssumeRoleWithWebIdentity), and requests
 * signed with them (SigV4).
 *
 * The connection names the role (`params.role_arn`), the region, the database and the workgroup or cluster; the account
 * names the database user, which only a cluster needs.
 */
import { fillPlaceholders, placeholderValues } from '../../connections/placeholders.ts';
import type { AccountValue } from '../../catalog/grammar/account-values.ts';
import type { AuthOf, BlockRules, Connector, CredentialField } from '../../catalog/model/types.ts';
import { invalidField } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import type { TokenFailure, TokenFailureKind } from '../oauth/token-endpoint.ts';
import { assumeRole } from './assumed-role.ts';
import { awsSigner } from './aws-signature.ts';
import { mintingUrl, textParam } from './minted-token.ts';
import type { Renewal, RenewalNames } from './renewal.ts';
import type { AttachContext, Scheme } from './scheme.ts';

/** Lifetime of our token: long enough for the exchange, too short to be worth anything afterwards. */
const TOKEN_SECONDS = 300;

const DB_USER: CredentialField = {
  name: 'db_user',
  label: 'Database user',
  input: 'text',
  hint: 'The user of the database as whom statements are run.',
  required: true,
};

type Auth = AuthOf<'TRUSTED_IDP'>;

const renewal: Renewal<Auth> = {
  by: 'mint',
  credentialOf: ({ internal }) => internal?.session_token,
  isPossible: () => true,
  async prepare({ account, connection, connector, auth }, { http, clock, identityTokens }) {
    const rules = auth.trusted_idp;
    const roleArn = textParam(connection, 'role_arn');
    if (roleArn === undefined) throw incomplete(connection, 'params.role_arn');
    const url = mintingUrl(connection, connector, { ...rules, token_url: rules.sts_url }, account);
    const token = await identityTokens.issue({
      environmentId: account.environmentId,
      subject: subjectOf(account),
      audience: rules.audience,
      lifetimeSeconds: TOKEN_SECONDS,
    });
    const durationSeconds = rules.duration_seconds;
    return async (options) => {
      const request = { url, roleArn, sessionName: account.id, token, durationSeconds };
      const session = await assumeRole({ http, clock }, request, options);
      return {
        applyTo: (stored) => ({
          ...stored,
          internal: {
            ...stored.internal,
            access_key_id: session.accessKeyId,
            secret_access_key: session.secretAccessKey,
            session_token: session.sessionToken,
          },
        }),
        expiresInSeconds: session.expiresInSeconds,
      };
    };
  },
  explain,
};

export const trustedIdp: Scheme<Auth> = {
  connect: () => 'form',
  fields: ({ connection, auth }) =>
    textParam(connection, 'workgroup') === undefined
      ? [auth.fields.find(({ name }) => name === DB_USER.name) ?? DB_USER]
      : [],
  detailsOf: ({ db_user }) => (db_user === undefined ? {} : { trusted_idp: { db_user } }),
  requireComplete({ connection, connector, auth }) {
    const rules = auth.trusted_idp;
    mintingUrl(connection, connector, { ...rules, token_url: rules.sts_url }, undefined);
    const lacks = (name: string): boolean => textParam(connection, name) === undefined;
    if (lacks('role_arn')) throw incomplete(connection, 'params.role_arn');
    if (lacks('workgroup') && lacks('cluster'))
      throw incomplete(connection, 'params.workgroup or params.cluster');
    if (lacks('database')) throw incomplete(connection, 'params.database');
  },
  renewal,
  attach(context) {
    const { details, connector, auth, account, clock } = context;
    const rules = auth.trusted_idp;
    const { access_key_id = '', secret_access_key = '', session_token = '' } = details.internal ?? {};
    return {
      headers: {},
      query: [],
      secrets: [secret_access_key, session_token],
      fromAccount: accountValues(context),
      sign: awsSigner({
        accessKeyId: access_key_id,
        secretAccessKey: secret_access_key,
        sessionToken: session_token,
        region: rules.region ?? regionOf(connector, rules, account),
        service: rules.service,
        clock,
      }),
    };
  },
};

/**
 * `sub` of our token, which the trust policy of a role names. Ids are never reused. The connection comes first, so that
 * a policy can match all accounts of one connection: `connection:conn_x:account:*`.
 */
function subjectOf({ connection, id }: Account): string {
  return `connection:${connection.id}:account:${id}`;
}

/** The value of the placeholder `region` of the addresses. @throws ServiceError INVALID_ARGUMENT if nothing fills it */
function regionOf(
  connector: Connector,
  { placeholders = {} }: BlockRules<'TRUSTED_IDP'>,
  account: Account,
): string {
  return fillPlaceholders('{region}', placeholders, connector, placeholderValues(account));
}

/**
 * The values that a request may take from account and connection. A workgroup knows its users by the role, so no
 * database user is named with it.
 *
 * @throws ServiceError INVALID_ARGUMENT for a cluster without a user: AWS would run the statement as a user with the
 *   name of the role
 */
function accountValues({ details, account }: AttachContext): Partial<Record<AccountValue, string>> {
  const params = { params: account.connection.params };
  const [workgroup, cluster] = [textParam(params, 'workgroup'), textParam(params, 'cluster')];
  const database = textParam(params, 'database');
  const dbUser = details.trusted_idp?.db_user;
  if (workgroup === undefined && !dbUser)
    throw invalidField(
      'connected_account.authorization_details.trusted_idp.db_user',
      `The connection ${account.connection.name} names a cluster, which needs a database user, and this account has none. Set trusted_idp.db_user of the account, or make a link for its owner: where users are verified it takes the account's identifier alone.`,
      'required',
    );
  return {
    ...(database !== undefined && { database }),
    ...(workgroup !== undefined && { workgroup }),
    ...(workgroup === undefined && cluster !== undefined && { cluster }),
    ...(workgroup === undefined && dbUser !== undefined && { db_user: dbUser }),
  };
}

/** Explanations by error code of the security token service: what happened, and what the operator has to check. */
const EXPLANATIONS: Readonly<Record<string, (connection: string) => string>> = {
  AccessDenied: (connection) =>
    `AWS does not let the connection ${connection} assume the role in its params.role_arn. The operator has to check that the role exists and that its trust policy allows sts:AssumeRoleWithWebIdentity to the identity provider of this Gatehouse, with conditions that fit the audience (aud) and the subject (sub, which is connection:<id of the connection>:account:<id of the account>).`,
  InvalidIdentityToken: () =>
    'AWS does not accept the identity token of this Gatehouse. The operator has to check that IAM has an identity provider for exactly the base URL of this Gatehouse, that the audience is among its audiences, and that AWS can read /.well-known/openid-configuration and /keys there.',
  IDPRejectedClaim: () =>
    'AWS rejects a claim of the identity token of this Gatehouse. The operator has to check the identity provider in IAM: its URL is the base URL of this Gatehouse, and the audience is among its audiences.',
  ExpiredTokenException: () =>
    'For AWS the identity token is expired, although it was made for this request. The operator has to correct the clock of the computer that runs Gatehouse.',
  ValidationError: (connection) =>
    `AWS does not accept what the connection ${connection} asks for. The operator has to check params.role_arn, and that the maximum session duration of the role is not shorter than duration_seconds of the connector.`,
  RegionDisabledException: (connection) =>
    `AWS issues no credentials in the region of the connection ${connection}. The operator has to activate the region for the AWS account, or correct params.region.`,
  IDPCommunicationError: () =>
    'AWS could not reach this Gatehouse to check its identity token. If its base URL is public over https, this passes by itself; otherwise the operator has to make /.well-known/openid-configuration and /keys reachable there.',
};

function explain(
  reason: TokenFailureKind,
  failure: TokenFailure | undefined,
  { connection }: RenewalNames,
): string | undefined {
  const code = failure?.providerError ?? '';
  if (Object.hasOwn(EXPLANATIONS, code)) return EXPLANATIONS[code]?.(connection);
  return reason === 'client_refused'
    ? `AWS does not accept the identity token of this Gatehouse or the role of the connection ${connection}. The operator has to check the identity provider in IAM, the trust policy of the role, and params.role_arn of the connection.`
    : undefined;
}
