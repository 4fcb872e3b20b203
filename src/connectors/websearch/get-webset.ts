/**
 * websearch_get_webset: the whole webset, with its status in one of four words.
 *
 * @see https://docs.exa.ai/websets/api/websets/get-a-webset
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { get } from '../provider-call.ts';
import { withWebsetStatus } from './webset-status.ts';

export const getWebset: ToolHandler<ToolInputs['websearch_get_webset']> = {
  check: ({ webset_id }) => pathViolations(webset_id, 'webset_id'),
  call: async ({ input, http }) => {
    const id = pathSegment(input.webset_id, 'webset_id');
    const webset = await http.send(get(`/websets/v0/websets/${id}`));
    return withWebsetStatus(webset);
  },
};
