/** Converts names and texts of a description into those of a catalog. Pure. */

/** Verbs with which operation names begin or end. */
const VERBS = new Set(
  (
    'accept activate add answer append apply approve archive assign attach block cancel check clear clone close ' +
    'complete confirm copy count create deactivate delete detach disable download enable end execute export fetch find ' +
    'get import insert invite join leave link list lock mark merge modify move patch pause ping poll post publish put ' +
    'query rate read refresh register reject remove rename replace reset resolve restore resume retrieve retry revoke ' +
    'run schedule search send set share show sign start stop submit subscribe suspend sync test transfer trigger ' +
    'unarchive unassign unblock unlink unlock unsubscribe update upload upsert validate verify view watch'
  ).split(' '),
);

const MAX_TOOL_NAME = 60;

/**
 * Words of a name in any spelling, in lower case: `youtube.playlistItems.list`, `me_ListEvents`, `HTMLPage2`.
 */
export function wordsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** A parameter name: snake case, begins with a letter, at most 64 characters. */
export function parameterName(wireName: string): string {
  const name = wordsOf(wireName).join('_').slice(0, 64).replace(/_+$/, '');
  return /^[a-z]/.test(name) ? name : `value${name === '' ? '' : `_${name}`}`.slice(0, 64);
}

/** Words of a title that do not identify a provider. */
const PLAIN_WORDS = /^(the|api|apis|rest|http|web|public|openapi|swagger|spec|specification|service|v?\d+)$/;

/** The name of a connector for a title, at most 30 characters; '' if the title has no letters. */
export function connectorName(title: string): string {
  const [main = ''] = title.split(/[:([|]|\s[-–—]\s/);
  const all = wordsOf(main);
  const words = all.filter((word) => !PLAIN_WORDS.test(word));
  return cutAtWord((words.length === 0 ? all : words).join('_').replace(/^[0-9_]+/, ''), 30);
}

/** Name of a toolset file, without extension. */
export function toolsetName(tag: string): string {
  const name = wordsOf(tag)
    .join('-')
    .replace(/^[0-9-]+/, '');
  const short = name.slice(0, 40).replace(/-+$/, '');
  if (short === '') return 'tools';
  return short === 'connector' ? 'connector-tools' : short;
}

/**
 * `<connector>_<verb>_<noun>`: a verb at the end of an operationId (`videos.list`) comes first, and words of
 * the connector's own name are not repeated.
 *
 * @param taken names already in use
 */
export function toolName(connector: string, words: readonly string[], taken: ReadonlySet<string>): string {
  const own = wordsOf(connector);
  const kept =
    own.every((word, i) => words[i] === word) && words.length > own.length ? words.slice(own.length) : words;
  const last = kept.at(-1) ?? '';
  const verbFirst = VERBS.has(last) && !VERBS.has(kept[0] ?? '') ? [last, ...kept.slice(0, -1)] : [...kept];
  const rest = verbFirst.length === 0 ? ['call'] : verbFirst;
  const name = cutAtWord(`${connector}_${rest.join('_')}`, MAX_TOOL_NAME);
  for (let n = 2; ; n++) {
    const unique = n === 2 && !taken.has(name) ? name : `${cutAtWord(name, MAX_TOOL_NAME - 4)}_${n}`;
    if (!taken.has(unique)) return unique;
  }
}

/** Words for an operation without operationId: the verb of its method and the nouns of its path. */
export function wordsOfPath(method: string, path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && !/^v\d+(\.\d+)?$/i.test(part));
  const isOne = /^\{[^}]*\}$/.test(parts.at(-1) ?? '');
  const verb =
    { get: isOne ? 'get' : 'list', post: 'create', put: 'replace', patch: 'update' }[method] ?? method;
  const nouns = parts.filter((part) => !part.startsWith('{')).flatMap(wordsOf);
  return [verb, ...nouns];
}

/** The first part of a path that is a word of its own: the subject of an untagged operation. */
export function subjectOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && !part.includes('{'));
  return parts.find((part) => !/^(api|rest|v?\d+(\.\d+)*)$/i.test(part)) ?? '';
}

/** A name in words for people: `maxResults` -> `Max results`. */
export function humanized(name: string): string {
  const words = wordsOf(name).join(' ');
  if (words.length < 3) return `Value of ${name.trim() === '' ? 'it' : terse(name, 60)}`;
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/**
 * A description in a few plain words: without markup but for code that holds a literal `*`, cut after a whole sentence if one fits.
 *
 * @returns '' if nothing is left
 */
export function terse(text: string, max: number): string {
  const plain = text
    .slice(0, 20_000)
    .toWellFormed()
    .replaceAll(/```[^`]*```/g, ' ')
    .replaceAll(/<\/?(a|b|i|em|strong|code|span)(\s[^<>]{0,300})?>/gi, '')
    .replaceAll(/<[a-zA-Z/][^<>]{0,300}>/g, ' ')
    .replaceAll(/!?\[([^[\]]{1,300})\]\([^()]{0,1000}\)/g, '$1')
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replaceAll(/(`[^`*]{0,300}\*[^`]{0,300}`)|[*`]+|(?<=^|\s)#+(?=\s)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (plain.length <= max) return plain;
  const head = plain.slice(0, max);
  const sentence = head.match(/^.*[.!?](?=\s)/s)?.[0];
  if (sentence !== undefined && sentence.length >= max / 4) return sentence;
  const words = head.slice(0, max - 1).replace(/\s+\S*$/, '');
  return `${words.toWellFormed().replace(/\ufffd$/, '')}…`;
}

/** The text, ending with a full stop. */
export function sentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

function cutAtWord(name: string, max: number): string {
  if (name.length <= max) return name;
  const cut = name.slice(0, max + 1);
  const end = cut.lastIndexOf('_');
  return cut.slice(0, end > max / 2 ? end : max).replace(/_+$/, '');
}
