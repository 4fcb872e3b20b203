/**
 * The search of `--discovery` over the shipped catalog: plain words find the right tool. `search-questions/` has the
 * questions by connector, each with the tools that are right; the everyday words of the catalog were not made from those
 * in `kept-apart.json`.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeGeneratedCatalog } from '../../bench/generated-catalog.ts';
import { loadCatalog } from '../../src/catalog/load/load.ts';
import { rankTools } from '../../src/mcp/search/tool-search.ts';
import { catalogFolder } from '../catalog/files.ts';
import { ROUNDS } from '../support/rounds.ts';
import { shippedCatalog } from '../tools/tool-request.ts';
import { DISCOVERY_TASKS } from './discovery-tasks.ts';

type Questions = Record<string, [question: string, ...tools: string[]][]>;

const questions = ['tuned', 'kept-apart'].flatMap((file) => {
  const text = readFileSync(new URL(`search-questions/${file}.json`, import.meta.url), 'utf8');
  return Object.values(JSON.parse(text) as Questions).flat();
});
const tasks = DISCOVERY_TASKS.map(({ task, tools }): Questions[string][number] => [task, ...tools]);

/** Place of the first right tool by question, from 1; 0 if there is none. */
function placesOf(asked: Questions[string], { tools, connectors } = shippedCatalog): Map<string, number> {
  const all = [...tools.values()];
  return new Map(
    asked.map(([question, ...right]) => {
      const hits = rankTools(all, question, connectors);
      return [question, hits.findIndex(({ tool }) => right.includes(tool.name)) + 1];
    }),
  );
}

/** Questions whose right tool is not among the first ones. */
function missed(places: ReadonlyMap<string, number>, first: number): string[] {
  return [...places].flatMap(([question, place]) =>
    place > 0 && place <= first ? [] : [`${question} (place ${place})`],
  );
}

/** At least 85 % are found first and 97 % among the first five, of 150. */
function expectFound(places: ReadonlyMap<string, number>): void {
  expect(places.size).toBe(150);
  const [notFirst, notAmongFive] = [missed(places, 1), missed(places, 5)];
  expect(notFirst.length, notFirst.join('\n')).toBeLessThanOrEqual(22);
  expect(notAmongFive.length, notAmongFive.join('\n')).toBeLessThanOrEqual(4);
}

describe('tool discovery: search over the shipped tools', () => {
  it('finds the right tool first, or among five, for most of 150 questions', () => {
    expectFound(placesOf(questions));
  });

  it('finds it as often among thousands of tools of other apps', () => {
    const folder = catalogFolder({});
    const others = ROUNDS.full ? 4_000 : 1_000;
    writeGeneratedCatalog(folder, others);
    const catalog = loadCatalog([folder], { base: shippedCatalog });
    expect(catalog.tools.size).toBeGreaterThan(others + 100);
    expectFound(placesOf(questions, catalog));
  });

  it('finds the right tool among the first three for at least 45 of 50 longer tasks', () => {
    const tasksMissed = missed(placesOf(tasks), 3);
    expect(tasksMissed.length, tasksMissed.join('\n')).toBeLessThanOrEqual(5);
  });

  it.each([
    ['Move this deal to Lost', 'crm_update_deal'],
    ['Tick off the task with the drawings', 'crm_update_task'],
    ['Correct the title of a note', 'crm_update_note'],
    ['Two records are the same company: combine them', 'crm_merge_records'],
    ['What was said in the recorded call?', 'crm_get_call_transcript'],
    ['Which documents are attached to this deal?', 'crm_list_files'],
    ['Show me a few example rows of the orders table', 'warehouse_sample_rows'],
    ['Describe the columns of the customers table', 'warehouse_describe_table'],
    ['What queries are running right now in Snowflake?', 'warehouse_list_queries'],
    ['Is this SQL valid?', 'warehouse_explain_query'],
  ])('finds the tool first: %s', (query, expected) => {
    const [first] = rankTools([...shippedCatalog.tools.values()], query, shippedCatalog.connectors);
    expect(first?.tool.name).toBe(expected);
  });

  it.each([
    ['What is said in the captions of our webinar?', 'video_captions_download'],
    ['Who watches our channel, by age and country?', 'video_analytics_audience'],
    ['Which of our videos did best last month?', 'video_analytics_top_videos'],
    ['Which live streams are planned?', 'video_live_broadcasts_list'],
  ])('finds the tool of videos first: %s', (query, expected) => {
    const [first] = rankTools([...shippedCatalog.tools.values()], query, shippedCatalog.connectors);
    expect(first?.tool.name).toBe(expected);
  });

  it.each([
    ['What do I have on Thursday?', 'mail_list_calendar_events'],
    ['Details of the company with this id.', 'crm_get_company'],
  ])('finds the tool by words that say little: %s', (query, expected) => {
    const hits = rankTools([...shippedCatalog.tools.values()], query, shippedCatalog.connectors);
    expect(hits.slice(0, 3).map(({ tool }) => tool.name)).toContain(expected);
  });
});
