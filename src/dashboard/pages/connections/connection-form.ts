/** The form of a connection: its fields, and how they are read. */
import { html } from 'hono/html';
import type { ConnectionPatch, ConnectionView } from '../../../connections/connection-views.ts';
import { violation, type FieldViolation } from '../../../core/errors.ts';
import { isObject, parsedJson } from '../../../core/json.ts';
import type { Posted } from '../../access/posted-forms.ts';
import { check, checks, field, type Typed } from '../../components/form.ts';
import type { Html, Text } from '../../frame/html.ts';
import { connections as words } from '../../words/connections.ts';
import type { ConnectionShape } from './connection-shape.ts';

/** Endpoints that a connection can override. */
const OVERRIDES = [
  'base_url',
  'authorization_url',
  'request_token_url',
  'token_url',
  'issuer',
  'revocation_url',
] as const;

/** Values that a form shows: the stored or the entered ones. */
export interface ShownConnection {
  values: Typed;
  /** Ticked scopes. */
  scopes: readonly string[];
}

/** The values of a stored connection. */
export function storedValues(shape: ConnectionShape, connection: ConnectionView): ShownConnection {
  const own = new Set(shape.placeholders.map(({ name }) => name));
  const known = new Set(shape.scopes.map(({ value }) => value));
  const more = Object.entries(connection.params).filter(([name]) => !own.has(name));
  return {
    scopes: connection.scopes,
    values: {
      name: connection.name,
      client_id: connection.client_id ?? '',
      post_user_verify_redirect_url: connection.post_user_verify_redirect_url ?? '',
      other_scopes: connection.scopes.filter((scope) => !known.has(scope)).join('\n'),
      more: more.length === 0 ? '' : JSON.stringify(Object.fromEntries(more), null, 2),
      ...Object.fromEntries([...own].map((name) => [`params.${name}`, textOf(connection.params[name])])),
      ...Object.fromEntries(
        Object.entries(connection.overrides).map(([name, url]) => [`overrides.${name}`, url]),
      ),
    },
  };
}

/** Labels of the fields, for the list of problems. */
export function connectionLabels({ placeholders }: ConnectionShape): Readonly<Record<string, string>> {
  const { fields } = words;
  return {
    name: fields.name,
    client_id: fields.clientId,
    client_secret: fields.secret,
    'params.private_key': fields.privateKey,
    'params.service_account_json': fields.serviceAccount,
    scopes: fields.scopes,
    other_scopes: fields.otherScopes,
    ...Object.fromEntries(placeholders.map(({ name, label }) => [`params.${name}`, label])),
    more: fields.more,
    post_user_verify_redirect_url: fields.afterwards,
    ...Object.fromEntries(OVERRIDES.map((name) => [`overrides.${name}`, words.overrides[name]])),
  };
}

/** Fields of a new connection: those that are known before the app is registered. */
export function firstFields(
  shape: ConnectionShape,
  shown: ShownConnection,
  violations: readonly FieldViolation[],
): Html {
  return html`${nameField(shown.values, violations)} ${scopeFields(shape, shown, violations)}
  ${paramFields(shape, shown.values, violations)}`;
}

function nameField(values: Typed, violations: readonly FieldViolation[]): Html {
  const { name: label, nameHint: hint } = words.fields;
  const input = { kind: 'text', maxLength: 400 } as const;
  return field({ name: 'name', label, hint, input, value: values['name'] ?? '' }, violations);
}

/** All fields, for an existing connection. */
export function allFields(
  shape: ConnectionShape,
  shown: ShownConnection,
  violations: readonly FieldViolation[],
  hasSecret: boolean,
): Html {
  const { values } = shown;
  const { fields } = words;
  const overrides = OVERRIDES.map((name) => `overrides.${name}`);
  const isOpen =
    overrides.some((name) => (values[name] ?? '') !== '') ||
    violations.some((one) => overrides.includes(one.field));
  return html`${nameField(values, violations)}
    ${shape.hasClient ? clientFields(shape, values, violations, hasSecret) : ''}
    ${scopeFields(shape, shown, violations)} ${paramFields(shape, values, violations)}
    ${field({ name: 'post_user_verify_redirect_url', label: fields.afterwards, hint: fields.afterwardsHint, isOptional: true, input: { kind: 'url', maxLength: 2_048 }, value: values['post_user_verify_redirect_url'] ?? '' }, violations)}
    <details class="more" ${isOpen ? 'open' : ''}>
      <summary>${fields.overrides}</summary>
      <p class="body">${fields.overridesHint}</p>
      ${OVERRIDES.map((name) =>
        field(
          {
            name: `overrides.${name}`,
            label: words.overrides[name],
            type: name,
            isOptional: true,
            input: { kind: 'url', maxLength: 2_048 },
            value: values[`overrides.${name}`] ?? '',
          },
          violations,
        ),
      )}
    </details>`;
}

