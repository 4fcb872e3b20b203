/** Research and websets of the web-search stand-in: what its calls change, and answers by the description. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { readAnswerDescription } from './answer-description.ts';

const problemsOf = readAnswerDescription('websearch-answers.json');

/** The members of answers that tests go into. */
interface Answer {
  id: string;
  status: string;
  data: Answer[];
  searches: Answer[];
  enrichments: { result: string[] }[] | null;
  items: Answer[];
  properties: { url: string };
}

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
});

afterAll(async () => {
  await sandbox.close();
});

/** Every answer matches the description of `operation`. */
async function call(operation: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Answer;
  expect(problemsOf(operation, answer)).toEqual([]);
  return answer;
}

const WEBSETS = '/websets/v0/websets';

/** A webset of the two companies that fit best, with everything found. */
async function collected(): Promise<string> {
  const search = { query: 'batteries', count: 2, entity: { type: 'company' } };
  const { id } = await call('websets-create', 'POST', WEBSETS, { search });
  await call('websets-get', 'GET', `${WEBSETS}/${id}`);
  await call('websets-get', 'GET', `${WEBSETS}/${id}`);
  return `${WEBSETS}/${id}`;
}

async function itemsOf(path: string): Promise<Answer[]> {
  return (await call('websets-items-list', 'GET', `${path}/items`)).data;
}

describe('web-search stand-in: agent runs', () => {
  it('wait, run and complete, with the form that was asked for', async () => {
    const body = {
      query: 'How much espresso comes out?',
      effort: 'low',
      outputSchema: { type: 'object', properties: { grams: {} } },
    };
    const started = await call('agent-run', 'POST', '/agent/runs', body);
    expect(started).toMatchObject({ status: 'queued', stopReason: null, output: null });
    const path = `/agent/runs/${started.id}`;
    expect(await call('agent-run', 'GET', path)).toMatchObject({ status: 'running' });
    expect(await call('agent-run', 'GET', path)).toMatchObject({
      status: 'completed',
      stopReason: 'schema_satisfied',
      output: {
        text: expect.stringContaining('thirty-six grams'),
        structured: { grams: expect.stringContaining('thirty-six grams') },
      },
      costDollars: { total: 0.025 },
    });
    const { data } = await call('agent-runs-list', 'GET', '/agent/runs?limit=1');
    expect(data).toMatchObject([{ id: started.id, status: 'completed' }]);
  });

  it('stay cancelled, and finished ones finished', async () => {
    const { id } = await call('agent-run', 'POST', '/agent/runs', { query: 'tide' });
    expect(await call('agent-run', 'POST', `/agent/runs/${id}/cancel`)).toMatchObject({
      status: 'cancelled',
      stopReason: 'cancelled',
    });
    expect((await call('agent-run', 'GET', `/agent/runs/${id}`)).status).toBe('cancelled');
  });

  it.each([
    [{ query: 'tide', effort: 'low', budget: { maxCostDollars: 1 } }],
    [{ query: 'tide', previousRunId: 'agent_run_none' }],
    [{}],
  ])('refuse to start with %j', async (body) => {
    await call('error', 'POST', '/agent/runs', body);
  });
});

describe('web-search stand-in: contents of pages', () => {
  it('include links and subpages, the other pages of a site', async () => {
    const answer = await call('getContents', 'POST', '/contents', {
      urls: ['https://slowcup.example/brewing/espresso-extraction'],
      text: { maxCharacters: 10 },
      subpages: 1,
      extras: { links: 3 },
    });
    const other = 'https://slowcup.example/news/coffee-harvest-outlook';
    expect(answer).toMatchObject({ results: [{ subpages: [{ url: other }], extras: { links: [other] } }] });
  });
});

