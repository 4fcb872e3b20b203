/**
 * Vocabulary for the search of tools, as data: everyday words and the catalog's words for the same things.
 *
 * Each line of MEANINGS is a word of tool names and descriptions, with everyday words that may mean it. Words
 * are compared by their stem (search-terms.ts), so one form of each is enough. No line is written for a
 * single tool or question.
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

/** Tool word: everyday words for it. */
export const MEANINGS: Readonly<Record<string, string>> = {
  // People, companies and sales
  person: 'profile contact individual human man woman lead prospect customer client buyer candidate guy lady',
  people: 'contacts individuals everybody everyone leads prospects customers clients buyers candidates',
  company:
    'profile firm business organization organisation corporation enterprise employer vendor supplier manufacturer agency account customer client brand startup',
  deal: 'opportunity sale contract negotiation bargain revenue prospect pipeline offer quote',
  record: 'profile entry customer client contact card file row datum entity item',
  list: 'collection board pipeline segment group roster sheet shortlist',
  entry: 'row item line membership belong contain inside',
  object: 'type kind entity class category definition',
  attribute: 'field property column characteristic',
  option: 'choice dropdown pick selectable selection',
  select: 'dropdown choice picklist',
  status: 'stage step phase state progress finished done complete ready',
  history: 'former previous past earlier historic changed used formerly evolution',
  member: 'colleague teammate coworker employee staff team user seat salesperson salespeople rep',
  workspace: 'tenant organization instance',
  tenant: 'organization instance workspace',
  user: 'customer enduser signup registered login account',
  task: 'todo chore reminder remind assignment action homework followup duty',
  note: 'memo summary minutes writeup written jot protocol journal text call',
  comment:
    'remark reply reaction feedback opinion message discussion response viewer say said below beneath underneath',
  thread: 'discussion conversation debate exchange remark talk comment',
  webhook: 'notification notify callback hook alert endpoint server push',
  event:
    'appointment meeting calendar agenda schedule booking slot diary invite invitation call lunch party date visit monday tuesday wednesday thursday friday saturday sunday weekend',
  calendar: 'agenda schedule diary planner appointment outlook',
  meeting: 'call appointment conversation discussion session met talk talked spoke',
  attendee: 'guest participant invitee colleague',
  recurrence: 'recurring repeat weekly daily monthly yearly every regular',
  token: 'connection connected access login logged signed authorized credential',
  scope: 'permission right allowed',
  fuzzy: 'approximate similar spelling',

  // Data warehouse
  warehouse: 'cluster engine compute',
  database: 'catalog db catalogue',
  schema: 'namespace',
  table: 'dataset relation',
  column: 'field',
  query:
    'sql statement question select calculation calculate computation count sum total average aggregate revenue',
  sql: 'statement select insert count sum total average aggregate rows',
  statement: 'sql query command computation',
  key: 'identifier identify unique uniquely reference',
  primary: 'unique uniquely identify identifier main',
  foreign: 'reference refer link linked related relation relationship point parent child depend join',
  constraint: 'rule uniqueness enforced enforce restriction integrity',
  referential: 'reference refer integrity cascade parent child',
  grant: 'permission privilege access right allowed allow authorized may role',
  privilege: 'permission access right allowed',
  compute: 'cluster engine machine size running',
  cancel: 'stop abort kill halt interrupt terminate',
  running: 'finished done ready complete progress still wait',
  partition: 'chunk portion slice part remaining rest batch',
  row: 'line result',

  // The web
  web: 'online internet website site google url net homepage www',
  search: 'about look find seek hunt discover locate google',
  crawl: 'scrape text content address article url link',
  page: 'site website article address url link homepage',
  url: 'address link',
  answer: 'question fact reply explain',
  similar: 'like resemble alike comparable related lookalike equivalent',
  research: 'investigate dig deep study learn report overview thorough explore examine sum gather background',
  summary: 'sum summarize summarise gist recap',
  webset: 'collection gathered gather collected collect compile sites',
  collect: 'gather compile assemble harvest',
  background: 'ongoing',
  news: 'article press headline',

  // Videos
  video: 'clip film movie song footage recording upload youtube vlog tutorial trailer stream watch',
  youtube: 'clip channel viewer',
  channel: 'creator youtuber broadcaster account',
  playlist: 'mix collection favourites favorites queue album songs watchlist compilation',
  playlists: 'mixes collections',
  upload: 'published posted',
  caption: 'subtitle transcript language',
  category: 'genre topic theme kind',
  rate: 'like love enjoy dislike thumb thumbs vote upvote downvote',
  rating: 'like liked dislike thumb thumbs vote',
  subscription: 'follow followed following subscribe subscribed subscriber fan',
  subscribe: 'follow',
  unsubscribe: 'unfollow',
  subscriber: 'fan follower audience',
  popular: 'trending hot trend viral chart hit',
  analytics:
    'statistic statistics stats figures metric performance number numbers audience viewer country demographic growth trend watched track tracking',
  views: 'watched viewed watch',
  figures: 'statistics stats metrics numbers performance',
  group: 'bundle collection batch cluster',
  report: 'export file csv spreadsheet download dump statistics',
  reporting: 'bulk export daily recurring statistics files',
  reports: 'files exports downloads',
  job: 'recurring scheduled schedule automatic automated regular export daily',
  bulk: 'mass large complete raw',
  privacy: 'private public unlisted hidden hide visible',
  title: 'name rename heading headline',
};

/** Verbs and nouns too common in names of tools to be specific on their own. */
export const COMMON =
  'about detail list get show create add make insert post put start update change delete remove find see new value one all number name id data system base';

/** Words that belong to one app more than to others, by name of the connector. */
export const APPS: Readonly<Record<string, string>> = {
  crm: 'customer client sales contact prospect lead attio crm firm company business deal colleague teammate todo task note custom tenant webhook',
  mail: 'calendar agenda schedule appointment meeting outlook invite event diary',
  video: 'youtube video clip channel song playlist viewer subtitle upload film watch subscriber',
  warehouse: 'sql snowflake database table column row schema query warehouse privilege',
  websearch: 'web online internet website site page url article webset google',
};

/** Words that often only name a location; other words of a question matter more. */
export const CONTEXT =
  'customer customers client sales business youtube sql snowflake database online internet web team company account app site clip video';

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
  ['who', 'may', 'permission'],
  ['who', 'can', 'permission'],
  ['who', 'allowed', 'permission'],
  ['over', 'time', 'history'],
  ['give', 'title', 'rename'],
  ['add', 'up', 'sum'],
  ['note', 'down', 'create'],
  ['should', 'have', 'add'],
];

/** Words that open a question: a question asks to read, whatever other verbs follow. */
export const QUESTIONS =
  'what which who whom whose when where why how is are was were do does did has can could may show list see find look tell check';

/** Words for one thing, and words for all of them. */
export const ONE = 'this that particular single one id specific certain exact it her his';
export const MANY = 'all every everything which any overview many several what list';
