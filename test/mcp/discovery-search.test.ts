/** The search of `--discovery` over the shipped catalog: plain words find the right tool among the first three. */
import { describe, expect, it } from 'vitest';
import { rankTools } from '../../src/mcp/tool-search.ts';
import { shippedCatalog } from '../tools/tool-request.ts';
import { DISCOVERY_TASKS } from './discovery-tasks.ts';

const tools = [...shippedCatalog.tools.values()];
const found = (query: string): string[] => rankTools(tools, query).map(({ name }) => name);

describe('tool discovery: search over the shipped tools', () => {
  it('measures the search by fifty tasks', () => {
    expect(DISCOVERY_TASKS).toHaveLength(50);
  });

  it('finds the right tool among the first three for at least 45 tasks', () => {
    const missed = DISCOVERY_TASKS.flatMap(({ task, tools: right }) => {
      const names = found(task);
      const place = names.findIndex((name) => right.includes(name)) + 1;
      return place > 0 && place <= 3
        ? []
        : [`${task} Wanted ${right.join(' or ')} (place ${place}), found ${names.slice(0, 3).join(', ')}`];
    });
    expect(50 - missed.length, `missed:\n${missed.join('\n')}`).toBeGreaterThanOrEqual(45);
  });

  it.each([
    ['What do I have on Thursday?', 'mail_list_calendar_events'],
    ['Details of the company with this id.', 'crm_get_company'],
  ])('finds the tool by words that say little: %s', (query, expected) => {
    expect(found(query).slice(0, 3)).toContain(expected);
  });
});
