/**
 * websearch_cancel_webset and websearch_update_webset: the changed webset, with its status in one of four words.
 *
 * @see https://docs.exa.ai/websets/api/websets/update-a-webset
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { post } from '../provider-call.ts';
import { withWebsetStatus } from './webset-status.ts';

/** The provider's limit for a value of `metadata`. */
const MAX_METADATA_CHARACTERS = 1_000;

export const cancelWebset: ToolHandler<ToolInputs['websearch_cancel_webset']> = {
  check: ({ webset_id }) => pathViolations(webset_id, 'webset_id'),
  call: async ({ input, http }) => {
    const id = pathSegment(input.webset_id, 'webset_id');
    return withWebsetStatus(
      await http.send({
        method: 'POST',
        host: 0,
        path: `/websets/v0/websets/${id}/cancel`,
        query: [],
        headers: {},
      }),
    );
  },
};

export const updateWebset: ToolHandler<ToolInputs['websearch_update_webset']> = {
  check: ({ webset_id, metadata }) => [
    ...pathViolations(webset_id, 'webset_id'),
    ...Object.entries(metadata ?? {}).flatMap(([name, value]) => valueViolation(name, value)),
  ],
  call: async ({ input: { webset_id, metadata }, http }) => {
    const id = pathSegment(webset_id, 'webset_id');
    const labels = Object.keys(metadata).length === 0 ? null : metadata;
    return withWebsetStatus(await http.send(post(`/websets/v0/websets/${id}`, { metadata: labels })));
  },
};

function valueViolation(name: string, value: unknown): FieldViolation[] {
  const field = `metadata.${name}`;
  if (typeof value !== 'string') return [violation(field, 'Must be a text.', 'type')];
  if (value.length <= MAX_METADATA_CHARACTERS) return [];
  return [violation(field, `Must have at most ${MAX_METADATA_CHARACTERS} characters.`, 'max_length')];
}
