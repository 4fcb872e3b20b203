import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/http/listener/metrics.ts';

/** Names in the first column of the table of docs/operations.md#metrics. */
function documented(): string[] {
  const page = readFileSync('docs/operations.md', 'utf8');
  const [, section = ''] = /^## Metrics\n([^]*?)^## /m.exec(page) ?? [];
  return [...section.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
}

async function registered(): Promise<string[]> {
  const text = await new Metrics().render();
  return [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
}

describe('metrics of docs/operations.md', () => {
  it('cover every metric of the registry, each with what to alert on', async () => {
    expect(documented()).toEqual(expect.arrayContaining(await registered()));
    expect(documented().filter((name, i, all) => all.indexOf(name) !== i)).toEqual([]);
  });

  // Some metrics of the process exist on Linux only.
  it.runIf(process.platform === 'linux')('name no metric that the registry lacks', async () => {
    expect(documented().toSorted()).toEqual((await registered()).toSorted());
  });
});
