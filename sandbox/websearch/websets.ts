/**
 * Websets: searches that run in the background. Kept in memory for the life of the sandbox.
 *
 * Each look at a webset advances it, not time: first it is running with no results, then with half of them,
 * then with all. So a test or a demo sees every state without waiting.
 */
import type { Clock } from '../../src/core/clock.ts';
import { CORPUS, type CorpusPage } from './corpus.ts';
import type { Monitors } from './monitors.ts';
import { cutPage, type Page } from './pages.ts';
import { rank } from './ranking.ts';
import { Refusal } from './refusal.ts';
import { stableId } from './rendering.ts';
import type {
  CreateWebsetRequest,
  EnrichmentRequest,
  PreviewRequest,
  UpdateEnrichmentRequest,
  WebsetEntity,
  WebsetSearchRequest,
} from './requests.ts';
import { searchStatus, type Enrichment, type Webset, type WebsetSearch } from './webset-model.ts';
import {
  addressOf,
  itemsOf,
  propertiesOf,
  renderEnrichment,
  renderSearch,
  renderWebset,
  titleOf,
} from './webset-rendering.ts';

type JsonObject = Record<string, unknown>;

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
  readonly #monitors: Monitors;
  #created = 0;
  #parts = 0;

  constructor(clock: Clock, monitors: Monitors) {
    this.#clock = clock;
    this.#monitors = monitors;
  }

  /** @throws Refusal 409 if the externalId is taken */
  create(request: CreateWebsetRequest): JsonObject {
    const { externalId, search, metadata = {} } = request;
    if (
      externalId !== undefined &&
      this.#websets.some((webset) => webset.request.externalId === externalId)
    ) {
      throw new Refusal(409, 'CONFLICT', `A webset with externalId "${externalId}" exists already.`);
    }
    const now = this.#now();
    const webset: Webset = {
      id: `webset_${stableId('webset', ++this.#created)}`,
      request,
      metadata,
      searches: [],
      enrichments: [],
      dropped: new Set(),
      createdAt: now,
      updatedAt: now,
    };
    if (search !== undefined) this.#startSearch(webset, { ...search, behavior: 'override' });
    this.#websets.unshift(webset);
    return this.#render(webset);
  }

  /** The result that a search would have; nothing is stored. */
  preview({ search }: PreviewRequest): JsonObject {
    const entity = search.entity ?? { type: 'company' };
    const matches = rank(search.query, CORPUS.filter(FITS_ENTITY[entity.type])).slice(0, search.count);
    const createdAt = this.#now();
    return {
      search: { entity, criteria: [{ description: search.query }] },
      enrichments: [],
      items: matches.map(({ page }) => ({
        id: `item_${stableId('preview', CORPUS.indexOf(page))}`,
        properties: propertiesOf(page, entity, search.query),
        createdAt,
      })),
    };
  }

  /** @param id the id or the externalId */
  get(id: string, expandItems: boolean): JsonObject {
    const webset = this.find(id);
    this.#look(webset);
    return { ...this.#render(webset), ...(expandItems ? { items: itemsOf(webset) } : {}) };
  }

  /** Newest first. */
  list(query: { cursor?: string | undefined; limit: number; search?: string | undefined }): Page {
    const wanted = query.search?.toLowerCase() ?? '';
    const found = this.#websets.filter((webset) => (titleOf(webset) ?? '').toLowerCase().includes(wanted));
    return cutPage(
      found.map((webset) => this.#render(webset)),
      query,
    );
  }

  /** @param metadata replaces the old metadata; null empties it */
  update(id: string, { metadata }: { metadata?: Record<string, string> | null | undefined }): JsonObject {
    const webset = this.find(id);
    if (metadata !== undefined) webset.metadata = metadata ?? {};
    webset.updatedAt = this.#now();
    return this.#render(webset);
  }

  /** Stops everything that runs. */
  cancel(id: string): JsonObject {
    const webset = this.find(id);
    for (const search of webset.searches) this.#stopSearch(search, 'webset_canceled');
    for (const enrichment of webset.enrichments) this.#stopEnrichment(enrichment);
    return this.#render(webset);
  }

  /** Returns the webset as it was. */
  remove(id: string): JsonObject {
    const webset = this.find(id);
    const removed = this.#render(webset);
    this.#websets.splice(this.#websets.indexOf(webset), 1);
    this.#monitors.removeOf(webset.id);
    return removed;
  }

  /** The items found so far. */
  items(id: string, query: { cursor?: string | undefined; limit: number }): Page {
    const webset = this.find(id);
    this.#look(webset);
    return cutPage(itemsOf(webset), query);
  }

  item(id: string, itemId: string): JsonObject {
    return found(itemsOf(this.find(id)), itemId, 'item');
  }

  removeItem(id: string, itemId: string): JsonObject {
    const webset = this.find(id);
    const item = found(itemsOf(webset), itemId, 'item');
    webset.dropped.add(addressOf(item));
    return item;
  }

  createSearch(id: string, request: WebsetSearchRequest): JsonObject {
    const webset = this.find(id);
    return renderSearch(webset, this.#startSearch(webset, request));
  }

  /** A look at a search advances its webset. */
  search(id: string, searchId: string): JsonObject {
    const webset = this.find(id);
    this.#look(webset);
    return renderSearch(webset, found(webset.searches, searchId, 'search'));
  }

  cancelSearch(id: string, searchId: string): JsonObject {
    const webset = this.find(id);
    const search = found(webset.searches, searchId, 'search');
    this.#stopSearch(search, null);
    return renderSearch(webset, search);
  }

  createEnrichment(id: string, request: EnrichmentRequest): JsonObject {
    const webset = this.find(id);
    const now = this.#now();
    const enrichment: Enrichment = {
      id: `enrichment_${stableId('enrichment', ++this.#parts)}`,
      request,
      status: 'pending',
      createdAt: now,
      updatedAt: now,
    };
    webset.enrichments.push(enrichment);
    return renderEnrichment(webset, enrichment);
  }

  enrichment(id: string, enrichmentId: string): JsonObject {
    const webset = this.find(id);
    return renderEnrichment(webset, found(webset.enrichments, enrichmentId, 'enrichment'));
  }

  /** Only what is given changes; the values are found again. */
  updateEnrichment(id: string, enrichmentId: string, changes: UpdateEnrichmentRequest): JsonObject {
    const webset = this.find(id);
    const enrichment = found(webset.enrichments, enrichmentId, 'enrichment');
    const { description = enrichment.request.description, ...others } = changes;
    enrichment.request = { ...enrichment.request, ...others, description };
    enrichment.status = 'pending';
    enrichment.updatedAt = this.#now();
    return renderEnrichment(webset, enrichment);
  }

  cancelEnrichment(id: string, enrichmentId: string): JsonObject {
    const webset = this.find(id);
    const enrichment = found(webset.enrichments, enrichmentId, 'enrichment');
    this.#stopEnrichment(enrichment);
    return renderEnrichment(webset, enrichment);
  }

  /** Returns the enrichment as it was. */
  removeEnrichment(id: string, enrichmentId: string): JsonObject {
    const webset = this.find(id);
    const enrichment = found(webset.enrichments, enrichmentId, 'enrichment');
    webset.enrichments.splice(webset.enrichments.indexOf(enrichment), 1);
    return renderEnrichment(webset, enrichment);
  }

  /** @param id the id or the externalId. @throws Refusal 404 */
  find(id: string): Webset {
    const webset = this.#websets.find((entry) => entry.id === id || entry.request.externalId === id);
    if (webset === undefined) throw new Refusal(404, 'NOT_FOUND', 'There is no webset with this id.');
    return webset;
  }

  /** A search that overrides throws away what the earlier ones have found. */
  #startSearch(webset: Webset, request: WebsetSearchRequest): WebsetSearch {
    const now = this.#now();
    const entity = request.entity ?? webset.searches[0]?.entity ?? { type: 'company' };
    const excluded = new Set(
      (request.exclude ?? []).flatMap(({ id }) => itemsOf(this.find(id)).map(addressOf)),
    );
    const pages = CORPUS.filter((page) => FITS_ENTITY[entity.type](page) && !excluded.has(page.url));
    const matches = rank(request.query, pages).slice(0, request.count);
    if (request.behavior === 'override') {
      const kept = new Set(matches.map(({ page }) => page.url));
      for (const url of itemsOf(webset).map(addressOf)) if (!kept.has(url)) webset.dropped.add(url);
    }
    for (const { page } of matches) webset.dropped.delete(page.url);
    const number = webset.searches.length;
    const search: WebsetSearch = {
      // The first has the number of its webset.
      id:
        number === 0
          ? webset.id.replace('webset_', 'search_')
          : `search_${stableId('search', ++this.#parts)}`,
      request,
      entity,
      matches,
      looks: 0,
      canceledAt: null,
      canceledReason: null,
      createdAt: now,
      updatedAt: now,
    };
    webset.searches.push(search);
    return search;
  }

  #stopSearch(search: WebsetSearch, reason: WebsetSearch['canceledReason']): void {
    if (searchStatus(search) !== 'running') return;
    search.canceledAt = this.#now();
    search.canceledReason = reason;
  }

  #stopEnrichment(enrichment: Enrichment): void {
    if (enrichment.status === 'pending') enrichment.status = 'canceled';
  }

  #look(webset: Webset): void {
    for (const search of webset.searches.filter((entry) => searchStatus(entry) === 'running')) {
      search.looks += 1;
      webset.updatedAt = search.updatedAt = this.#now();
    }
    for (const enrichment of webset.enrichments)
      if (enrichment.status === 'pending') enrichment.status = 'completed';
  }

  #render(webset: Webset): JsonObject {
    return renderWebset(webset, this.#monitors.ofWebset(webset.id));
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function found<Part extends { id?: unknown }>(parts: readonly Part[], id: string, kind: string): Part {
  const part = parts.find((entry) => entry.id === id);
  if (part === undefined)
    throw new Refusal(404, 'NOT_FOUND', `There is no ${kind} with this id in the webset.`);
  return part;
}
