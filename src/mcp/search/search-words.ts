/**
 * General knowledge of the tool search, as data: verbs for the four effects, verbs with particles, words without
 * meaning. Words are compared by their stem (search-terms.ts), so one form of each is enough. No word is here for a
 * single tool or question. Everyday words for the things of an app are in its `search_words`.
 */

/** Stop words, which say nothing about a tool. */
export const STOP_WORDS =
  'a after again alongside already also am an and any anyone anything are as at away back be been before being ' +
  'but by called can could did do does doing down during each either else ever for from further get give given go got ' +
  'had has have having he her here hers him his how i id ids if in into is it its just keep kindly know last latest let ' +
  'long make many may me might mine more most much my near need needs new newest next no not now of off okay on once one ones ' +
  'only onto or other our ours out over own particular please put really right same she should simply so some something ' +
  'such take than that the their theirs them then there these they thing things this those through till to today ' +
  'together tomorrow too top under until up us very want was way we week well were what when where which while who ' +
  'whole whom whose why will with within without would yesterday yet you your yours';

/** Verbs and nouns too common in names of tools to be specific on their own. */
export const COMMON =
  'about detail list get show create add make insert post put start update change delete remove find see new value one all number name id data system base';

/** Words that often only name a location; other words of a question matter more. */
export const CONTEXT =
  'customer customers client sales business youtube sql snowflake database online internet web team company account app site clip video contained';

/** Verbs with which names and titles of tools begin or end: they name the effect, which is already known. */
export const NAME_VERBS = 'list get create add insert update delete remove show';

/** Words followed by something other than the subject of a sentence. */
export const PREPOSITIONS =
  'of for from in into on onto at about to with by alongside under below beside through over since according when whenever if because but while so';

/** Words for each effect that a person may ask for. */
export const INTENTS: Readonly<Record<'read' | 'create' | 'update' | 'delete', string>> = {
  read:
    'show list see view display find look search fetch read tell check what which who whom whose when where how is are do does did has can ' +
    'open bring describe explain count pull retrieve lookup sum total browse inspect know overview dig answer get download learn investigate summarize compare',
  create:
    'create add make new insert write post put start set schedule book plan arrange invite open register log record enter save ' +
    'attach reply respond follow subscribe file leave jot note build launch produce generate compose draft plan log store submit upload publish introduce append include collect gather compile comment remind export bundle combine establish found form initiate',
  update:
    'update change edit modify rename move reschedule postpone push shift set adjust correct fix replace switch turn make give mark rate like dislike stop cancel abort hide ' +
    'run execute alter extend shorten reword rewrite kill halt vote',
  delete:
    'delete remove erase wipe drop scrap discard trash purge clear unfollow unsubscribe dispose destroy cancel clean dump undo unlink detach end stop dissolve disband eliminate cut withdraw retract revoke',
};

/** Two words that together mean another one, even if they stand apart: `take … out`, `give … a new name`. */
export const PHRASES: readonly (readonly [first: string, second: string, meaning: string])[] = [
  ['take', 'out', 'remove'],
  ['take', 'off', 'remove'],
  ['take', 'down', 'remove'],
  ['take', 'away', 'remove'],
  ['pull', 'out', 'remove'],
  ['kick', 'out', 'remove'],
  ['kick', 'off', 'remove'],
  ['cross', 'off', 'remove'],
  ['strike', 'off', 'remove'],
  ['throw', 'away', 'delete'],
  ['throw', 'out', 'delete'],
  ['get', 'rid', 'delete'],
  ['do', 'away', 'delete'],
  ['clean', 'up', 'delete'],
  ['call', 'off', 'delete'],
  ['drop', 'out', 'remove'],
  ['set', 'up', 'create'],
  ['write', 'down', 'create'],
  ['jot', 'down', 'create'],
  ['sign', 'up', 'subscribe'],
  ['put', 'in', 'add'],
  ['put', 'on', 'add'],
  ['put', 'at', 'add'],
  ['put', 'into', 'add'],
  ['look', 'up', 'find'],
  ['pull', 'up', 'show'],
  ['bring', 'up', 'show'],
  ['push', 'back', 'move'],
  ['put', 'off', 'move'],
  ['turn', 'into', 'change'],
  ['throw', 'into', 'add'],
  ['sit', 'down', 'meeting'],
  ['sat', 'down', 'meeting'],
  ['not', 'need', 'delete'],
  ['not', 'want', 'delete'],
  ['no', 'longer', 'delete'],
  ['call', 'instead', 'rename'],
  ['give', 'me', 'show'],
  ['give', 'us', 'show'],
  ['have', 'made', 'create'],
  ['have', 'generated', 'create'],
  ['have', 'exported', 'create'],
  ['want', 'new', 'add'],
  ['need', 'new', 'add'],
  ['give', 'new', 'change'],
  ['give', 'another', 'change'],
  ['give', 'different', 'change'],
  ['give', 'better', 'change'],
  ['give', 'name', 'rename'],
  ['give', 'like', 'rate'],
  ['how', 'many', 'count'],
  ['who', 'on', 'contained'],
  ['what', 'in', 'contained'],
  ['who', 'may', 'permission'],
  ['who', 'can', 'permission'],
  ['who', 'allowed', 'permission'],
  ['over', 'time', 'history'],
  ['give', 'title', 'rename'],
  ['add', 'up', 'sum'],
  ['note', 'down', 'create'],
  ['should', 'have', 'add'],
  ['todo', 'list', 'task'],
  ['write', 'under', 'comment'],
];

/** Words that open a question: a question asks to read, whatever other verbs follow. Elsewhere they name no effect. */
export const AUXILIARIES =
  'what which who whom whose when where why how is are was were do does did has can could may';

/** Verbs that ask to read, even if other verbs follow. */
export const READING = 'show list see find look tell check';

/** Words for one thing. Without them a question is about all things of a kind, one of which it describes. */
export const ONE = 'this that particular single one id specific certain exact her his details';

/** Words for all things of a kind, even if words for one thing follow. */
export const MANY = 'all every';
