/**
 * crm_create_comment: on a record, on a list entry, or in a thread. Attio refuses a body that names two of them, so
 * a thread alone is sent where one is given: it has its place already.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/comments/create-a-comment
 */
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs.ts';
import { post } from '../provider-call.ts';

type CommentInput = ToolInputs['crm_create_comment'];

export const createComment: ToolHandler<CommentInput> = {
  call: async ({ input, http }) => {
    const author = { type: 'workspace-member', id: input.author_actor_id };
    const data = { format: 'plaintext', content: input.content, author, ...place(input) };
    return http.send(post('/v2/comments', { data }));
  },
};

/** The rules of the tool leave exactly one place once a thread has gone first. */
function place({ thread_id, record_object, record_id, list_id, entry_id }: CommentInput): JsonObject {
  if (thread_id !== undefined) return { thread_id };
  if (record_id !== undefined) return { record: { object: record_object, record_id } };
  return { entry: { list: list_id, entry_id } };
}
