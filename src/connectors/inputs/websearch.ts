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
  websearch_cancel_webset: {
    webset_id: string;
  };
  websearch_create_webset_enrichment: {
    webset_id: string;
    description: string;
    format?: 'text' | 'date' | 'number' | 'options' | 'email' | 'phone' | 'url';
    options?: readonly string[];
  };
  websearch_create_webset_monitor: {
    webset_id: string;
    cron: string;
    timezone: string;
    count: number;
    query?: string;
    criteria?: readonly string[];
    entity_type?: string;
    behavior: 'append' | 'override';
  };
  websearch_create_webset_search: {
    webset_id: string;
    query: string;
    count: number;
    entity_type?: string;
    criteria?: readonly string[];
    behavior: 'append' | 'override';
    exclude_webset_ids?: readonly string[];
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
  websearch_preview_webset: {
    query: string;
    entity_type?: string;
    count?: number;
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
  websearch_update_webset: {
    webset_id: string;
    metadata: Readonly<Record<string, unknown>>;
  };
  websearch_update_webset_enrichment: {
    webset_id: string;
    enrichment_id: string;
    description?: string;
    format?: 'text' | 'date' | 'number' | 'options' | 'email' | 'phone' | 'url';
    options?: readonly string[];
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
