/** A request for the shell with all values that an operation requires, and nothing else. */
import { firstBody, resolved, type Addressed, type Description, type Schema } from './description.ts';

/** Values without an example are the name of their member in capitals. */
export function sampleRequest({ method, path, operation }: Addressed, description: Description): string {
  const { parameters = [], requestBody, security } = operation;
  const required = parameters.filter((parameter) => parameter.required === true);
  const valueOf = (parameter: (typeof parameters)[number]) =>
    String(sampleValue(parameter.schema, parameter.name, description));
  const query = required
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => `${parameter.name}=${encodeURIComponent(valueOf(parameter))}`);
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const url = `${description.servers[0]?.url ?? ''}${address}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const body = firstBody(requestBody?.content);
  const isForm = body?.mediaType === 'application/x-www-form-urlencoded';
  return [
    `curl ${methodOption(method, body !== undefined)}'${url}'`,
    ...(security.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(isForm ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...required.flatMap((parameter) =>
      parameter.in === 'header' ? [`-H '${parameter.name}: ${valueOf(parameter)}'`] : [],
    ),
    ...(body === undefined ? [] : bodyArguments(body, description)),
  ].join(' \\\n  ');
}

/**
 * The method option of curl. Without it curl sends GET if there is no body and POST if there is one. With `-X HEAD`
 * it would wait for a body.
 */
function methodOption(method: string, hasBody: boolean): string {
  if (method === (hasBody ? 'POST' : 'GET')) return '';
  return method === 'HEAD' ? '--head ' : `-X ${method} `;
}

function bodyArguments(
  { mediaType, schema }: { mediaType: string; schema: Schema },
  description: Description,
): string[] {
  const value = sampleValue(schema, '', description);
  if (mediaType === 'application/json') {
    const json = JSON.stringify(value).replaceAll("'", String.raw`'\''`);
    return [`-H 'content-type: application/json'`, `-d '${json}'`];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, member]) => `-d '${name}=${String(member)}'`);
}

function sampleValue(given: Schema, name: string, description: Description): unknown {
  const schema = resolved(given, description);
  const { example, enum: choices } = schema;
  if (example !== undefined) return example;
  if (choices !== undefined) return choices[0];
  const first = schema.anyOf?.[0];
  if (first !== undefined) return sampleValue(first, name, description);
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((member) => [
          member,
          sampleValue(schema.properties?.[member] ?? {}, member, description),
        ]),
      );
    case 'array':
      return [sampleValue(schema.items ?? {}, name, description)];
    case 'integer':
    case 'number':
      return schema.default ?? schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return name.toUpperCase();
  }
}
