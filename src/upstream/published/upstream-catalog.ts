/**
 * The catalog of each environment: that of the program, the connectors added while it runs, and the approved tools
 * of remote MCP servers.
 *
 * It is read again if the environment's version in the database has changed, which is checked every few seconds.
 * Between two checks everything is in memory.
 */
import { catalogOf } from '../../catalog/model/compiled.ts';
import type { CatalogOfEnvironments } from '../../catalog/model/environment-catalog.ts';
import type { Catalog, Connector, Tool } from '../../catalog/model/types.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { upstreamVersions, type UpstreamTool } from '../../store/upstreams/upstream-store.ts';
import { effectNow, strictestEffect } from '../definitions/effects.ts';
import type { ListedTool } from '../../store/tables/upstream-tool-tables.ts';
import { pinnedTool } from '../definitions/pins.ts';
import { obstacleOf, upstreamTool, type Approved } from './upstream-tool.ts';

interface View {
  version: number;
  /** The catalog of the program, from which this one was made. `--watch` may replace it. */
  base: Catalog['tools'];
  catalog: Catalog;
  added: Additions;
}

/** Additions of an environment to the catalog of the program. */
interface Additions {
  connectors: readonly Connector[];
  rows: readonly UpstreamTool[];
  /** Connection id -> connector. */
  connectorNames: ReadonlyMap<string, string>;
}

interface UpstreamCatalogDeps {
  db: Database;
  base: Catalog;
  log: Log;
  /** Reads a stored connector; throws if the program no longer understands it. */
  connectorOf: (definition: Record<string, unknown>) => Promise<Connector>;
}

export class UpstreamCatalog implements CatalogOfEnvironments {
  readonly #deps: UpstreamCatalogDeps;
  readonly #views = new Map<string, View>();
  #reading: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(deps: UpstreamCatalogDeps) {
    this.#deps = deps;
  }

  get connectors(): Catalog['connectors'] {
    return this.#deps.base.connectors;
  }

  get tools(): Catalog['tools'] {
    return this.#deps.base.tools;
  }

  in(environmentId: string): Catalog {
    const view = this.#views.get(environmentId);
    if (view === undefined) return this.#deps.base;
    if (view.base !== this.#deps.base.tools) this.#show(environmentId, view.version, view.added);
    return this.#views.get(environmentId)?.catalog ?? this.#deps.base;
  }

  /**
   * Reads what has changed. Readings run one after the other, so that each sees what its caller has committed.
   * Callers that wait while one is running share the next.
   */
  async refresh(): Promise<void> {
    this.#next ??= this.#reading
      .catch(() => {})
      .then(async () => {
        this.#next = undefined;
        return (this.#reading = this.#refresh());
      });
    return this.#next;
  }

  async #refresh(): Promise<void> {
    const versions = await upstreamVersions(this.#deps.db.read);
    const changed = [...versions].filter(([id, version]) => this.#views.get(id)?.version !== version);
    for (const [environmentId, version] of changed) {
      try {
        this.#show(environmentId, version, await this.#read(environmentId));
      } catch (err) {
        // The other environments, and a start, continue. The next check tries it again.
        this.#deps.log.error('upstream_catalog_failed', { environment_id: environmentId, err });
      }
    }
  }

  async #read(environmentId: string): Promise<Additions> {
    const { db, log, connectorOf } = this.#deps;
    const [upstreams, tools, connections] = await Promise.all([
      rows(db.read, 'upstreams').list(environmentId, { orderBy: ['name'] }),
      rows(db.read, 'upstream_tools').list(environmentId, { orderBy: ['connection_id', 'tool', 'hash'] }),
      rows(db.read, 'connections').list(environmentId),
    ]);
    const connectors: Connector[] = [];
    for (const { name, definition } of upstreams) {
      if (this.#deps.base.connectors.has(name)) {
        log.warn('upstream_hidden', { connector: name, environment_id: environmentId });
        continue;
      }
      try {
        connectors.push(await connectorOf(definition));
      } catch (err) {
        // The other connectors stay. A newer program may refuse one that an older program accepted.
        log.error('upstream_unreadable', { connector: name, environment_id: environmentId, err });
      }
    }
    const connectorNames = new Map(connections.map(({ id, connector }) => [id, connector]));
    return { connectors, rows: tools, connectorNames };
  }

  #show(environmentId: string, version: number, added: Additions): void {
    const { base, log } = this.#deps;
    const connectors = new Map([
      ...base.connectors,
      ...added.connectors.map((each) => [each.name, each] as const),
    ]);
    const failed = (fields: { connector: string; tool_name: string; err: unknown }): void =>
      log.error('upstream_catalog_failed', { environment_id: environmentId, ...fields });
    const tools = [...publishedOf(added, connectors, failed)].filter(({ name }) => !base.tools.has(name));
    const catalog = catalogOf(connectors.values(), [...base.tools.values(), ...tools]);
    this.#views.set(environmentId, { version, base: base.tools, catalog, added });
  }
}

