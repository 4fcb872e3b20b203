/** The form for a tool's input, made from its schema, or as JSON. */
import { html } from 'hono/html';
import type { PublishedSchema, Tool } from '../../../catalog/model/types.ts';
import type { FieldViolation } from '../../../core/errors.ts';
import { checks, field, fieldset, type Field } from '../../components/form.ts';
import type { Html, Text } from '../../frame/html.ts';
import { tools as words } from '../../words/tools.ts';
import { entryKindOf, fieldName, JSON_FIELD, parametersOf, type Entered } from './entered-input.ts';
import { addingTo, placeOf, removingFrom, rowMembersOf, rowsOf, type EnteredTexts } from './entered-rows.ts';
import { ACCOUNT_FIELD } from './tool-accounts.ts';

/** The element that takes the focus after a press of a button, and its mark. */
export interface Focus {
  on: string;
  mark: Html;
}

/** Optional inputs that are visible at once; a click opens the others. */
const SHOWN_OPTIONAL = 4;

/** Longest input as JSON, below the limit of forms. */
const MAX_JSON = 400_000;

/** The violations of a tool's input, assigned to the fields of the form. */
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

/** Labels of the fields for the list of problems. Labels of rows come before the label of their list. */
export function inputLabels(tool: Tool, { texts }: Entered): Record<string, string> {
  const rows = parametersOf(tool).flatMap(([name, schema]) => {
    const members = rowMembersOf(schema) ?? [];
    return rowsOf(name, members, texts).flatMap((_, row) =>
      members.map(([member]) => [
        fieldName(placeOf(name, row, member)),
        words.input.inRow(name, row + 1, member),
      ]),
    );
  });
  return {
    ...Object.fromEntries(rows),
    [JSON_FIELD]: words.input.json,
    ...Object.fromEntries(parametersOf(tool).map(([name]) => [fieldName(name), name])),
  };
}

/**
 * @param violations of `inFields`
 * @param focus element that takes the focus, a path or button of `entered-rows.ts`, and its mark
 */
export function inputFields(
  tool: Tool,
  entered: Entered,
  violations: readonly FieldViolation[],
  focus?: Focus,
): Html {
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
      !['', '0'].includes(entered.texts[name] ?? '') ||
      violations.some((one) => isAbout(one.field, fieldName(name))),
  );
  const shown = ([name, schema]: [string, PublishedSchema]): Html => {
    const members = rowMembersOf(schema);
    return members === undefined
      ? parameterField(name, schema, required.has(name), entered.texts, violations)
      : rowsField(name, schema, members, { texts: entered.texts, violations, focus });
  };
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
    type: schema.type ?? 'object',
    hint,
    isOptional: !isRequired,
    value,
  };
  return field({ ...base, input: controlOf(schema, kind) }, violations);
}

/** A list of objects: a row of fields for each, and buttons that add and remove rows by sending the form. */
function rowsField(
  name: string,
  schema: PublishedSchema,
  members: readonly [string, PublishedSchema][],
  {
    texts,
    violations,
    focus,
  }: { texts: EnteredTexts; violations: readonly FieldViolation[]; focus: Focus | undefined },
): Html {
  const required = new Set(schema.items?.required ?? []);
  const rows = rowsOf(name, members, texts);
  const listName = fieldName(name);
  const ofRows = new Set(
    rows.flatMap((_, row) => members.map(([member]) => fieldName(placeOf(name, row, member)))),
  );
  const own = violations.filter((one) => isAbout(one.field, listName) && !ofRows.has(one.field));
  return fieldset(
    { name: listName, label: name, type: schema.type ?? 'object', hint: hintOf(schema, 'rows') },
    html`<div class="rowset">
      <input type="hidden" name="${listName}" value="${rows.length}" />
      ${rows.map(
        (row, place) =>
          html`<div role="group" aria-label="${words.input.row(name, place + 1)}">
            <div class="members">
              ${members.map(([member, one]) => {
                const at = placeOf(name, place, member);
                return field(
                  {
                    name: fieldName(at),
                    label: member,
                    isOptional: !required.has(member),
                    ...(one.description !== undefined && { hint: one.description }),
                    input: controlOf(one, entryKindOf(one)),
                    value: row[member] ?? '',
                    focus: focus?.on === at ? focus.mark : undefined,
                  },
                  violations,
                );
              })}
            </div>
            <button
              class="btn small plain"
              type="submit"
              name="do"
              value="${removingFrom(name, place)}"
              aria-label="${words.input.removeRow(name, place + 1)}"
              formnovalidate
            >
              ${words.input.remove}
            </button>
          </div>`,
      )}
      <button
        class="btn small"
        type="submit"
        name="do"
        value="${addingTo(name)}"
        aria-label="${words.input.addTo(name)}"
        formnovalidate
        ${focus?.on === addingTo(name) ? focus.mark : ''}
      >
        ${words.input.add}
      </button>
    </div>`,
    own,
  );
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
      // A field that grows, because texts of providers may have several lines.
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
