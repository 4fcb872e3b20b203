/** The dashboard and the alert rules of `ops/`, against the metrics that the program has. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../../src/http/listener/metrics.ts';

interface Target {
  expr: string;
}

interface Panel {
  id: number;
  title: string;
  type: string;
  targets?: Target[];
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

const dashboard = JSON.parse(readFileSync('ops/grafana-dashboard.json', 'utf8')) as {
  panels: Panel[];
  templating: { list: { query: string | { query: string } }[] };
};
const { groups } = parse(readFileSync('ops/alerts.yaml', 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Texts of the dashboard in PromQL. */
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const chosen = dashboard.templating.list.map(({ query }) =>
  typeof query === 'string' ? query : query.query,
);

/** Names of metrics in a text, those of a histogram's series without their end. */
function namesIn(expr: string): string[] {
  return [...expr.matchAll(/\b(?:gatehouse|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  );
}

async function registered(): Promise<Set<string>> {
  const text = await new Metrics().render();
  return new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
}

/** Parentheses, braces and quotes of PromQL come in pairs. */
function isBalanced(expr: string): boolean {
  const open: string[] = [];
  for (const character of expr.replaceAll(/"[^"]*"/g, '')) {
    if ('([{'.includes(character)) open.push(character);
    else if (')]}'.includes(character) && open.pop() !== '([{'[')]}'.indexOf(character)]) return false;
    else if (character === '"') return false;
  }
  return open.length === 0;
}

describe('dashboard and alert rules', () => {
  it('name only metrics that the program has', async () => {
    const known = await registered();
    const named = [...shown, ...chosen, ...rules.map(({ expr }) => expr)].flatMap(namesIn);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('write PromQL whose brackets and quotes come in pairs', () => {
    expect([...shown, ...rules.map(({ expr }) => expr)].filter((expr) => !isBalanced(expr))).toEqual([]);
  });

  it('show every metric of Gatehouse itself somewhere', async () => {
    const named = new Set([...shown, ...rules.map(({ expr }) => expr)].flatMap(namesIn));
    const own = [...(await registered())].filter((name) => name.startsWith('gatehouse_'));
    expect(own.filter((name) => !named.has(name))).toEqual([]);
  });

  it('give each panel its id and each rule its name, severity and sentence', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(dashboard.panels.filter(({ type, targets }) => type !== 'row' && targets === undefined)).toEqual(
      [],
    );
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^[A-Z].*\.$/);
    }
  });
});
