/**
 * websearch_preview_webset, websearch_create_webset_search and websearch_create_webset_monitor: try the search of a
 * webset, make it once more, or repeat it on a schedule.
 *
 * @see https://docs.exa.ai/websets/api/websets/searches/create-a-search
 * @see https://docs.exa.ai/websets/api/monitors/create-a-monitor
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { given, post } from '../provider-call.ts';
import { websetSearch } from './webset-search.ts';

export const previewWebset: ToolHandler<ToolInputs['websearch_preview_webset']> = {
  // Without `search` the provider only explains how it understands the query.
  call: async ({ input, http }) =>
    http.send({
      ...post('/websets/v0/websets/preview', { search: websetSearch(input) }),
      query: [['search', 'true']],
    }),
};

export const createWebsetSearch: ToolHandler<ToolInputs['websearch_create_webset_search']> = {
  check: ({ webset_id }) => pathViolations(webset_id, 'webset_id'),
  call: async ({ input, http }) => {
    const { webset_id, behavior, exclude_webset_ids, ...search } = input;
    const exclude = exclude_webset_ids?.map((id) => ({ source: 'webset', id }));
    const path = `/websets/v0/websets/${pathSegment(webset_id, 'webset_id')}/searches`;
    return http.send(post(path, given({ ...websetSearch(search), behavior, exclude })));
  },
};

export const createWebsetMonitor: ToolHandler<ToolInputs['websearch_create_webset_monitor']> = {
  call: async ({ input, http }) => {
    const { webset_id, cron, timezone, behavior, ...search } = input;
    const config = { ...websetSearch(search), behavior };
    return http.send(
      post('/websets/v0/monitors', {
        websetId: webset_id,
        cadence: { cron, timezone },
        behavior: { type: 'search', config },
      }),
    );
  },
};