describe('web-search stand-in: parts of websets', () => {
  it('grow by a search that appends, and lose what does not fit by one that overrides', async () => {
    const path = await collected();
    const more = { query: 'tide tables', count: 3, entity: { type: 'article' }, behavior: 'append' };
    const { id } = await call('websets-search', 'POST', `${path}/searches`, more);
    await call('websets-search', 'GET', `${path}/searches/${id}`);
    const done = await call('websets-search', 'GET', `${path}/searches/${id}`);
    expect(done).toMatchObject({ status: 'completed', progress: { found: 3 } });
    expect(await itemsOf(path)).toHaveLength(5);
    await call('websets-search', 'POST', `${path}/searches`, { ...more, behavior: 'override' });
    expect(await itemsOf(path)).toHaveLength(3);
  });

  it('leave out what another webset has', async () => {
    const path = await collected();
    const { id } = await call('websets-update', 'GET', path);
    const exclude = [{ source: 'webset', id }];
    const search = { query: 'batteries', count: 100, behavior: 'append', exclude };
    expect(await call('websets-search', 'POST', `${path}/searches`, search)).toMatchObject({ exclude });
    await itemsOf(path);
    expect(await itemsOf(path)).toHaveLength(3);
  });

  it('stop alone and together, and keep what they found', async () => {
    const search = { query: 'batteries', count: 2, entity: { type: 'company' } };
    const { id, searches } = await call('websets-create', 'POST', WEBSETS, { search });
    const path = `${WEBSETS}/${id}`;
    expect(await itemsOf(path)).toHaveLength(1);
    const [first] = searches;
    const stopped = await call('websets-search', 'POST', `${path}/searches/${first?.id}/cancel`);
    expect(stopped).toMatchObject({ status: 'canceled', canceledReason: null });
    await call('websets-enrichment', 'POST', `${path}/enrichments`, { description: 'Founded when?' });
    expect(await call('websets-update', 'POST', `${path}/cancel`)).toMatchObject({
      status: 'idle',
      searches: [{ status: 'canceled' }],
      enrichments: [{ status: 'canceled' }],
    });
    expect(await itemsOf(path)).toHaveLength(1);
  });

  it('have columns that fill, change, stop and go', async () => {
    const path = await collected();
    const body = { description: 'Where founded?', format: 'text' };
    const { id } = await call('websets-enrichment', 'POST', `${path}/enrichments`, body);
    const column = `${path}/enrichments/${id}`;
    await itemsOf(path);
    const [item] = await itemsOf(path);
    expect(item?.enrichments).toMatchObject([
      {
        enrichmentId: id,
        result: ['The company was founded in Bergen in 2019 and supplies thirty-one islands.'],
      },
    ]);
    expect(await call('websets-enrichment', 'PATCH', column, { description: 'What?' })).toMatchObject({
      description: 'What?',
      format: 'text',
      status: 'pending',
    });
    expect((await call('websets-enrichment', 'POST', `${column}/cancel`)).status).toBe('canceled');
    expect((await call('websets-enrichment', 'GET', column)).status).toBe('canceled');
    await call('websets-enrichment', 'DELETE', column);
    await call('error', 'GET', column);
  });

  it('lose a deleted item, and keep labels until they are emptied', async () => {
    const path = await collected();
    const [first] = await itemsOf(path);
    const item = `${path}/items/${first?.id}`;
    expect(await call('websets-item', 'GET', item)).toMatchObject({ id: first?.id });
    await call('websets-item', 'DELETE', item);
    expect(await itemsOf(path)).toHaveLength(1);
    await call('error', 'GET', item);
    const labeled = await call('websets-update', 'POST', path, { metadata: { owner: 'sales' } });
    expect(labeled).toMatchObject({ metadata: { owner: 'sales' } });
    expect(await call('websets-update', 'POST', path, { metadata: null })).toMatchObject({ metadata: {} });
  });

  it('show a preview without being made', async () => {
    const before = await call('websets-list', 'GET', `${WEBSETS}?limit=100`);
    const search = { query: 'batteries', count: 2 };
    const preview = await call('websets-preview', 'POST', `${WEBSETS}/preview?search=true`, { search });
    expect(preview.items).toHaveLength(2);
    expect(await call('websets-list', 'GET', `${WEBSETS}?limit=100`)).toEqual(before);
  });

  it('have monitors that pause, move and go, also with their webset', async () => {
    const path = await collected();
    const { id: websetId } = await call('websets-update', 'GET', path);
    const behavior = { type: 'search', config: { count: 5 } };
    const body = { websetId, cadence: { cron: '0 9 * * 1' }, behavior };
    const { id } = await call('monitor', 'POST', '/websets/v0/monitors', body);
    const monitor = `/websets/v0/monitors/${id}`;
    const cadence = { cron: '0 8 * * *', timezone: 'Europe/Oslo' };
    await call('monitor', 'PATCH', monitor, { status: 'disabled', cadence });
    expect(await call('monitor', 'GET', monitor)).toMatchObject({ status: 'disabled', cadence });
    const other = await call('monitor', 'POST', '/websets/v0/monitors', body);
    const list = `/websets/v0/monitors?websetId=${websetId}`;
    expect((await call('monitors-list', 'GET', list)).data.map((one) => one.id)).toEqual([other.id, id]);
    await call('monitor', 'DELETE', monitor);
    await call('error', 'GET', monitor);
    await call('websets-delete', 'DELETE', path);
    expect((await call('monitors-list', 'GET', list)).data).toEqual([]);
    await call('error', 'POST', '/websets/v0/monitors', body);
  });
});
