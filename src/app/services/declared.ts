/**
 * What gatehouse.yaml declares and what of it cannot be: each fault at the line that has to change
 * (docs/contract.md#what-the-file-declares).
 *
 * The rules are those of the services that the declarations are for; here they only get their places.
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
 * Everything wrong that needs no database: declared connections, interceptors and webhooks of all environments, tools to
 * publish, outbound settings.
 *
 * @throws SettingsError with every problem
 */
export function requireDeclarable(settings: Settings, catalog: Catalog): void {
  const problems = declaredProblems(settings, { catalog, isWhole: true });
  if (problems.length > 0) throw new SettingsError(problems);
}

/** An error of the settings with the problems that only a look at the catalog shows, as far as the rest can be read. */
export async function withDeclaredProblems(error: SettingsError): Promise<SettingsError> {
  const { readable, problems } = error;
  if (readable === undefined) return error;
  const further = declaredProblems(readable, await catalogOf(readable));
  const isNew = ({ source, key }: SettingsProblem): boolean =>
    !problems.some((known) => known.source === source && known.key === key);
  return new SettingsError([...problems, ...further.filter(isNew)]);
}

/** Brings the database to what the settings declare. @throws SettingsError with everything that does not fit what is stored */
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

/** Does something with the settings of an environment. @throws SettingsError where it refuses some of them */
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

/** What a refusal says of fields of an environment, at their places. @throws the error where it names no fields */
function placed(settings: Settings, environment: EnvironmentSettings, error: unknown): SettingsProblem[] {
  return problemsIn(settings, placeOf(settings, environment), violationsOf(error));
}

/** A catalog to judge by. What it does not have may be in files that cannot be read, unless it is whole. */
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

/** Whether all of a setting could be read. */
function isRead(settings: Settings, path: Path): boolean {
  return settings.problemAt(path, '', [path]) !== undefined;
}

function selectionViolations({ mcp }: Settings, { tools }: Catalog): readonly FieldViolation[] {
  try {
    selectTools([...tools.values()], mcp);
    return [];
  } catch (error) {
    return violationsOf(error);
  }
}

/** The shipped one alone, where files of the operator's have mistakes of their own. */
async function catalogOf(settings: Settings): Promise<KnownCatalog> {
  const { catalogDirs } = settings;
  try {
    return {
      catalog: await loadInstalledCatalog(catalogDirs),
      isWhole: isRead(settings, ['catalog_dirs']),
    };
  } catch (error) {
    // Loaded here, not above: a start with the compiled catalog reads no files.
    const { CatalogError } = await import('../../catalog/load/load.ts');
    if (!(error instanceof CatalogError) || catalogDirs.length === 0) throw error;
    return { catalog: await loadInstalledCatalog([]), isWhole: false };
  }
}

/** The fields that a refusal names. @throws the error where it names none */
function violationsOf(error: unknown): readonly FieldViolation[] {
  if (!(error instanceof ServiceError) || error.violations.length === 0) throw error;
  return error.violations;
}

function problemsIn(settings: Settings, at: Path, violations: readonly FieldViolation[]): SettingsProblem[] {
  return violations.flatMap(
    ({ field, description }) => settings.problemAt([...at, ...pathOf(field)], description) ?? [],
  );
}

/** The first environment is the top of the file. */
function placeOf({ environments }: Settings, environment: EnvironmentSettings): Path {
  const index = environments.indexOf(environment);
  return index === 0 ? [] : ['environments', index - 1];
}

/** `connections[0].scopes.2` as a path. */
function pathOf(field: string): Path {
  return field
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
