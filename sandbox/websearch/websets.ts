/**
 * Websets: searches that run in the background. Kept in memory for the life of the sandbox.
 *
 * Each look at a webset advances it, not time: first it is running with no results, then with half of them,
 * then with all. So a test or a demo sees every state without waiting.
 */
import type { Clock } from '../../src/core/clock.ts';
import { CORPUS, type CorpusPage } from './corpus.ts';
import { rank, type Match } from './ranking.ts';
import { Refusal } from './refusal.ts';
import { stableId, summarize } from './rendering.ts';
import type { CreateWebsetRequest, WebsetEntity } from './requests.ts';

type JsonObject = Record<string, unknown>;

interface Webset {
  id: string;
  request: CreateWebsetRequest;
  entity: WebsetEntity;
  /** All pages that the search will find. */
  matches: readonly Match[];
  /** Number of looks; two complete it. */
  looks: number;
  createdAt: string;
  updatedAt: string;
}

/** One page of a list. */
interface Page {
  data: JsonObject[];
  hasMore: boolean;
  nextCursor: string | null;
}

const LOOKS_TO_COMPLETE = 2;

/** Pages that can be entries of a webset, by the kind of entity that it searches. */
const FITS_ENTITY: Readonly<Record<WebsetEntity['type'], (page: CorpusPage) => boolean>> = {
  company: (page) => page.company !== undefined,
  person: (page) => page.person !== undefined,
  research_paper: (page) => page.category === 'research paper',
  article: (page) => page.category === 'news' || page.category === 'personal site',
  custom: () => true,
};

/** The websets of one sandbox. */
export class Websets {
  readonly #websets: Webset[] = [];
  readonly #clock: Clock;
  #created = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Refusal 409 if the externalId is taken */
  create(request: CreateWebsetRequest): JsonObject {
    const { externalId } = request;
    if (
      externalId !== undefined &&
      this.#websets.some((webset) => webset.request.externalId === externalId)
    ) {
      throw new Refusal(409, 'CONFLICT', `A webset with externalId "${externalId}" exists already.`);
    }
    const now = new Date(this.#clock.now()).toISOString();
    const entity = request.search?.entity ?? { type: 'company' };
    const pages = CORPUS.filter(FITS_ENTITY[entity.type]);
    const webset: Webset = {
      id: `webset_${stableId('webset', ++this.#created)}`,
      request,
      entity,
      matches:
        request.search === undefined ? [] : rank(request.search.query, pages).slice(0, request.search.count),
      looks: 0,
      createdAt: now,
      updatedAt: now,
    };
    this.#websets.unshift(webset);
    return render(webset);
  }

  /** @param id the id or the externalId */
  get(id: string, expandItems: boolean): JsonObject {
    const webset = this.#find(id);
    this.#look(webset);
    return { ...render(webset), ...(expandItems ? { items: itemsOf(webset) } : {}) };
  }

  /** Newest first. */
  list(query: { cursor?: string | undefined; limit: number; search?: string | undefined }): Page {
    const wanted = query.search?.toLowerCase() ?? '';
    const found = this.#websets.filter((webset) => (titleOf(webset) ?? '').toLowerCase().includes(wanted));
    return cutPage(found.map(render), query);
  }

  /** The items found so far. */
  items(id: string, query: { cursor?: string | undefined; limit: number }): Page {
    const webset = this.#find(id);
    this.#look(webset);
    return cutPage(itemsOf(webset), query);
  }

  /** Returns the webset as it was. */
  remove(id: string): JsonObject {
    const webset = this.#find(id);
    this.#websets.splice(this.#websets.indexOf(webset), 1);
    return render(webset);
  }

  #find(id: string): Webset {
    const webset = this.#websets.find((entry) => entry.id === id || entry.request.externalId === id);
    if (webset === undefined) throw new Refusal(404, 'NOT_FOUND', 'There is no webset with this id.');
    return webset;
  }

  #look(webset: Webset): void {
    if (webset.looks === LOOKS_TO_COMPLETE) return;
    webset.looks += 1;
    webset.updatedAt = new Date(this.#clock.now()).toISOString();
  }
}

function titleOf(webset: Webset): string | null {
  return webset.request.search?.query ?? null;
}

