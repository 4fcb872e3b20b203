import { describe, expect, it } from 'vitest';
import { stem, terms, understand, type SearchQuestion } from '../../src/mcp/search/search-terms.ts';
import { rankTools } from '../../src/mcp/search/tool-search.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { CATALOG, TOOLS } from './fixtures.ts';

/** Words that some connector has for things, and the app of one. */
const VOCABULARY = {
  apps: new Map([
    ['youtub', ['video']],
    ['book', ['books']],
  ]),
  things: new Set(['song', 'list', 'task', 'mix']),
  kept: new Set<string>(),
};
const understood = (text: string): SearchQuestion => understand(text, VOCABULARY);

const names = (query: string): string[] =>
  rankTools(TOOLS, query, CATALOG.connectors).map(({ tool }) => tool.name);

describe('tool search by words', () => {
  it.each([
    ['singular for plural', 'delete tasks', 'crm_delete_task'],
    ['plural for singular', 'search webs', 'web_search'],
    ['words of the title', 'open', 'crm_list_tasks'],
    ['words of a parameter', 'num_results', 'web_search'],
    ['the name itself', 'crm_list_people', 'crm_list_people'],
    ['the name of the app', 'mail', 'mail_list_messages'],
    ['the beginning of a word', 'messag', 'mail_list_messages'],
    ['a word with a slip', 'mesages', 'mail_list_messages'],
    ['an everyday word', 'something about the internet', 'web_search'],
    ['a verb of everyday', 'get rid of this to-do', 'crm_delete_task'],
    ['a question', 'Which chores are left?', 'crm_list_tasks'],
  ])('finds the tool by %s', (_, query, expected) => {
    expect(names(query)[0]).toBe(expected);
  });

  it('leaves out tools that have nothing to do with the words', () => {
    expect(names('messages')).toEqual(['mail_list_messages']);
  });

  it.each(['', ' ', 'the of and', '?!', '"', "''"])('finds nothing by the query %j', (query) => {
    expect(names(query)).toEqual([]);
  });

  it('keeps the order of the list among equals', () => {
    const [first, ...rest] = TOOLS;
    const twin = { ...first!, name: 'crm_create_tasks' };
    const order = (tools: typeof TOOLS) =>
      rankTools(tools, 'make a task', CATALOG.connectors).map(({ tool }) => tool.name);
    expect(order([first!, twin, ...rest]).slice(0, 2)).toEqual(['crm_create_task', 'crm_create_tasks']);
    expect(order([twin, first!, ...rest]).slice(0, 2)).toEqual(['crm_create_tasks', 'crm_create_task']);
  });

  it('answers a hostile question within milliseconds', async () => {
    const query = `${'"a '.repeat(500_000)}${"'".repeat(500_000)} tasks`;
    expect(await cpuMs(() => names(query))).toBeLessThan(1_000);
  });
});

describe('tool search: terms of a query', () => {
  it.each([
    ['tasks', 'task'],
    ['entries', 'entry'],
    ['statuses', 'status'],
    ['searches', 'search'],
    ['tracking', 'tracked'],
    ['stopped', 'stop'],
    ['companies', 'company'],
    ['addresses', 'address'],
  ])('gives the same term for %s and %s', (one, other) => {
    expect(stem(one)).toBe(stem(other));
  });

  it.each([
    ['site', 'sit'],
    ['note', 'not'],
    ['analytics', 'analog'],
  ])('gives different terms for %s and %s', (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });

  it('leaves out words that say nothing, and joins what a hyphen parts', () => {
    expect(terms("The customer's to-do is one of these")).toEqual(['customer', 'todo']);
  });
});

describe('tool search: meaning of a query', () => {
  it.each([
    ['Which tasks should we delete?', ['read']],
    ['Take the song out of the mix', ['delete']],
    ['Set up a list', ['create']],
    ['Rename the list', ['update']],
    ['tasks of Ada', []],
    ['This task is wrong, delete it', ['delete']],
  ])('understands that "%s" asks for %j', (text, effects) => {
    expect([...understood(text).effects]).toEqual(effects);
  });

  it.each([
    ['this task', 'one'],
    ['all tasks', 'many'],
    ['tasks', 'many'],
    ['That task is wrong, delete it', 'one'],
  ])('understands that "%s" asks for %s', (text, count) => {
    expect(understood(text).count).toBe(count);
  });

  it('leaves names in the question out of the search', () => {
    const asked = understood("Add Kowalski to the 'Big orders' list on YouTube").terms.map(
      ({ term }) => term,
    );
    expect(asked).toEqual(['add', 'list', 'youtub']);
  });

  it('tells which app the question is about', () => {
    expect(understood('songs on YouTube').apps).toContain('video');
    expect(understood('books').apps).toContain('books');
  });
});
