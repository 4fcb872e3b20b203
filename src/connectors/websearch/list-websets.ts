/**
 * websearch_list_websets: a page of websets, each with its status in one of four words.
 *
 * @see https://docs.exa.ai/websets/api/websets/list-all-websets
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { membersOf, valueAt } from '../../core/json.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { get } from '../provider-call.ts';
import { withWebsetStatus } from './webset-status.ts';

export const listWebsets: ToolHandler<ToolInputs['websearch_list_websets']> = {
  call: async ({ input: { count, cursor }, http }) => {
    const query = [
      ['limit', String(count)] as const,
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ];
    const page = await http.send(get('/websets/v0/websets', query));
    const websets = valueAt(page, 'data');
    return Array.isArray(websets) ? { ...membersOf(page), data: websets.map(withWebsetStatus) } : page;
  },
};