function foundSoFar(webset: Webset): readonly Match[] {
  const share = webset.looks / LOOKS_TO_COMPLETE;
  return webset.matches.slice(0, Math.floor(webset.matches.length * share));
}

function render(webset: Webset): JsonObject {
  const isDone = webset.looks === LOOKS_TO_COMPLETE || webset.request.search === undefined;
  return {
    id: webset.id,
    object: 'webset',
    status: isDone ? 'idle' : 'running',
    externalId: webset.request.externalId ?? null,
    title: titleOf(webset),
    searches:
      webset.request.search === undefined ? [] : [renderSearch(webset, webset.request.search, isDone)],
    imports: [],
    enrichments: [],
    monitors: [],
    excludes: [],
    metadata: webset.request.metadata ?? {},
    createdAt: webset.createdAt,
    updatedAt: webset.updatedAt,
  };
}

function renderSearch(
  webset: Webset,
  search: NonNullable<CreateWebsetRequest['search']>,
  isDone: boolean,
): JsonObject {
  return {
    id: searchIdOf(webset),
    object: 'webset_search',
    status: isDone ? 'completed' : 'running',
    websetId: webset.id,
    query: search.query,
    entity: webset.entity,
    criteria: (search.criteria ?? []).map(({ description }) => ({
      description,
      successRate: isDone ? 100 : 0,
    })),
    count: search.count,
    behavior: 'override',
    exclude: search.exclude ?? [],
    scope: [],
    progress: {
      found: foundSoFar(webset).length,
      analyzed: foundSoFar(webset).length,
      completion: Math.round((webset.looks / LOOKS_TO_COMPLETE) * 100),
      timeLeft: isDone ? 0 : 2 * (LOOKS_TO_COMPLETE - webset.looks),
    },
    recall: null,
    metadata: {},
    canceledAt: null,
    canceledReason: null,
    createdAt: webset.createdAt,
    updatedAt: webset.updatedAt,
  };
}

function searchIdOf(webset: Webset): string {
  return webset.id.replace('webset_', 'search_');
}

function itemsOf(webset: Webset): JsonObject[] {
  return foundSoFar(webset).map(({ page }) => ({
    id: `item_${stableId(webset.id, CORPUS.indexOf(page))}`,
    object: 'webset_item',
    source: 'search',
    sourceId: searchIdOf(webset),
    websetId: webset.id,
    properties: propertiesOf(page, webset.entity, titleOf(webset) ?? ''),
    evaluations: (webset.request.search?.criteria ?? []).map(({ description }) => ({
      criterion: description,
      reasoning: summarize(page, description),
      satisfied: 'yes',
      references: [{ title: page.title, snippet: summarize(page, description), url: page.url }],
    })),
    enrichments: null,
    createdAt: webset.createdAt,
    updatedAt: webset.updatedAt,
  }));
}

function propertiesOf(page: CorpusPage, entity: WebsetEntity, query: string): JsonObject {
  const common = { type: entity.type, url: page.url, description: summarize(page, query) };
  const { company, person } = page;
  if (entity.type === 'company' && company !== undefined) {
    return {
      ...common,
      content: page.text,
      company: { ...company, about: summarize(page, query), logoUrl: null },
    };
  }
  if (entity.type === 'person' && person !== undefined) {
    const { employer, ...shown } = person;
    return { ...common, person: { ...shown, company: { name: employer, location: null }, pictureUrl: null } };
  }
  const document = { title: page.title, author: page.author, publishedAt: page.publishedDate };
  const member = entity.type === 'research_paper' ? 'researchPaper' : entity.type;
  return { ...common, content: page.text, [member]: document };
}

/**
 * A cursor is the position of the first entry of the next page, encoded so that nobody reads it as a number.
 */
function cutPage(
  entries: readonly JsonObject[],
  query: { cursor?: string | undefined; limit: number },
): Page {
  const start =
    query.cursor === undefined ? 0 : Number(/^from_(\d{1,6})$/.exec(query.cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(start))
    throw new Refusal(400, 'INVALID_REQUEST', 'The cursor was not issued by this list.');
  const end = start + query.limit;
  const hasMore = end < entries.length;
  return { data: entries.slice(start, end), hasMore, nextCursor: hasMore ? `from_${end}` : null };
}
