/** The content of a webset in the sandbox. */
import type { Match } from './ranking.ts';
import type {
  CreateWebsetRequest,
  EnrichmentRequest,
  WebsetEntity,
  WebsetSearchRequest,
} from './requests.ts';

/** A webset with its parts. */
export interface Webset {
  id: string;
  request: CreateWebsetRequest;
  metadata: Record<string, string>;
  /** Oldest first. */
  searches: WebsetSearch[];
  enrichments: Enrichment[];
  /** Addresses of pages whose items were deleted or thrown away. */
  dropped: Set<string>;
  createdAt: string;
  updatedAt: string;
}

/** A search of a webset. */
export interface WebsetSearch {
  id: string;
  request: WebsetSearchRequest;
  entity: WebsetEntity;
  /** All pages that it will find. */
  matches: readonly Match[];
  /** Number of looks; LOOKS_TO_COMPLETE complete it. */
  looks: number;
  canceledAt: string | null;
  canceledReason: 'webset_canceled' | null;
  createdAt: string;
  updatedAt: string;
}

/** A column of a webset. */
export interface Enrichment {
  id: string;
  request: EnrichmentRequest;
  status: 'pending' | 'completed' | 'canceled';
  createdAt: string;
  updatedAt: string;
}

/** Looks that complete a search. */
export const LOOKS_TO_COMPLETE = 2;

/** The provider's word for where a search is. */
export function searchStatus(search: WebsetSearch): 'running' | 'completed' | 'canceled' {
  if (search.canceledAt !== null) return 'canceled';
  return search.looks === LOOKS_TO_COMPLETE ? 'completed' : 'running';
}

/** Pages that a search has found so far. */
export function foundSoFar({ matches, looks }: WebsetSearch): readonly Match[] {
  return matches.slice(0, Math.floor((matches.length * looks) / LOOKS_TO_COMPLETE));
}
