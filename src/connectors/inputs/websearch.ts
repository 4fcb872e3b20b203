/**
 * What each tool of the connector with code of its own gets as input, by the tool's name: the checked input with its
 * defaults.
 *
 * Generated from catalogs/ by `npm run generate`. Do not edit.
 */

/** Inputs by the name of the tool. */
export interface ToolInputs {
  websearch_answer: {
    query: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    include_text?: boolean;
    num_results?: number;
  };
  websearch_find_similar: {
    url: string;
    start_published_date?: string;
    end_published_date?: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    include_text?: boolean;
    max_characters: number;
    num_results: number;
  };
  websearch_get_webset: {
    webset_id: string;
  };
  websearch_list_websets: {
    count: number;
    cursor?: string;
  };
  websearch_research: {
    query: string;
    summary_query?: string;
    category?: string;
    start_published_date?: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    max_characters: number;
    num_results?: number;
  };
  websearch_websets: {
    query: string;
    count?: number;
    entity_type?: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    external_id?: string;
  };
}
