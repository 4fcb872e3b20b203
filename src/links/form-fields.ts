/** The fields of a connect page: credential fields of the type or the connector, and unfilled placeholders of addresses. */
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import type { AuthorizationType } from '../authorization-types/index.ts';
import { metadataOf } from '../authorization-types/blocks.ts';
import { credentialTextProblem } from '../accounts/credential-text.ts';
import {
  completeValue,
  missingPlaceholders,
  neededPlaceholders,
  placeholderValues,
} from '../connections/placeholders.ts';
import type { Connector, CredentialField } from '../catalog/model/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import { shownKey } from '../core/safe-json.ts';
import { schemeOf } from '../credentials/schemes/index.ts';
import type { ConnectTarget } from '../credentials/schemes/scheme.ts';

/** Largest number of unknown field names that one answer lists. */
const MAX_UNKNOWN = 20;

/** A form and how its fields are used. */
export interface ConnectForm {
  /** Type of the account, which decides what its texts may contain. */
  type: AuthorizationType;
  fields: readonly CredentialField[];
  /** Names of `fields` that are stored in api_config instead of the credentials, with the pattern their value must match. */
  placeholders: Readonly<Record<string, string>>;
  /** Settings that complete abbreviated values. */
  settings: Connector['settings'];
  /** Builds the credentials from the other fields. */
  detailsOf: (values: Readonly<Record<string, string>>) => AuthorizationDetails;
}

/** @param apiConfig of the account */
export function connectForm(
  target: ConnectTarget,
  apiConfig: Readonly<Record<string, unknown>>,
): ConnectForm {
  const { connection, connector, auth } = target;
  const scheme = schemeOf(auth.type);
  const needed = neededPlaceholders(connector, auth, connection.overrides);
  // The provider will say these.
  for (const name of metadataOf(auth)) delete needed[name];
  const known = placeholderValues({ apiConfig, connection });
  const missing = missingPlaceholders(needed, connector, known);
  const asked = missing.map((name): CredentialField => {
    const { label = `${connector.title} ${name}`, hint } = connector.settings?.[name] ?? {};
    return { name, label, input: 'text', ...(hint !== undefined && { hint }), required: true };
  });
  return {
    type: auth.type,
    fields: [...asked, ...(scheme.fields?.(target) ?? auth.fields)],
    placeholders: Object.fromEntries(missing.map((name) => [name, needed[name] ?? ''])),
    settings: connector.settings,
    detailsOf: scheme.detailsOf ?? staticDetails,
  };
}

/** Splits a submitted form into credentials and configuration, or reports everything that is wrong with it. */
export function readCredentialForm(
  form: ConnectForm,
  submitted: Readonly<Record<string, string>>,
): { details: AuthorizationDetails; apiConfig: Record<string, string> } | { violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const details: Record<string, string> = {};
  const apiConfig: Record<string, string> = {};
  for (const field of form.fields) {
    const value = entered(field, Object.hasOwn(submitted, field.name) ? (submitted[field.name] ?? '') : '');
    const pattern = form.placeholders[field.name];
    const whole = pattern === undefined ? value : completeValue(value, pattern, form.settings?.[field.name]);
    const problem = fieldProblem(form.type, field, value, whole);
    if (problem !== undefined) violations.push({ field: field.name, ...problem });
    else if (value === '' || whole === undefined) continue;
    else if (pattern !== undefined) apiConfig[field.name] = whole;
    else details[field.name] = value;
  }
  const names = new Set(['csrf', ...form.fields.map(({ name }) => name)]);
  const unknown = Object.keys(submitted).filter((name) => !names.has(name));
  for (const name of unknown.slice(0, MAX_UNKNOWN)) {
    const field = shownKey(name);
    violations.push({ field, description: `This form has no field ${field}.`, constraint: 'unknown' });
  }
  if (violations.length > 0) return { violations };
  return { details: form.detailsOf(details), apiConfig };
}

/** The intended value: without spaces around it. Forms send line breaks as CRLF; files with keys have LF. */
function entered({ input }: CredentialField, value: string): string {
  const whole = value.trim();
  return input === 'multiline' ? whole.replaceAll(/\r\n?/g, '\n') : whole;
}

function staticDetails(details: Readonly<Record<string, string>>): AuthorizationDetails {
  return Object.keys(details).length > 0 ? { static_auth: { details } } : {};
}

function fieldProblem(
  type: AuthorizationType,
  field: CredentialField,
  value: string,
  whole: string | undefined,
): { description: string; constraint: string } | undefined {
  if (value === '') {
    return field.required
      ? { description: `${field.label} is required.`, constraint: 'required' }
      : undefined;
  }
  const problem = credentialTextProblem(type, field, value);
  if (problem !== undefined) return problem;
  if (whole === undefined) {
    return { description: `${field.label} does not look right for this app.`, constraint: 'pattern' };
  }
  return undefined;
}
