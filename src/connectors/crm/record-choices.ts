/**
 * Statuses and options in values, as language models write them: `Won` for the status `Won 🎉`, `in progress` for
 * `In Progress`. A title is accepted if it is the only one that differs just in case, space and emoji; no other is
 * guessed.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/attributes/list-statuses
 * @see https://docs.attio.com/rest-api/endpoint-reference/attributes/list-select-options
 */
import { pathSegment } from '../../catalog/call/request.ts';
import { ServiceError, violation, type FieldViolation } from '../../core/errors.ts';
import { membersOf, valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import { get, type ProviderHttp } from '../provider-call.ts';
import { itemsOf } from './attio-list.ts';

/**
 * By attribute type: the member of a value that holds the choice, the path of the choices, and the tool that lists
 * them.
 */
const CHOICES: Readonly<Partial<Record<string, { member: string; path: string; id: string; tool: string }>>> =
  {
    status: { member: 'status', path: 'statuses', id: 'status_id', tool: 'crm_list_attribute_statuses' },
    select: { member: 'option', path: 'options', id: 'option_id', tool: 'crm_list_attribute_options' },
  };

/**
 * The items of a value with the titles that Attio has; the same items if they name choices as they are.
 *
 * @param target path of the object or list
 * @param name slug or id of the attribute
 * @returns also a violation if an item names no choice. Nothing changes if the choices cannot be read
 */
export async function withTitles(
  http: ProviderHttp,
  { target, name, type, field }: { target: string; name: string; type: string; field: string },
  items: unknown,
): Promise<{ items: unknown; violations: FieldViolation[] }> {
  const kind = CHOICES[type];
  if (kind === undefined || !Array.isArray(items)) return { items, violations: [] };
  const path = `${target}/attributes/${pathSegment(name, field)}/${kind.path}`;
  const choices = await choicesOf(http, path);
  if (choices === undefined) return { items, violations: [] };
  const violations: FieldViolation[] = [];
  const named = items.map((item: unknown) => {
    const wanted = textAt(item, kind.member);
    if (wanted === undefined) return item;
    const title = titleMeant(choices, kind.id, wanted);
    if (title === undefined)
      violations.push(violation(field, `There is no such ${kind.member}. ${kind.tool} lists them.`, 'enum'));
    return title === undefined || title === wanted ? item : { ...membersOf(item), [kind.member]: title };
  });
  return { items: named.every((item, i) => item === items[i]) ? items : named, violations };
}

/** The titles that a value of this attribute can have, without archived ones; `undefined` if they cannot be read. */
export async function titlesOf(
  http: ProviderHttp,
  { target, name, type }: { target: string; name: string; type: string },
): Promise<readonly string[] | undefined> {
  const kind = CHOICES[type];
  if (kind === undefined) return undefined;
  const choices = await choicesOf(
    http,
    `${target}/attributes/${pathSegment(name, 'attribute')}/${kind.path}`,
  );
  return choices?.flatMap((choice) =>
    valueAt(choice, 'is_archived') === true ? [] : (textAt(choice, 'title') ?? []),
  );
}

async function choicesOf(http: ProviderHttp, path: string): Promise<readonly unknown[] | undefined> {
  try {
    return itemsOf(await http.send(get(path)));
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The title or id itself if it exists, otherwise the only title that differs just in case, space and emoji. */
function titleMeant(choices: readonly unknown[], idName: string, wanted: string): string | undefined {
  const isKnown = choices.some(
    (choice) => textAt(choice, 'title') === wanted || textAt(choice, 'id', idName) === wanted,
  );
  if (isKnown) return wanted;
  const titles = choices.flatMap((choice) => textAt(choice, 'title') ?? []);
  const alike = titles.filter((title) => plain(title) === plain(wanted));
  return plain(wanted) !== '' && alike.length === 1 ? alike[0] : undefined;
}

/**
 * The title without case, space, emoji, and hyphens within words. Other signs are kept, because they make another
 * title: `C++`, `1.5`, `> 1M`.
 */
function plain(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[\s_\p{Extended_Pictographic}\u{FE0F}\u{200D}]/gu, '')
    .replaceAll(/(?<=\p{L})-(?=\p{L})/gu, '');
}
