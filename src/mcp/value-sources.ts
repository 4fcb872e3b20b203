/**
 * Adds to a refusal where the value of a parameter comes from: the tools that return an id, the meaning of `me`,
 * and the meaning of a text with a pattern. Pure.
 */
import type { Tool } from '../catalog/model/types.ts';
import { invalidArgument, ServiceError, type FieldViolation } from '../core/errors.ts';
import type { PublishedTools } from './published-tools.ts';

/** The same failure; INVALID_ARGUMENT with the sources of the refused ids, as far as the client has those tools. */
export function withSources(error: unknown, tool: Tool, published: PublishedTools): unknown {
  if (!(error instanceof ServiceError) || error.violations.length === 0) return error;
  const described = error.violations.map((violation) => ({
    ...violation,
    description: [violation.description, source(violation, tool, published)].filter(Boolean).join(' '),
  }));
  return invalidArgument(described);
}

function source({ field, constraint }: FieldViolation, tool: Tool, published: PublishedTools): string {
  const name = /^[^.[]*/.exec(field)?.[0] ?? '';
  const parameter = Object.hasOwn(tool.parameters, name) ? tool.parameters[name] : undefined;
  if (parameter === undefined || constraint === 'unknown') return '';
  const { from = [], me, description } = parameter;
  const tools = [from].flat().filter((other) => published.find(other) !== undefined);
  const [first, ...more] = tools.slice(0, MAX_SOURCES);
  const found =
    first === undefined ? '' : `${[first, ...more].join(' or ')} ${more.length > 0 ? 'give' : 'gives'} it.`;
  // A model learns little from the pattern alone.
  const meaning = constraint === 'pattern' ? description : '';
  return [meaning, found, me === undefined ? '' : '"me" is the person of the account.']
    .filter(Boolean)
    .join(' ');
}

/** Most sources that are named. More would only make the choice harder. */
const MAX_SOURCES = 3;
