/**
 * warehouse_ask_analyst: one message to Cortex Analyst, which writes SQL and runs none. It acts with the role of the
 * token.
 *
 * @see https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-analyst/rest-api
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { given, post } from '../provider-call.ts';
import { HEADERS } from './statement-request.ts';

export const askAnalyst: ToolHandler<ToolInputs['warehouse_ask_analyst']> = {
  check: ({ history = [] }) =>
    history.length % 2 === 0
      ? []
      : [violation('history', 'Must have an answer after each question: an even number of texts.', 'pairs')],
  call: async ({ input, http }) => {
    const { question, history = [], semantic_view, semantic_model_file } = input;
    const messages = [...history, question].map((text, i) => ({
      role: i % 2 === 0 ? 'user' : 'analyst',
      content: [{ type: 'text', text }],
    }));
    const body = given({ messages, semantic_view, semantic_model_file, stream: false });
    return http.send({ ...post('/api/v2/cortex/analyst/message', body), headers: HEADERS });
  },
};
