/** What stays watched, and who hears of it, when folders cannot be watched after a change. */
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchCatalog } from '../../../src/app/serve/catalog-watch.ts';
import { FolderWatch } from '../../../src/app/serve/folder-watch.ts';

const realWatch = fs.watch;

/** What the machine answers for a folder, by its name. */
const refusals = new Map<string, string>();

/** A notification that can be waited for. */
function told<T>() {
  const values: T[] = [];
  let wake = Promise.withResolvers<void>();
  return {
    tell: (value: T): void => {
      values.push(value);
      wake.resolve();
    },
    next: async (): Promise<T> => {
      while (values.length === 0) {
        await wake.promise;
        wake = Promise.withResolvers<void>();
      }
      return values.shift()!;
    },
  };
}

let dir: string;
let end: (() => Promise<void>) | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gatehouse-watch-'));
  mkdirSync(join(dir, 'old'));
  fs.watch = ((folder: string, listener: () => void) => {
    const code = refusals.get(folder.slice(dir.length + 1));
    if (code !== undefined) throw Object.assign(new Error(`${code}: watch`), { code });
    return realWatch(folder, listener);
  }) as typeof fs.watch;
  syncBuiltinESMExports();
});
afterEach(async () => {
  await end?.();
  end = undefined;
  fs.watch = realWatch;
  syncBuiltinESMExports();
  refusals.clear();
  rmSync(dir, { recursive: true });
});

/** Watches a folder, and collects the reported changes and failures. */
function watched() {
  const changes = told<true>();
  const failures = told<unknown>();
  const watch = new FolderWatch([dir], async () => changes.tell(true), failures.tell);
  end = async () => watch.close();
  return { changes, failures };
}

it('keeps the old folder watches when a new folder cannot be watched, and logs it', async () => {
  const { changes, failures } = watched();
  refusals.set('new', 'ENOSPC');
  mkdirSync(join(dir, 'new'));
  expect(await failures.next()).toMatchObject({ code: 'ENOSPC' });
  await changes.next();
  writeFileSync(join(dir, 'old/tool.yaml'), 'a');
  expect(await failures.next()).toMatchObject({ code: 'ENOSPC' });
  await changes.next();
});

it('continues when an old folder cannot be watched again', async () => {
  const { changes, failures } = watched();
  refusals.set('', 'EMFILE');
  writeFileSync(join(dir, 'old/tool.yaml'), 'a');
  expect(await failures.next()).toMatchObject({ code: 'EMFILE' });
  await changes.next();
  refusals.clear();
  mkdirSync(join(dir, 'new'));
  await changes.next();
  writeFileSync(join(dir, 'new/tool.yaml'), 'a');
  await changes.next();
});

it('polls again, without a log line, when a folder disappears before it is watched', async () => {
  const { changes, failures } = watched();
  let said = 0;
  void failures.next().then(() => (said += 1));
  refusals.set('old', 'ENOENT');
  writeFileSync(join(dir, 'tool.yaml'), 'a');
  await changes.next();
  refusals.clear();
  await changes.next();
  expect(said).toBe(0);
});

it('writes the failure of a folder watch to the log of the server', async () => {
  const lines = told<{ event: string; fields: unknown }>();
  const log = {
    info: () => {},
    warn: () => {},
    error: (event: string, fields: unknown) => lines.tell({ event, fields }),
  };
  end = watchCatalog({
    dirs: [dir],
    live: {} as never,
    log: log as never,
    load: async () => Promise.reject(new Error('not asked about here')),
    replace: async () => {},
  });
  refusals.set('new', 'ENOSPC');
  mkdirSync(join(dir, 'new'));
  expect(await lines.next()).toMatchObject({
    event: 'catalog_not_watched',
    fields: {
      message: 'New folders are not noticed until something changes in an existing one.',
      err: { code: 'ENOSPC' },
    },
  });
});