function clientFields(
  { secretParam }: ConnectionShape,
  values: Typed,
  violations: readonly FieldViolation[],
  hasSecret: boolean,
): Html {
  const { fields } = words;
  const kept = hasSecret ? fields.keepSecret : fields.newSecret;
  const lines = { kind: 'lines', rows: 6 } as const;
  const secret =
    secretParam === undefined
      ? { name: 'client_secret', label: fields.secret, hint: kept, input: { kind: 'secret' } as const }
      : secretParam === 'private_key'
        ? {
            name: 'params.private_key',
            label: fields.privateKey,
            hint: `${fields.pem} ${kept}`,
            input: lines,
          }
        : {
            name: 'params.service_account_json',
            label: fields.serviceAccount,
            hint: `${fields.json} ${kept}`,
            input: lines,
          };
  return html`${field({ name: 'client_id', label: fields.clientId, hint: fields.clientIdHint, isOptional: true, input: { kind: 'text', maxLength: 4_096 }, value: values['client_id'] ?? '' }, violations)}
  ${field({ ...secret, isOptional: true }, violations)}
  ${hasSecret ? check({ name: 'remove_secret', label: fields.removeSecret, isTicked: false }) : ''}`;
}

function scopeFields(
  { scopes, hasClient }: ConnectionShape,
  shown: ShownConnection,
  violations: readonly FieldViolation[],
): Text {
  if (!hasClient) return '';
  const { fields } = words;
  const others = field(
    {
      name: 'other_scopes',
      label: scopes.length === 0 ? fields.scopes : fields.otherScopes,
      hint: scopes.length === 0 ? fields.scopesHint : fields.otherScopesHint,
      isOptional: true,
      input: { kind: 'lines', rows: 2 },
      value: shown.values['other_scopes'] ?? '',
    },
    violations,
  );
  if (scopes.length === 0) return others;
  const choices = scopes.map(({ value, meaning }) => ({ value, label: meaning, detail: value }));
  return html`${checks(
    { name: 'scopes', label: fields.scopes, hint: fields.scopesHint, choices, ticked: shown.scopes },
    violations,
  )}
  ${others}`;
}

function paramFields(
  { placeholders }: ConnectionShape,
  values: Typed,
  violations: readonly FieldViolation[],
): Html {
  const { fields } = words;
  return html`${placeholders.map(({ name, label, hint }) =>
    field(
      {
        name: `params.${name}`,
        label,
        type: name,
        hint: [hint, fields.forAccounts].filter((text) => text !== undefined).join(' '),
        isOptional: true,
        input: { kind: 'text' },
        value: values[`params.${name}`] ?? '',
      },
      violations,
    ),
  )}${field({ name: 'more', label: fields.more, hint: fields.moreHint, type: 'JSON', isOptional: true, input: { kind: 'lines', rows: 3 }, value: values['more'] ?? '' }, violations)}`;
}

/**
 * The entered values, for a form that is shown again. Secrets are left out, because their fields never show a
 * value.
 */
export function typedValues(posted: Posted): ShownConnection {
  return { values: posted.values, scopes: posted.all('scopes') };
}

/**
 * Reads the form. Returns the connection, and violations for values that cannot be read. An empty secret keeps the
 * stored one.
 */
export function readConnection(
  shape: ConnectionShape,
  posted: Posted,
): { patch: ConnectionPatch; unreadable: readonly FieldViolation[] } {
  const more = jsonObject(posted.text('more'));
  const secretName =
    shape.secretParam === undefined ? 'client_secret' : (`params.${shape.secretParam}` as const);
  const secret = posted.isTicked('remove_secret') ? null : posted.values[secretName] || undefined;
  const params = {
    ...more,
    ...Object.fromEntries(
      shape.placeholders.flatMap(({ name }) => {
        const value = posted.text(`params.${name}`);
        return value === '' ? [] : [[name, value]];
      }),
    ),
    ...(shape.secretParam !== undefined && secret !== undefined && { [shape.secretParam]: secret }),
  };
  return {
    patch: {
      name: posted.text('name'),
      params,
      ...(shape.hasClient && {
        scopes: [...posted.all('scopes'), ...posted.text('other_scopes').split(/\s+/).filter(Boolean)],
        client_id: posted.text('client_id') || null,
        ...(shape.secretParam === undefined && secret !== undefined && { client_secret: secret }),
      }),
      post_user_verify_redirect_url: posted.text('post_user_verify_redirect_url') || null,
      overrides: Object.fromEntries(
        OVERRIDES.flatMap((name) => {
          const url = posted.text(`overrides.${name}`);
          return url === '' ? [] : [[name, url]];
        }),
      ),
    },
    unreadable: more === undefined ? [violation('more', words.fields.moreWrong, 'format')] : [],
  };
}

/**
 * Assigns violations to the fields of the form. Those of scopes and params without a field of their own go to a
 * shared one.
 */
export function atFields(
  shape: ConnectionShape,
  posted: Posted,
  violations: readonly FieldViolation[],
): readonly FieldViolation[] {
  const labels = connectionLabels(shape);
  const ticked = posted.all('scopes').length;
  return violations.map((one) => {
    const index = /^scopes\.(\d+)$/.exec(one.field)?.[1];
    if (index !== undefined && Number(index) >= ticked) return { ...one, field: 'other_scopes' };
    return one.field.startsWith('params.') && labels[one.field] === undefined
      ? { ...one, field: 'more', description: `${one.field.slice('params.'.length)}: ${one.description}` }
      : one;
  });
}

/** The JSON object in a text; an empty one for an empty text; `undefined` for a text that is not a JSON object. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text === '') return {};
  try {
    const value = parsedJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
