/**
 * crm_list_webhooks: Attio's smallest page has 10; a smaller one is cut here.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/webhooks/list-webhooks
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get } from '../provider-call.ts';
import { itemsOf } from './attio-list.ts';

/** Attio's smallest page, also its default. */
const MIN_PAGE = 10;

export const listWebhooks: ToolHandler<ToolInputs['crm_list_webhooks']> = {
  call: async ({ input, http }) => {
    const { limit, offset } = input;
    const query: [string, string][] = [];
    if (limit !== undefined) query.push(['limit', String(Math.max(limit, MIN_PAGE))]);
    if (offset !== undefined) query.push(['offset', String(offset)]);
    const answer = await http.send(get('/v2/webhooks', query));
    const webhooks = itemsOf(answer);
    if (limit === undefined || webhooks.length <= limit) return answer;
    return { data: webhooks.slice(0, limit) };
  },
};
