/**
 * Checks the declarations of gatehouse.yaml and reports each fault at the line that has to change
 * (docs/contract.md#what-the-file-declares).
 *
 * The rules are those of the services that the declarations are for; this file only adds the places.
 */
import { connectionViolations } from '../../connections/connection-rules.ts';
import type { Connections } from '../../connections/connections.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import {
  SettingsError,
  type EnvironmentSettings,
  type Settings,
  type SettingsProblem,
} from '../../settings/settings.ts';
import type { Environments } from '../../core/environment.ts';
import { ServiceError, type FieldViolation } from '../../core/errors.ts';
import { interceptorViolations } from '../../interceptors/interceptor-rules.ts';
import type { Interceptors } from '../../interceptors/interceptors.ts';
import { webhookViolations } from '../../webhooks/webhook-rules.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { selectTools } from '../../mcp/selection.ts';
import { loadInstalledCatalog } from './installed-catalog.ts';
import { outboundProblems, reachableUnder } from './lazy-outbound.ts';

type Path = Parameters<Settings['problemAt']>[0];

/**
 * Checks everything that needs no database: declared connections, interceptors and webhooks of all environments, tools
 * to publish, outbound settings.
 *
 * @throws SettingsError with every problem
 */
export function requireDeclarable(settings: Settings, catalog: Catalog): void {
  const problems = declaredProblems(settings, { catalog, isWhole: true });
  if (problems.length > 0) throw new SettingsError(problems);
}

/** Adds to an error of the settings the problems that only the catalog reveals, as far as the rest can be read. */
export async function withDeclaredProblems(error: SettingsError): Promise<SettingsError> {
  const { readable, problems } = error;
  if (readable === undefined) return error;
  const further = declaredProblems(readable, await catalogOf(readable));
  const isNew = ({ source, key }: SettingsProblem): boolean =>
    !problems.some((known) => known.source === source && known.key === key);
  return new SettingsError([...problems, ...further.filter(isNew)]);
}

/** Updates the database to match the settings. @throws SettingsError with every conflict with the stored data */
export async function applyDeclared(
  settings: Settings,
  services: {
    environments: Environments;
    connections: Connections;
    webhooks: Webhooks;
    interceptors: Interceptors;
  },
): Promise<void> {
  const { connections, webhooks, interceptors } = services;
  const problems: SettingsProblem[] = [];
  for (const environment of settings.environments) {
    const { id } = services.environments.byName(environment.name);
    const collect = async (work: Promise<void>): Promise<void> =>
      work.catch((error: unknown) => {
        problems.push(...placed(settings, environment, error));
      });
    await collect(connections.synchronize(id, environment.connections));
    await collect(webhooks.synchronize(id, environment.webhooks));
    await collect(interceptors.synchronize(id, environment.interceptors));
  }
  if (problems.length > 0) throw new SettingsError(problems);
}

/** Runs work on the settings of an environment. @throws SettingsError if it refuses some of them */
export async function placing<T>(
  settings: Settings,
  environment: EnvironmentSettings,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new SettingsError(placed(settings, environment, error));
  }
}

/** The violations of an error, at their places in the settings. @throws the error if it names no fields */
function placed(settings: Settings, environment: EnvironmentSettings, error: unknown): SettingsProblem[] {
  return problemsIn(settings, placeOf(settings, environment), violationsOf(error));
}

/** The catalog to check against. Unless it is whole, unknown names may come from unreadable files. */
interface KnownCatalog {
  catalog: Catalog;
  isWhole: boolean;
}

function declaredProblems(settings: Settings, { catalog, isWhole }: KnownCatalog): SettingsProblem[] {
  const isReachable = isRead(settings, ['outbound', 'allow_private_hosts'])
    ? reachableUnder(settings.outbound)
    : () => true;
  const ofEnvironments = settings.environments.flatMap((environment) => {
    const { connections, interceptors, webhooks } = environment;
    const inList = (list: string, index: number, violations: readonly FieldViolation[]): SettingsProblem[] =>
      problemsIn(settings, [...placeOf(settings, environment), list, index], violations);
    return [
      ...connections.flatMap((entry, i) =>
        isWhole || catalog.connectors.has(entry.connector)
          ? inList('connections', i, connectionViolations({ catalog, isReachable }, entry, entry.connector))
          : [],
      ),
      ...interceptors.flatMap((entry, i) =>
        inList('interceptors', i, interceptorViolations(entry, isReachable)),
      ),
      ...webhooks.flatMap((entry, i) => inList('webhooks', i, webhookViolations(entry, isReachable))),
    ];
  });
  return [
    ...ofEnvironments,
    ...problemsIn(settings, ['mcp'], isWhole ? selectionViolations(settings, catalog) : []),
    ...outboundProblems(settings.outbound).flatMap(
      ({ path, message }) => settings.problemAt(path, message) ?? [],
    ),
  ];
}

/** Whether a setting could be read completely. */
function isRead(settings: Settings, path: Path): boolean {
  return settings.problemAt(path, '', [path]) !== undefined;
}

function selectionViolations({ mcp }: Settings, { tools }: Catalog): readonly FieldViolation[] {
  try {
    selectTools([...tools.values()], mcp, mcp.ownTools ? {} : { own: [] });
    return [];
  } catch (error) {
    return violationsOf(error);
  }
}

/** The shipped catalog alone, if the operator's files have mistakes. */
async function catalogOf(settings: Settings): Promise<KnownCatalog> {
  const { catalogDirs } = settings;
  try {
    return {
      catalog: await loadInstalledCatalog(catalogDirs),
      isWhole: isRead(settings, ['catalog_dirs']),
    };
  } catch (error) {
    // Loaded here instead of above: a start with the compiled catalog reads no files.
    const { CatalogError } = await import('../../catalog/load/load.ts');
    if (!(error instanceof CatalogError) || catalogDirs.length === 0) throw error;
    return { catalog: await loadInstalledCatalog([]), isWhole: false };
  }
}

/** The fields that an error names. @throws the error if it names none */
function violationsOf(error: unknown): readonly FieldViolation[] {
  if (!(error instanceof ServiceError) || error.violations.length === 0) throw error;
  return error.violations;
}

function problemsIn(settings: Settings, at: Path, violations: readonly FieldViolation[]): SettingsProblem[] {
  return violations.flatMap(
    ({ field, description }) => settings.problemAt([...at, ...pathOf(field)], description) ?? [],
  );
}

/** The first environment is at the top level of the file. */
function placeOf({ environments }: Settings, environment: EnvironmentSettings): Path {
  const index = environments.indexOf(environment);
  return index === 0 ? [] : ['environments', index - 1];
}

/** Turns `connections[0].scopes.2` into a path. */
function pathOf(field: string): Path {
  return field
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
