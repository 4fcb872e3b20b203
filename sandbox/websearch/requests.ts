/**
 * The accepted requests, as strict as the provider's own description. An unknown or misplaced member is
 * refused, so that a wrongly built request is found here and not at the real provider.
 */
import { z } from 'zod';

const text = z.union([
  z.boolean(),
  z.strictObject({
    maxCharacters: z.int().optional(),
    includeHtmlTags: z.boolean().optional(),
    verbosity: z.enum(['compact', 'standard', 'full']).optional(),
    includeSections: z.array(z.string()).optional(),
    excludeSections: z.array(z.string()).optional(),
  }),
]);

const highlights = z.union([
  z.boolean(),
  z.strictObject({
    maxCharacters: z.int().min(1).optional(),
    numSentences: z.int().min(1).optional(),
    highlightsPerUrl: z.int().min(1).optional(),
    query: z.string().optional(),
  }),
]);

const summary = z.union([
  z.boolean(),
  z.strictObject({ query: z.string().optional(), schema: z.record(z.string(), z.unknown()).optional() }),
]);

const contents = {
  text: text.optional(),
  highlights: highlights.optional(),
  summary: summary.optional(),
  livecrawl: z.enum(['never', 'fallback', 'preferred', 'always']).optional(),
  livecrawlTimeout: z.int().optional(),
  maxAgeHours: z.int().optional(),
  subpages: z.int().optional(),
  subpageTarget: z.union([z.string(), z.array(z.string())]).optional(),
  extras: z.strictObject({ links: z.int().optional(), imageLinks: z.int().optional() }).optional(),
  context: z.union([z.boolean(), z.strictObject({ maxCharacters: z.int().optional() })]).optional(),
};

const contentsObject = z.strictObject(contents);

/** Page contents that may be requested; nothing is returned unless requested. */
export type ContentsRequest = z.infer<typeof contentsObject>;

const dateTime = z.iso.datetime({ offset: true });

const filters = {
  numResults: z.int().min(1).max(100).default(10),
  includeDomains: z.array(z.string()).max(1200).optional(),
  excludeDomains: z.array(z.string()).max(1200).optional(),
  startCrawlDate: dateTime.optional(),
  endCrawlDate: dateTime.optional(),
  startPublishedDate: dateTime.optional(),
  endPublishedDate: dateTime.optional(),
  includeText: z.array(z.string()).optional(),
  excludeText: z.array(z.string()).optional(),
  context: contents.context,
  moderation: z.boolean().optional(),
  contents: contentsObject.optional(),
};

const outputSchema = z.record(z.string(), z.unknown());

/** Body of `POST /search`. */
export const searchRequest = z
  .strictObject({
    query: z.string(),
    additionalQueries: z.array(z.string()).optional(),
    type: z
      .enum(['neural', 'fast', 'auto', 'deep-lite', 'deep', 'deep-reasoning', 'instant'])
      .default('auto'),
    outputSchema: outputSchema.optional(),
    category: z
      .enum([
        'company',
        'research paper',
        'news',
        'pdf',
        'github',
        'personal site',
        'people',
        'financial report',
        'publication',
      ])
      .optional(),
    userLocation: z.string().optional(),
    systemPrompt: z.string().optional(),
    stream: z.literal(false, { error: 'the sandbox does not stream' }).optional(),
    ...filters,
  })
  .superRefine((body, context) => {
    if (body.category !== 'company' && body.category !== 'people') return;
    for (const name of [
      'startPublishedDate',
      'endPublishedDate',
      'excludeDomains',
      'includeText',
      'excludeText',
    ] as const) {
      if (body[name] !== undefined) {
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `not allowed with category ${body.category}`,
        });
      }
    }
  });

export type SearchRequest = z.infer<typeof searchRequest>;

/** Body of `POST /findSimilar`. */
export const findSimilarRequest = z.strictObject({
  url: z.string(),
  excludeSourceDomain: z.boolean().optional(),
  ...filters,
});

export type FindSimilarRequest = z.infer<typeof findSimilarRequest>;

/** Body of `POST /contents`: its options are at the top level here, not under `contents`. */
export const contentsRequest = z.strictObject({
  urls: z.array(z.string()),
  ids: z.array(z.string()).optional(),
  ...contents,
});

/** Body of `POST /answer`. */
export const answerRequest = z.strictObject({
  query: z.string().min(1),
  stream: z.literal(false, { error: 'the sandbox does not stream' }).optional(),
  text: z.boolean().default(false),
  outputSchema: outputSchema.optional(),
  systemPrompt: z.string().optional(),
  userLocation: z.string().optional(),
  model: z.enum(['exa', 'exa-pro']).optional(),
});

const reference = z.strictObject({ source: z.enum(['import', 'webset']), id: z.string().min(1) });

const entity = z.union([
  z.strictObject({ type: z.enum(['company', 'person', 'article', 'research_paper']) }),
  z.strictObject({ type: z.literal('custom'), description: z.string().min(2).max(200) }),
]);

const metadata = z.record(z.string(), z.string().max(1000));

