/**
 * An inverted index of texts with weighted fields, ranked by BM25 (Robertson and Zaragoza, "The Probabilistic
 * Relevance Framework: BM25 and Beyond", 2009). The weight of a term in a document is computed when the index is
 * built, so that a search of thousands of tools only adds numbers. Pure.
 */
import { editDistance } from '../../core/text.ts';

/** Saturation of a repeated term, influence of a field's length, and the minimum weight of an occurrence (BM25+). */
const BM25 = { k: 1.2, b: 0.7, d: 0.5 };

/** Most letters of a misspelling, as a share of the term's length. */
const MISSPELT = 0.2;

/** Terms of a document by field. */
export type Document<Field extends string> = Readonly<Record<Field, readonly string[]>>;

/** A synonym: a term that also finds documents with another term. */
export interface Synonym {
  term: string;
  synonym: string;
  /** Its weight in relation to the term that it stands for, at most 1. */
  share: number;
  /** The documents whose term has this synonym. */
  among: ReadonlySet<number>;
}

/** Score of documents, by their number. */
export type Scores = ReadonlyMap<number, number>;

const NONE: Scores = new Map();

/**
 * Documents that belong together, such as the tools of one connector. Lengths are compared within a group, so that
 * adding many other documents with shorter texts hardly changes the order within it.
 */
interface Groups {
  /** By number of the document. */
  names: readonly string[];
  /** Numbers of the documents. */
  members: ReadonlyMap<string, readonly number[]>;
}

/** Holds the documents in the order they were given, numbered from 0. */
export class SearchIndex {
  readonly #postings = new Map<string, Map<number, number>>();

  /**
   * @param boosts weight of a term by the field it occurs in
   * @param names of the group of each document: lengths are compared, and half of a term's rarity counted, within it
   */
  constructor(
    documents: readonly Document<string>[],
    boosts: Readonly<Record<string, number>>,
    synonyms: readonly Synonym[],
    names: readonly string[],
  ) {
    const groups = { names, members: Map.groupBy(names.keys(), (at) => names[at] ?? '') };
    for (const [field, boost] of Object.entries(boosts)) this.#addField(field, boost, documents, groups);
    this.#addSynonyms(synonyms);
  }

  /** The documents with this term. */
  of(term: string): Scores {
    return this.#postings.get(term) ?? NONE;
  }

  /** The documents with a term that begins with this text. */
  beginning(beginning: string): Scores {
    return this.#best((term) => term.startsWith(beginning));
  }

  /** The documents with a term that begins with the same letter and differs from this one by a few letters. */
  spelledLike(written: string): Scores {
    const most = Math.round(written.length * MISSPELT);
    return this.#best(
      (term) =>
        term.startsWith(written.charAt(0)) &&
        Math.abs(term.length - written.length) <= most &&
        editDistance(term, written) <= most,
    );
  }

  /** @param synonyms taken from the texts of documents only, never from another synonym */
  #addSynonyms(synonyms: readonly Synonym[]): void {
    const own = synonyms.map(({ term, among }) => [...this.of(term)].filter(([at]) => among.has(at)));
    for (const [i, { synonym, share }] of synonyms.entries()) {
      const postings = this.#postingsOf(synonym);
      for (const [at, score] of own[i] ?? [])
        postings.set(at, Math.max(postings.get(at) ?? 0, score * share));
    }
  }

  #addField(field: string, boost: number, documents: readonly Document<string>[], groups: Groups): void {
    const lengths = documents.map((document) => document[field]?.length ?? 0);
    const means = new Map([...groups.members].map(([group, members]) => [group, mean(members, lengths)]));
    const counts = new Map<string, Map<number, number>>();
    for (const [at, document] of documents.entries())
      for (const term of document[field] ?? []) {
        const perDocument = counts.get(term) ?? new Map<number, number>();
        counts.set(term, perDocument.set(at, (perDocument.get(at) ?? 0) + 1));
      }
    const { k, b, d } = BM25;
    for (const [term, perDocument] of counts) {
      const among = rarity(perDocument.size, documents.length);
      const inGroups = Map.groupBy(perDocument.keys(), (at) => groups.names[at] ?? '');
      const postings = this.#postingsOf(term);
      for (const [group, found] of inGroups) {
        const rare = (among + rarity(found.length, groups.members.get(group)?.length ?? 0)) / 2;
        for (const at of found) {
          const count = perDocument.get(at) ?? 0;
          const length = 1 - b + (b * (lengths[at] ?? 0)) / (means.get(group) ?? 1);
          const score = rare * (d + (count * (k + 1)) / (count + k * length));
          postings.set(at, (postings.get(at) ?? 0) + boost * score);
        }
      }
    }
  }

  #postingsOf(term: string): Map<number, number> {
    const found = this.#postings.get(term) ?? new Map<number, number>();
    this.#postings.set(term, found);
    return found;
  }

  #best(isWanted: (term: string) => boolean): Scores {
    const best = new Map<number, number>();
    for (const [term, postings] of this.#postings)
      if (isWanted(term))
        for (const [at, score] of postings) best.set(at, Math.max(best.get(at) ?? 0, score));
    return best;
  }
}

/** Inverse document frequency. @param found documents with the term, of `all` */
function rarity(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}

function mean(members: readonly number[], lengths: readonly number[]): number {
  const sum = members.reduce((total, at) => total + (lengths[at] ?? 0), 0);
  return Math.max(1, sum / members.length);
}
