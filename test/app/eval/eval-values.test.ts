/** Placeholders of evaluation tasks, and what is looked for in answers. */
import { describe, expect, it } from 'vitest';
import { contains, filled, valueToKeep } from '../../../src/app/eval/eval-values.ts';
import { readTasks } from '../../../src/app/eval/eval-task.ts';
import { answerFaults, stateFaults } from '../../../src/app/eval/task-state.ts';

/** A Tuesday. */
const NOW = Date.UTC(2026, 10, 24, 7);

const TASK = { id: 'crm.x', ask: 'Who is it that we know there?', calls: [], end: [] };

describe('placeholders of evaluation tasks', () => {
  it.each([
    ['{{today+0}}', '2026-11-24'],
    ['{{today+7}}', '2026-12-01'],
    ['{{monday+0}}', '2026-11-23'],
    ['{{monday-7}}', '2026-11-16'],
    ['from {{monday+1}}T08:00:00', 'from 2026-11-24T08:00:00'],
    ['{{count}}', 3],
    ['{{count}} of {{count}}', '3 of 3'],
  ])('fills the placeholder of %s', (written, expected) => {
    expect(filled(written, new Map([['count', 3]]), NOW)).toBe(expected);
  });

  it('fills texts at every level and leaves everything else alone', () => {
    const input = { list: ['{{id}}', 1, null], inner: { at: '{{today}}' } };
    expect(filled(input, new Map([['id', 'a']]), NOW)).toEqual({
      list: ['a', 1, null],
      inner: { at: '2026-11-24' },
    });
  });

  it('refuses a value that no answer contained', () => {
    expect(() => filled('{{person}}', new Map(), NOW)).toThrow('no answer before this call contained person');
  });
});

describe('answers of evaluation tasks', () => {
  const answer = {
    items: [
      { id: { videoId: 'v1' }, snippet: { title: 'One' } },
      { id: { videoId: 'v2' }, snippet: { title: 'Two' } },
    ],
  };

  it('keeps the first value, or the one next to given members', () => {
    expect(valueToKeep(answer, 'videoId')).toBe('v1');
    expect(valueToKeep(answer, { of: { title: 'Two' }, take: 'videoId' })).toBe('v2');
    expect(valueToKeep(answer, { of: { title: 'Three' }, take: 'videoId' })).toBeUndefined();
  });

  it('finds an object by its members at any level', () => {
    expect(contains(answer, { videoId: 'v2' })).toBe(true);
    expect(contains(answer, { snippet: { title: 'One' } })).toBe(true);
    expect(contains(answer, { videoId: 'v1', title: 'One' })).toBe(false);
  });

  it('accepts an answer in any case, and with or without separators of thousands', () => {
    const task = { ...TASK, answer: ['12500', 'Ines'] };
    expect(answerFaults(task, 'INES has 12,500 of them.', NOW)).toEqual([]);
    expect(answerFaults(task, 'Ines has 12 of them.', NOW)).toEqual(['the answer does not say "12500"']);
  });
});

describe('end states of evaluation tasks', () => {
  it('fail their task where they cannot be read', async () => {
    const read = async (): Promise<unknown> => Promise.reject(new Error('there is no such record'));
    const check = { tool: 'crm_get_person', input: {}, keep: {} };
    const stage = {
      read,
      connectAgent: async () => Promise.reject(new Error('no agent')),
      close: async () => {},
    };
    expect(await stateFaults({ ...TASK, answer: [], end: [check] }, stage, NOW)).toEqual([
      'crm_get_person cannot be read: there is no such record',
    ]);
  });
});

describe('files of evaluation tasks', () => {
  it('names file and line of everything that is wrong', () => {
    const text =
      'tasks:\n  - id: Wrong\n    ask: Who works at Harbour Almanac?\n    calls:\n      - input: {}\n';
    expect(() => readTasks('own.yaml', text)).toThrow(
      /own\.yaml:2: tasks\.0\.id: .+\nown\.yaml:5: tasks\.0\.calls\.0\.tool: /,
    );
  });
});
