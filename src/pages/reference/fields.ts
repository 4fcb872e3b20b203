/** Members of bodies and answers, and parameters, as nested lists. */
import { html } from 'hono/html';
import type { Html, Text } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { nameOf, type Schema } from './description.ts';

type ReferenceWords = Words['reference'];

/** A named value: a member or a parameter. */
export interface Field {
  name: string;
  isRequired: boolean;
  schema: Schema;
  description?: string | undefined;
}

/** A list of values with their members; nothing if there are none. */
export function fieldList(fields: readonly Field[], words: ReferenceWords): Text {
  if (fields.length === 0) return '';
  return html`<ul class="fields">
    ${fields.map((field) => fieldItem(field, words))}
  </ul>`;
}

/** The kind of a body or answer, and its members if it is described here. */
export function shapeOf(schema: Schema, words: ReferenceWords): Html {
  return html`<p>${kindOf(schema, words)}</p>
    ${members(schema, words)}`;
}

/** The members of an object, of the objects of a list, and of every alternative. */
export function members(schema: Schema, words: ReferenceWords): Text {
  const { properties, required = [], items, anyOf, allOf } = schema;
  const parts = [...(items === undefined ? [] : [items]), ...(anyOf ?? []), ...(allOf ?? [])];
  const own = Object.entries(properties ?? {}).map(([name, member]) => ({
    name,
    isRequired: required.includes(name),
    schema: member,
    description: member.description,
  }));
  return html`${fieldList(own, words)}${parts.map((part) => members(part, words))}`;
}

function fieldItem({ name, isRequired, schema, description }: Field, words: ReferenceWords): Html {
  return html`<li>
    <code>${name}</code>
    <small
      >${kindOf(schema, words)}${isRequired ? html`, <b>${words.required}</b>` : ''}${limitsOf(
        schema,
        words,
      ).map((limit) => html`, ${limit}`)}</small
    >
    ${description === undefined ? '' : html`<p lang="en">${withCode(description)}</p>`}
    ${members(schema, words)}
  </li>`;
}

/** The type of a value. The type of an object that is described further below is a link. */
function kindOf({ $ref, type, items, enum: choices, anyOf, allOf }: Schema, words: ReferenceWords): Text {
  if ($ref !== undefined) return html`<a href="#${objectId(nameOf($ref))}">${nameOf($ref)}</a>`;
  if (choices !== undefined) return joined(choices.map((choice) => html`<code>${String(choice)}</code>`));
  if (anyOf !== undefined) return joined(anyOf.map((schema) => html`${kindOf(schema, words)}`));
  const [whole] = allOf ?? [];
  if (whole !== undefined) return kindOf(whole, words);
  if (items !== undefined) return html`${words.listOf}: ${kindOf(items, words)}`;
  const kinds = type === undefined ? ['any'] : [type].flat();
  return joined(kinds.map((kind) => html`${words.kinds[kind] ?? kind}`));
}

function joined(alternatives: readonly Html[]): Html {
  return html`${alternatives.map((alternative, n) => html`${n === 0 ? '' : ' | '}${alternative}`)}`;
}

function limitsOf(schema: Schema, words: ReferenceWords): Text[] {
  const { minLength = 0, maxLength, minimum, maximum, maxItems, default: value } = schema;
  return [
    ...(maxLength === undefined ? [] : [words.characters(minLength, maxLength)]),
    ...(minimum === undefined || maximum === undefined ? [] : [words.range(minimum, maximum)]),
    ...(maxItems === undefined ? [] : [words.atMost(maxItems)]),
    ...(value === undefined ? [] : [html`${words.default}: <code>${JSON.stringify(value)}</code>`]),
  ];
}

/** Address of a named object in the page. */
export function objectId(name: string): string {
  return `object-${name}`;
}

/** The text, with the parts between backticks as code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, n) => (n % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
