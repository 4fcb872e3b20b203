/** What a connect page asks for: the credential fields of the connector, and host placeholders nobody has filled. */
import type { AuthorizationDetails } from '../accounts/authorization-details.ts';
import { credentialTextProblem } from '../accounts/credential-text.ts';
import type { Connector, ConnectorAuth, CredentialField } from '../catalog/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import type { AccountRow } from '../store/account-store.ts';

/** A form and what becomes of its fields. */
export interface ConnectForm {
  fields: readonly CredentialField[];
  /** Names of `fields` that go to api_config instead of the credentials, with the pattern their value must match. */
  placeholders: Readonly<Record<string, string>>;
}

/** @param row what is known of the account: its configuration and its connection's, as JSON */
export function connectForm(
  connector: Connector,
  auth: ConnectorAuth,
  row: Pick<AccountRow, 'api_config' | 'connection_params'>,
): ConnectForm {
  const config = JSON.parse(row.api_config) as Record<string, unknown>;
  const params = JSON.parse(row.connection_params) as Record<string, unknown>;
  const missing = Object.entries(connector.hosts[0]?.placeholders ?? {}).filter(
    ([name]) => typeof config[name] !== 'string' && typeof params[name] !== 'string',
  );
  const asked = missing.map(([name]): CredentialField => ({
    name,
    label: `${connector.title} ${name}`,
    input: 'text',
    required: true,
  }));
  return { fields: [...asked, ...auth.fields], placeholders: Object.fromEntries(missing) };
}

/** Splits a submitted form into credentials and configuration, or says everything that is wrong with it. */
export function readForm(
  form: ConnectForm,
  submitted: Readonly<Record<string, string>>,
): { details: AuthorizationDetails; apiConfig: Record<string, string> } | { violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const details: Record<string, string> = {};
  const apiConfig: Record<string, string> = {};
  for (const field of form.fields) {
    const value = (Object.hasOwn(submitted, field.name) ? submitted[field.name] : undefined)?.trim() ?? '';
    const problem = fieldProblem(field, value, form.placeholders[field.name]);
    if (problem !== undefined) violations.push({ field: field.name, ...problem });
    else if (value === '') continue;
    else if (field.name in form.placeholders) apiConfig[field.name] = value;
    else details[field.name] = value;
  }
  if (violations.length > 0) return { violations };
  return { details: Object.keys(details).length > 0 ? { static_auth: { details } } : {}, apiConfig };
}

function fieldProblem(
  field: CredentialField,
  value: string,
  pattern: string | undefined,
): { description: string; constraint: string } | undefined {
  if (value === '') {
    return field.required
      ? { description: `${field.label} is required.`, constraint: 'required' }
      : undefined;
  }
  const problem = credentialTextProblem(field.label, value);
  if (problem !== undefined) return problem;
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`).test(value)) {
    return { description: `${field.label} does not look right for this app.`, constraint: 'pattern' };
  }
  return undefined;
}
