/**
 * crm_create_comment: on a record, on a list entry, or in a thread. Attio refuses a body that names two of them, so a
 * given thread is sent alone: it already belongs to a record or entry.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/comments/create-a-comment
 */
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { post } from '../provider-call.ts';

type CommentInput = ToolInputs['crm_create_comment'];

export const createComment: ToolHandler<CommentInput> = {
  call: async ({ input, http }) => {
    const author = { type: 'workspace-member', id: input.author_actor_id };
    const data = { format: 'plaintext', content: input.content, author, ...place(input) };
    return http.send(post('/v2/comments', { data }));
  },
};

/** A thread takes precedence; otherwise the rules of the tool leave exactly one place. */
function place({ thread_id, record_object, record_id, list_id, entry_id }: CommentInput): JsonObject {
  if (thread_id !== undefined) return { thread_id };
  if (record_id !== undefined) return { record: { object: record_object, record_id } };
  return { entry: { list: list_id, entry_id } };
}
