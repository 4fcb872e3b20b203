/** The stand-in web-search provider: the operations of the real one that the websearch tools use. */
import { Hono, type Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { hashSecret } from '../../src/core/ids.ts';
import type { Clock } from '../../src/core/clock.ts';
import { CORPUS } from './corpus.ts';
import { filterPages, rank, type Match } from './ranking.ts';
import { Refusal } from './refusal.ts';
import { check, readBody } from './request-body.ts';
import {
  composeAnswer,
  costOf,
  renderCitation,
  renderPage,
  renderResult,
  shapeAnswer,
  stableId,
} from './rendering.ts';
import {
  agentRunRequest,
  agentRunsQuery,
  answerRequest,
  contentsRequest,
  findSimilarRequest,
  searchRequest,
  type FindSimilarRequest,
  type SearchRequest,
} from './requests.ts';
import { AgentRuns } from './agent-runs.ts';
import { Monitors } from './monitors.ts';
import { websetRoutes } from './webset-routes.ts';
import { Websets } from './websets.ts';

type Variables = { requestId: string };
type SandboxContext = Context<{ Variables: Variables }>;

/** Routes of one stand-in with its own websets. They accept only `apiKey`. */
export function websearchRoutes(options: { apiKey: string; clock: Clock }): Hono<{ Variables: Variables }> {
  const keyHash = hashSecret(options.apiKey);
  let requests = 0;

  const routes = new Hono<{ Variables: Variables }>();
  routes.onError((error, c) => renderRefusal(c, error));
  routes.use(async (c, next) => {
    const requestId = stableId('request', ++requests);
    c.set('requestId', requestId);
    c.header('x-request-id', requestId);
    // These routes come last: a wrong path of another stand-in must not look like a wrong key.
    if (matchedRoutes(c).every(({ path }) => path === '/*')) throw noSuchOperation();
    const bearer = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const key = c.req.header('x-api-key') ?? bearer;
    if (key === undefined || hashSecret(key) !== keyHash) {
      throw new Refusal(401, 'INVALID_API_KEY', 'Invalid API key. Send yours in the x-api-key header.');
    }
    await next();
  });

  routes.post('/search', async (c) => {
    const request = await readBody(c, searchRequest);
    const question = [request.query, ...(request.additionalQueries ?? [])].join(' ');
    const matches = rank(question, filterPages(CORPUS, request)).slice(0, request.numResults);
    return c.json({
      requestId: c.get('requestId'),
      searchType: request.type === 'deep' || request.type === 'deep-reasoning' ? request.type : 'neural',
      ...answerMatches(matches, request),
      ...(request.outputSchema === undefined
        ? {}
        : { output: outputOf(request.query, matches, request.outputSchema) }),
    });
  });

  routes.post('/findSimilar', async (c) => {
    const request = await readBody(c, findSimilarRequest);
    const source = CORPUS.find((page) => page.url === request.url);
    const question = source === undefined ? request.url : `${source.title}\n${source.text}`;
    const pages = filterPages(CORPUS, request).filter(
      (page) =>
        page !== source && !(request.excludeSourceDomain === true && isSameHost(page.url, request.url)),
    );
    const matches = rank(question, pages).slice(0, request.numResults);
    return c.json({ requestId: c.get('requestId'), ...answerMatches(matches, request) });
  });

  routes.post('/contents', async (c) => {
    const { urls, ids, ...contents } = await readBody(c, contentsRequest);
    const wanted = [...urls, ...(ids ?? [])];
    const pages = wanted.flatMap((url) => CORPUS.find((page) => page.url === url) ?? []);
    return c.json({
      requestId: c.get('requestId'),
      results: pages.map((page) => renderPage(page, contents)),
      statuses: wanted.map(statusOf),
      costDollars: costOf({ searches: 0, pages: pages.length, contents }),
    });
  });

  routes.post('/answer', async (c) => {
    const request = await readBody(c, answerRequest);
    const { answer, sources } = composeAnswer(request.query, rank(request.query, CORPUS));
    return c.json({
      requestId: c.get('requestId'),
      answer: request.outputSchema === undefined ? answer : shapeAnswer(answer, request.outputSchema),
      citations: sources.map((page) => renderCitation(page, request.text)),
      costDollars: costOf({ searches: 1, pages: 0, contents: {} }),
    });
  });

  const runs = new AgentRuns(options.clock);
  routes.post('/agent/runs', async (c) => c.json(runs.create(await readBody(c, agentRunRequest))));
  routes.get('/agent/runs', (c) => c.json(runs.list(check(agentRunsQuery, c.req.query()))));
  routes.get('/agent/runs/:id', (c) => c.json(runs.get(c.req.param('id'))));
  routes.post('/agent/runs/:id/cancel', (c) => c.json(runs.cancel(c.req.param('id'))));

  const monitors = new Monitors(options.clock);
  routes.route('/websets/v0', websetRoutes(new Websets(options.clock, monitors), monitors));
  routes.all('*', () => {
    throw noSuchOperation();
  });
  return routes;
}

function noSuchOperation(): Refusal {
  return new Refusal(404, 'NOT_FOUND', 'There is no such operation.');
}

function answerMatches(matches: readonly Match[], request: SearchRequest | FindSimilarRequest) {
  const contents = request.contents ?? {};
  return {
    results: matches.map((match) => renderResult(match, contents)),
    costDollars: costOf({ searches: 1, pages: matches.length, contents }),
  };
}

function outputOf(query: string, matches: readonly Match[], outputSchema: Record<string, unknown>) {
  const { answer, sources } = composeAnswer(query, matches);
  const citations = sources.map(({ url, title }) => ({ url, title }));
  return {
    content: shapeAnswer(answer, outputSchema),
    grounding: [{ field: 'content', citations, confidence: 'high' }],
  };
}

function isSameHost(one: string, other: string): boolean {
  return URL.canParse(other) && new URL(one).host === new URL(other).host;
}

/** Whether a page could be fetched; a failed page is not an error of the request. */
function statusOf(url: string) {
  if (CORPUS.some((page) => page.url === url)) return { id: url, status: 'success' };
  const error = /^https?:/i.test(url)
    ? { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 }
    : { tag: 'UNSUPPORTED_URL', httpStatusCode: null };
  return { id: url, status: 'error', error };
}

function renderRefusal(c: SandboxContext, error: unknown): Response {
  const refusal = error instanceof Refusal ? error : undefined;
  const status: ContentfulStatusCode = refusal?.status ?? 500;
  return c.json(
    {
      requestId: c.get('requestId'),
      error: refusal?.message ?? 'The sandbox failed. This is a defect.',
      tag: refusal?.tag ?? 'INTERNAL_ERROR',
    },
    status,
  );
}
