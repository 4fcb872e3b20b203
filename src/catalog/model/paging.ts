/** How a tool's result goes on: where the next page starts, and who has a result that is not there yet. */

/**
 * Where the next page of a result starts. Exactly one of `offset`, `cursor` and `number`.
 *
 * A path is dotted; a member whose own name has dots counts first (`@odata.nextLink`).
 */
export interface Paging {
  list: string;
  size?: string;
  offset?: { parameter: string; first: number; default_size?: number; more?: string; link_query?: string };
  cursor?: { parameter: string; next: string };
  number?: { parameter: string; of: string };
  /** Absent: the tool itself. */
  tool?: string;
  /** Arguments of `tool`, by the path of their values. */
  arguments?: Readonly<Record<string, string>>;
}

/** Who has a result that is not there yet. */
export interface Pending {
  until: string;
  tool: string;
  arguments: Readonly<Record<string, string>>;
}