/**
 * The tools of approved rows, by name. If two connections of a connector have a tool of one name, the first is
 * used.
 *
 * @param failed called with each tool that cannot be shown, and is left out
 */
function publishedOf(
  { rows: all, connectorNames }: Additions,
  connectors: Catalog['connectors'],
  failed: (fields: { connector: string; tool_name: string; err: unknown }) => void,
): Iterable<Tool> {
  const tools = new Map<string, Tool>();
  const byTool = Map.groupBy(all, ({ connection_id, tool }) => `${connection_id}\n${tool}`);
  for (const forms of byTool.values()) {
    const connector = connectors.get(connectorNames.get(forms[0]?.connection_id ?? '') ?? '');
    if (connector?.mcp === undefined || !isTaken(connector, forms[0]?.tool ?? '')) continue;
    try {
      const shown = shownOf(forms, connector);
      if (shown !== undefined && !tools.has(shown.name)) tools.set(shown.name, shown);
    } catch (err) {
      failed({ connector: connector.name, tool_name: forms[0]?.tool ?? '', err });
    }
  }
  return tools.values();
}

/** The form of a tool that is shown to accounts without a list of their own: the newest approved one. */
function shownOf(forms: readonly UpstreamTool[], connector: Connector): Tool | undefined {
  const unseen = forms
    .filter(({ state }) => state === 'held')
    .map(({ definition }) => definition.annotations);
  const approved = forms
    .filter(({ state }) => state === 'approved' || state === 'gone')
    .toSorted((a, b) => (b.decided_at ?? 0) - (a.decided_at ?? 0) || (a.hash < b.hash ? -1 : 1))
    .flatMap((row) => {
      const whole = approvedOf(row, unseen, connector);
      return whole === undefined ? [] : [{ row, whole }];
    });
  // Whether a call is allowed is decided by the shown form, but another form may run. So all forms that are offered
  // get the strictest effect. A form that is gone may have a stricter one; it does not run before it is offered
  // again.
  const offered = approved.filter(({ row }) => row.state === 'approved');
  const effect = strictestEffect(offered.map(({ whole }) => whole.effect));
  const variants = new Map<string, Tool>();
  const made = approved.map(
    ({ row, whole }) =>
      [
        row,
        upstreamTool({ ...whole, effect: strictestEffect([effect, whole.effect]) }, connector, variants),
      ] as const,
  );
  for (const [row, tool] of made) variants.set(row.hash, tool);
  return made.find(([{ state }]) => state === 'approved')?.[1];
}

function approvedOf(
  { definition, hash, name, effect }: UpstreamTool,
  unseen: readonly ListedTool['annotations'][],
  { tools, mcp }: Connector,
): Approved | undefined {
  if (name === null || effect === null) return undefined;
  // Rows of earlier versions contain values of the first account.
  const listed = pinnedTool(definition, mcp?.pin);
  // A newer version may have other limits than the one with which the form was approved.
  if (obstacleOf(listed, name) !== undefined) return undefined;
  const written = tools?.override[listed.name]?.effect;
  return {
    definition: listed,
    hash,
    name: tools?.override[listed.name]?.name ?? name,
    effect: effectNow(written ?? effect, listed.annotations, unseen),
  };
}

/**
 * Longest name that is matched. A longer one cannot be made one of ours, and patterns are slow on very long texts.
 */
const MAX_NAME = 128;

/** Whether a connector includes a tool of its server. `exclude` takes precedence. */
export function isTaken({ tools }: Connector, original: string): boolean {
  if (original.length > MAX_NAME) return false;
  const matches = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => patternOf(pattern).test(original));
  return (tools?.include === undefined || matches(tools.include)) && !matches(tools?.exclude ?? []);
}

/** A pattern in which `*` stands for any characters. */
function patternOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/[^*\w]/g, String.raw`\$&`).replaceAll('*', '.*')}$`, 's');
}
