/**
 * `serve --watch`: reads the folders of `catalog_dirs` again after a change. A catalog without mistakes replaces the
 * one in use. A broken one is reported with every file and line, and changes nothing.
 */
import { CatalogError, type CatalogProblem } from '../../catalog/load/load.ts';
import { catalogChange } from '../../catalog/model/catalog-change.ts';
import type { LiveCatalog } from '../../catalog/model/live-catalog.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { FolderWatch } from './folder-watch.ts';

/** The folders to watch, and the function that takes the new catalog. */
export interface WatchedCatalog {
  dirs: readonly string[];
  live: LiveCatalog;
  log: Log;
  /** @throws CatalogError with every problem of every file */
  load: () => Promise<Catalog>;
  /** Replaces the catalog in use. @throws ServiceError if the settings name tools it lacks; nothing changes then */
  replace: (next: Catalog) => Promise<void>;
}

/** @returns a function that ends the watch */
export function watchCatalog({ dirs, live, log, load, replace }: WatchedCatalog): () => Promise<void> {
  let wasBroken = false;
  const reload = async (): Promise<void> => {
    try {
      const next = await load();
      const change = catalogChange(live, next);
      if (change !== undefined) await replace(next);
      if (change !== undefined || wasBroken)
        log.info('catalog_reloaded', {
          count: next.tools.size,
          message: change ?? 'The files are valid again; nothing changed.',
        });
      wasBroken = false;
    } catch (error) {
      wasBroken = true;
      report(log, error);
    }
  };
  const watch = new FolderWatch(dirs, reload, (err) =>
    log.error('catalog_not_watched', {
      message: 'New folders are not noticed until something changes in an existing one.',
      err,
    }),
  );
  for (const path of dirs) log.info('catalog_watched', { path });
  return async () => watch.close();
}

/** Logs one line per problem, and one with the consequence. */
function report(log: Log, error: unknown): void {
  const problems: readonly CatalogProblem[] = error instanceof CatalogError ? error.problems : [];
  for (const { file, line, message } of problems)
    log.error('catalog_problem', { path: `${file}:${line}`, message });
  const isExpected = error instanceof CatalogError || error instanceof ServiceError;
  log.error('catalog_not_reloaded', {
    count: problems.length,
    message: [...reasons(error), 'The previous catalog stays in use until the files are valid.'].join(' '),
    ...(!isExpected && { err: error }),
  });
}

/** Reasons that belong to no line of a file. */
function reasons(error: unknown): readonly string[] {
  if (error instanceof CatalogError) return [];
  if (!(error instanceof ServiceError)) return ['It could not be loaded.'];
  const { violations } = error;
  if (violations.length === 0) return [error.message];
  return ['The settings do not fit it.', ...violations.map((v) => `${v.field}: ${v.description}`)];
}
