/**
 * websearch_create_webset_enrichment and websearch_update_webset_enrichment: a column of a webset, whose options the
 * provider takes as objects.
 *
 * @see https://docs.exa.ai/websets/api/websets/enrichments/create-an-enrichment
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { given, patch, post } from '../provider-call.ts';

export const createWebsetEnrichment: ToolHandler<ToolInputs['websearch_create_webset_enrichment']> = {
  check: ({ webset_id }) => pathViolations(webset_id, 'webset_id'),
  call: async ({ input: { webset_id, ...column }, http }) =>
    http.send(post(enrichmentsPath(webset_id), columnBody(column))),
};

export const updateWebsetEnrichment: ToolHandler<ToolInputs['websearch_update_webset_enrichment']> = {
  check: ({ webset_id, enrichment_id }) => [
    ...pathViolations(webset_id, 'webset_id'),
    ...pathViolations(enrichment_id, 'enrichment_id'),
  ],
  call: async ({ input: { webset_id, enrichment_id, ...column }, http }) => {
    const path = `${enrichmentsPath(webset_id)}/${pathSegment(enrichment_id, 'enrichment_id')}`;
    return http.send(patch(path, columnBody(column)));
  },
};

function enrichmentsPath(websetId: string): string {
  return `/websets/v0/websets/${pathSegment(websetId, 'webset_id')}/enrichments`;
}

function columnBody(
  column: Partial<Omit<ToolInputs['websearch_update_webset_enrichment'], 'webset_id'>>,
): JsonObject {
  const { description, format, options } = column;
  return given({ description, format, options: options?.map((label) => ({ label })) });
}
