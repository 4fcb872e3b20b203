/** The input of a tool as a form made from its schema, or as JSON. */
import { html } from 'hono/html';
import type { PublishedSchema, Tool } from '../../../catalog/model/types.ts';
import type { FieldViolation } from '../../../core/errors.ts';
import { checks, field, type Field } from '../../components/form.ts';
import type { Html, Text } from '../../frame/html.ts';
import { tools as words } from '../../words/tools.ts';
import {
  entryKindOf,
  fieldName,
  JSON_FIELD,
  parametersOf,
  type Entered,
  type EnteredTexts,
} from './entered-input.ts';
import { ACCOUNT_FIELD } from './tool-accounts.ts';

/** Optional inputs that are shown at once; the others open with a click. */
const SHOWN_OPTIONAL = 4;

/** Longest input as JSON, below the limit of forms. */
const MAX_JSON = 400_000;

/** The problems of a tool's input, by the fields of the form. */
export function inFields(violations: readonly FieldViolation[], { as }: Entered): readonly FieldViolation[] {
  if (as === 'json')
    return violations.map((violation) => {
      const { field: at, description } = violation;
      if (at === ACCOUNT_FIELD || at === JSON_FIELD) return violation;
      const said = at === '' ? description : `${at}: ${description}`;
      return { ...violation, field: JSON_FIELD, description: said };
    });
  return violations.map((violation) =>
    ['', JSON_FIELD, ACCOUNT_FIELD].includes(violation.field)
      ? violation
      : { ...violation, field: fieldName(violation.field) },
  );
}

/** Names of the fields for the list of problems. */
export function inputLabels(tool: Tool): Record<string, string> {
  return {
    [JSON_FIELD]: words.input.json,
    ...Object.fromEntries(parametersOf(tool).map(([name]) => [fieldName(name), name])),
  };
}

/** @param violations of `inFields` */
export function inputFields(tool: Tool, entered: Entered, violations: readonly FieldViolation[]): Html {
  if (entered.as === 'json')
    return field(
      {
        name: JSON_FIELD,
        label: words.input.json,
        type: 'object',
        isOptional: true,
        input: { kind: 'lines', rows: 14, maxLength: MAX_JSON },
        value: entered.json,
      },
      violations,
    );
  const all = parametersOf(tool);
  if (all.length === 0) return html`<p class="field soft">${words.input.noInput}</p>`;
  const required = new Set(tool.inputSchema.required ?? []);
  const first = all.filter(([name]) => required.has(name));
  const others = all.filter(([name]) => !required.has(name));
  const later = others.slice(SHOWN_OPTIONAL);
  const isUsed = later.some(
    ([name]) =>
      (entered.texts[name] ?? '') !== '' || violations.some((one) => isAbout(one.field, fieldName(name))),
  );
  const shown = ([name, schema]: [string, PublishedSchema]): Html =>
    parameterField(name, schema, required.has(name), entered.texts, violations);
  return html`${first.map(shown)} ${others.slice(0, SHOWN_OPTIONAL).map(shown)}
  ${
    later.length === 0
      ? ''
      : html`<details class="more" ${isUsed ? 'open' : ''}>
          <summary>${words.input.fewer(later.length)}</summary>
          ${later.map(shown)}
        </details>`
  }`;
}

function parameterField(
  name: string,
  schema: PublishedSchema,
  isRequired: boolean,
  texts: EnteredTexts,
  violations: readonly FieldViolation[],
): Html {
  const value = texts[name] ?? '';
  const kind = entryKindOf(schema);
  const hint = hintOf(schema, kind);
  if (kind === 'ticks')
    return checks(
      {
        name: fieldName(name),
        label: name,
        hint,
        choices: (schema.items?.enum ?? []).map((word) => ({ value: word, label: word })),
        ticked: value.split('\n'),
      },
      violations,
    );
  const base: Field = {
    name: fieldName(name),
    label: name,
    type: schema.type,
    hint,
    isOptional: !isRequired,
    value,
  };
  return field({ ...base, input: controlOf(schema, kind) }, violations);
}

function controlOf(
  schema: PublishedSchema,
  kind: ReturnType<typeof entryKindOf>,
): NonNullable<Field['input']> {
  const none = { value: '', label: words.input.notGiven };
  switch (kind) {
    case 'select':
      return {
        kind: 'select',
        choices: [none, ...(schema.enum ?? []).map((value) => ({ value, label: value }))],
      };
    case 'yes-no':
      return {
        kind: 'select',
        choices: [none, { value: 'true', label: words.input.yes }, { value: 'false', label: words.input.no }],
      };
    case 'number':
      return { kind: 'number', maxLength: 40 };
    case 'lines':
    case 'json':
      return { kind: 'lines', rows: 3, maxLength: MAX_JSON };
    default:
      // A line that grows: texts of providers may have several lines.
      return { kind: 'lines', rows: 1, maxLength: MAX_JSON };
  }
}

function hintOf({ description = '', default: standard }: PublishedSchema, kind: string): Text {
  const parts = [
    description,
    kind === 'lines' ? words.input.perLine : '',
    kind === 'json' ? words.input.isJson : '',
    standard === undefined ? '' : words.input.standard(JSON.stringify(standard)),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function isAbout(violated: string, name: string): boolean {
  return violated === name || violated.startsWith(`${name}.`) || violated.startsWith(`${name}[`);
}
