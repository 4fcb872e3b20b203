/**
 * `$search` in messages: words, `property:words` and comparisons of dates, all of which have to fit. Pure.
 *
 * @see https://learn.microsoft.com/en-us/graph/search-query-parameter
 */
import { badRequest } from '../refusal.ts';
import { textOf } from '../rendering.ts';
import type { Message } from './model.ts';

const TERM = /(?:([a-z]+)(:|>=|<=|>|<|=))?(?:"([^"]*)"|(\S+))/gi;

const texts: Readonly<Record<string, (message: Message) => string>> = {
  from: ({ from }) => `${from.address} ${from.name}`,
  to: ({ to }) => named(to),
  cc: ({ cc }) => named(cc),
  bcc: ({ bcc }) => named(bcc),
  recipients: ({ to, cc, bcc }) => named([...to, ...cc, ...bcc]),
  participants: ({ from, to, cc, bcc }) => named([from, ...to, ...cc, ...bcc]),
  subject: ({ subject }) => subject,
  body: ({ body }) => textOf(body),
  attachment: ({ attachments }) => attachments.map(({ name }) => name).join(' '),
  importance: ({ importance }) => importance,
  hasattachments: ({ attachments }) => String(attachments.length > 0),
  kind: () => 'email',
};

/** @param text between double quotes, with `"` and `\` inside escaped. @throws MailRefusal 400 */
export function readSearch(text: string): (message: Message) => boolean {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(text)?.[1];
  if (quoted === undefined)
    throw badRequest(
      `Syntax error: character '${text.slice(0, 1)}' is not valid at position 0 in '${text.slice(0, 100)}'.`,
    );
  const query = quoted.replaceAll(/\\(.)/gs, '$1');
  const tests = [...query.matchAll(TERM)]
    .filter(([term]) => term !== 'AND')
    .map(([, property, operator = ':', phrase, word = '']) =>
      test(property?.toLowerCase(), operator, phrase ?? word),
    );
  return (message) => tests.every((fits) => fits(message));
}

function test(property: string | undefined, operator: string, value: string): (message: Message) => boolean {
  const words = value.toLowerCase();
  if (property === undefined)
    return (message) =>
      [texts['subject'], texts['body'], texts['from']].some((read) =>
        read?.(message).toLowerCase().includes(words),
      );
  if (property === 'received' || property === 'sent') return (message) => compare(message, operator, value);
  const read = texts[property];
  if (read === undefined) return () => false;
  return (message) => read(message).toLowerCase().includes(words);
}

function compare({ receivedAt }: Message, operator: string, value: string): boolean {
  const day = new Date(receivedAt).toISOString().slice(0, value.length);
  if (operator === '>=') return day >= value;
  if (operator === '<=') return day <= value;
  if (operator === '>') return day > value;
  return operator === '<' ? day < value : day === value;
}

function named(list: readonly { address: string; name: string }[]): string {
  return list.map(({ address, name }) => `${address} ${name}`).join(' ');
}