const websetSearch = {
  query: z.string().min(1).max(5000),
  entity: entity.optional(),
  criteria: z
    .array(z.strictObject({ description: z.string().min(1).max(1000) }))
    .min(1)
    .max(5)
    .optional(),
  recall: z.boolean().optional(),
  exclude: z.array(reference).optional(),
};

/** Body of `POST /websets/v0/websets`. */
export const createWebsetRequest = z.strictObject({
  search: z
    .strictObject({
      ...websetSearch,
      count: z.number().min(1).default(10),
      maxPeoplePerCompany: z.number().optional(),
    })
    .optional(),
  exclude: z.array(reference).optional(),
  externalId: z.string().max(300).optional(),
  metadata: metadata.optional(),
});

export type CreateWebsetRequest = z.infer<typeof createWebsetRequest>;
export type WebsetEntity = z.infer<typeof entity>;

/** Body of `POST /websets/v0/websets/{id}`. */
export const updateWebsetRequest = z.strictObject({ metadata: metadata.nullable().optional() });

/** Body of `POST /websets/v0/websets/preview`. */
export const previewRequest = z.strictObject({
  search: z.strictObject({
    query: websetSearch.query,
    entity: websetSearch.entity,
    count: z.number().min(1).max(10).default(10),
  }),
});

export type PreviewRequest = z.infer<typeof previewRequest>;

/** Body of `POST /websets/v0/websets/{webset}/searches`. */
export const websetSearchRequest = z.strictObject({
  ...websetSearch,
  count: z.number().min(1),
  behavior: z.enum(['override', 'append']).default('override'),
  metadata: metadata.optional(),
});

export type WebsetSearchRequest = z.infer<typeof websetSearchRequest>;

const enrichment = {
  description: z.string().min(1).max(5000),
  format: z.enum(['text', 'date', 'number', 'options', 'email', 'phone', 'url']).optional(),
  options: z
    .array(z.strictObject({ label: z.string() }))
    .min(1)
    .max(150)
    .optional(),
};

/** Body of `POST /websets/v0/websets/{webset}/enrichments`. */
export const enrichmentRequest = z.strictObject({ ...enrichment, metadata: metadata.optional() });

export type EnrichmentRequest = z.infer<typeof enrichmentRequest>;

/** Body of `PATCH /websets/v0/websets/{webset}/enrichments/{id}`. */
export const updateEnrichmentRequest = z.strictObject(enrichment).partial();

export type UpdateEnrichmentRequest = z.infer<typeof updateEnrichmentRequest>;

const cadence = z.strictObject({
  cron: z.string().regex(/^\S+( \S+){4}$/, 'must have five fields'),
  timezone: z.string().default('Etc/UTC'),
});

const monitorBehavior = z.strictObject({
  type: z.literal('search'),
  config: z.strictObject({
    query: z.string().min(2).max(10_000).optional(),
    criteria: z
      .array(z.strictObject({ description: z.string().min(2).max(1000) }))
      .max(5)
      .optional(),
    entity: entity.optional(),
    count: z.number().positive(),
    behavior: z.enum(['override', 'append']).default('append'),
  }),
});

/** Body of `POST /websets/v0/monitors`. */
export const monitorRequest = z.strictObject({
  websetId: z.string(),
  cadence,
  behavior: monitorBehavior,
  metadata: metadata.optional(),
});

export type MonitorRequest = z.infer<typeof monitorRequest>;

/** Body of `PATCH /websets/v0/monitors/{id}`. */
export const updateMonitorRequest = z
  .strictObject({
    status: z.enum(['enabled', 'disabled']),
    cadence,
    behavior: monitorBehavior,
    metadata,
  })
  .partial();

export type UpdateMonitorRequest = z.infer<typeof updateMonitorRequest>;

const rows = z.array(z.record(z.string(), z.unknown()));

/** Body of `POST /agent/runs`. */
export const agentRunRequest = z
  .strictObject({
    query: z.string().min(1),
    systemPrompt: z.string().optional(),
    input: z.strictObject({ data: rows.optional(), exclusion: rows.optional() }).optional(),
    outputSchema: outputSchema.optional(),
    effort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh', 'auto']).default('auto'),
    budget: z.strictObject({ maxCostDollars: z.number() }).optional(),
    previousRunId: z.string().min(1).max(200).optional(),
  })
  .refine(({ budget, effort }) => budget === undefined || effort === 'auto', {
    path: ['budget'],
    message: 'only with effort auto',
  });

export type AgentRunRequest = z.infer<typeof agentRunRequest>;

/** Query of the list of agent runs. */
export const agentRunsQuery = z.strictObject({
  cursor: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

/** Query of the list of monitors. */
export const monitorsQuery = z.strictObject({
  cursor: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(25),
  websetId: z.string().optional(),
});

/** Query of the two Websets lists. */
export function pageQuery(defaultLimit: number) {
  return z.strictObject({
    cursor: z.string().min(1).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(defaultLimit),
    search: z.string().min(2).max(50).optional(),
    sourceId: z.string().optional(),
  });
}
