/** Renders websets, their searches, items and enrichments as the provider does. */
import { CORPUS, type CorpusPage } from './corpus.ts';
import { stableId, summarize } from './rendering.ts';
import type { WebsetEntity } from './requests.ts';
import {
  foundSoFar,
  LOOKS_TO_COMPLETE,
  searchStatus,
  type Enrichment,
  type Webset,
  type WebsetSearch,
} from './webset-model.ts';

type JsonObject = Record<string, unknown>;

/** The title of a webset: the question of its first search. */
export function titleOf(webset: Webset): string | null {
  return webset.searches[0]?.request.query ?? null;
}

/** @param monitors those of the webset, as rendered */
export function renderWebset(webset: Webset, monitors: readonly JsonObject[]): JsonObject {
  const isRunning =
    webset.searches.some((search) => searchStatus(search) === 'running') ||
    webset.enrichments.some(({ status }) => status === 'pending');
  return {
    id: webset.id,
    object: 'webset',
    status: isRunning ? 'running' : 'idle',
    externalId: webset.request.externalId ?? null,
    title: titleOf(webset),
    searches: webset.searches.map((search) => renderSearch(webset, search)),
    imports: [],
    enrichments: webset.enrichments.map((enrichment) => renderEnrichment(webset, enrichment)),
    monitors,
    excludes: [],
    metadata: webset.metadata,
    createdAt: webset.createdAt,
    updatedAt: webset.updatedAt,
  };
}

/** A search with its progress. */
export function renderSearch(webset: Webset, search: WebsetSearch): JsonObject {
  const { request, looks } = search;
  const isRunning = searchStatus(search) === 'running';
  const found = foundSoFar(search).length;
  return {
    id: search.id,
    object: 'webset_search',
    status: searchStatus(search),
    websetId: webset.id,
    query: request.query,
    entity: search.entity,
    criteria: (request.criteria ?? []).map(({ description }) => ({
      description,
      successRate: looks === LOOKS_TO_COMPLETE ? 100 : 0,
    })),
    count: request.count,
    behavior: request.behavior,
    exclude: request.exclude ?? [],
    scope: [],
    progress: {
      found,
      analyzed: found,
      completion: Math.round((looks / LOOKS_TO_COMPLETE) * 100),
      timeLeft: isRunning ? 2 * (LOOKS_TO_COMPLETE - looks) : 0,
    },
    recall: null,
    metadata: {},
    canceledAt: search.canceledAt,
    canceledReason: search.canceledReason,
    createdAt: search.createdAt,
    updatedAt: search.updatedAt,
  };
}

/** A column, without its values. */
export function renderEnrichment(
  webset: Webset,
  { id, request, status, createdAt, updatedAt }: Enrichment,
): JsonObject {
  return {
    id,
    object: 'webset_enrichment',
    status,
    websetId: webset.id,
    title: request.description.slice(0, 40),
    description: request.description,
    format: request.format ?? 'text',
    options: request.options ?? null,
    instructions: null,
    metadata: {},
    createdAt,
    updatedAt,
  };
}

/** The items found so far, each page once. */
export function itemsOf(webset: Webset): JsonObject[] {
  const seen = new Set(webset.dropped);
  return webset.searches.flatMap((search) =>
    foundSoFar(search).flatMap(({ page }) => {
      if (seen.has(page.url)) return [];
      seen.add(page.url);
      return [renderItem(webset, search, page)];
    }),
  );
}

/** The address of the page behind an item. */
export function addressOf(item: JsonObject): string {
  return (item.properties as { url: string }).url;
}

function renderItem(webset: Webset, search: WebsetSearch, page: CorpusPage): JsonObject {
  const enriched = webset.enrichments.filter(({ status }) => status === 'completed');
  return {
    id: `item_${stableId(webset.id, CORPUS.indexOf(page))}`,
    object: 'webset_item',
    source: 'search',
    sourceId: search.id,
    websetId: webset.id,
    properties: propertiesOf(page, search.entity, search.request.query),
    evaluations: (search.request.criteria ?? []).map(({ description }) => ({
      criterion: description,
      reasoning: summarize(page, description),
      satisfied: 'yes',
      references: [{ title: page.title, snippet: summarize(page, description), url: page.url }],
    })),
    enrichments: enriched.length === 0 ? null : enriched.map((enrichment) => renderValue(enrichment, page)),
    createdAt: webset.createdAt,
    updatedAt: webset.updatedAt,
  };
}

function renderValue({ id, request }: Enrichment, page: CorpusPage): JsonObject {
  const snippet = summarize(page, request.description);
  return {
    object: 'enrichment_result',
    status: 'completed',
    format: request.format ?? 'text',
    result: [request.options?.[0]?.label ?? snippet],
    reasoning: null,
    references: [{ title: page.title, snippet, url: page.url }],
    enrichmentId: id,
  };
}

/** Properties of an item, from its page. */
export function propertiesOf(page: CorpusPage, entity: WebsetEntity, query: string): JsonObject {
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
