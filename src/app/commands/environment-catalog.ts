/**
 * The catalog of an environment, for commands that do not open an installation: the files, and the additions in an
 * existing database. Creates and changes nothing.
 */
import { toConnectorView } from '../../catalog/model/connector-view.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import { silentLog } from '../../core/log.ts';
import type { Settings } from '../../settings/settings.ts';
import { loadInstalledCatalog } from '../services/installed-catalog.ts';
import { hasFile, isMissingTable, openAsItIs } from './existing-database.ts';

/**
 * @param environmentName one of the settings
 * @throws CatalogError with every problem of every file; DatabaseError if there is a database but it cannot be used
 */
export async function loadCatalog(
  { catalogDirs, databaseUrl }: Pick<Settings, 'catalogDirs' | 'databaseUrl'>,
  environmentName: string,
): Promise<Catalog> {
  const base = await loadInstalledCatalog(catalogDirs);
  if (!hasFile(databaseUrl)) return base;
  const [db, { storedConnector }, { UpstreamCatalog }, { EnvironmentStore }] = await Promise.all([
    openAsItIs(databaseUrl),
    import('../../upstream/build-upstreams.ts'),
    import('../../upstream/published/upstream-catalog.ts'),
    import('../../store/installation/environment-store.ts'),
  ]);
  try {
    const environments = await new EnvironmentStore(db.read).list();
    const id = environments.find(({ name }) => name === environmentName)?.id;
    if (id === undefined) return base;
    const catalog = new UpstreamCatalog({ db, base, log: silentLog, connectorOf: storedConnector });
    await catalog.refresh();
    return catalog.in(id);
  } catch (error) {
    // A database of an earlier version, or one without tables.
    if (isMissingTable(error)) return base;
    throw error;
  } finally {
    await db.close();
  }
}

/** The connectors of this catalog, in the form for output. @throws as `loadCatalog` */
export async function loadConnectors(...of: Parameters<typeof loadCatalog>) {
  const catalog = await loadCatalog(...of);
  return [...catalog.connectors.values()].map((connector) => toConnectorView(catalog, connector));
}
