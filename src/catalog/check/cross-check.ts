/**
 * Finds faults that the shape of one tool entry cannot show: names that refer to nothing, values without a
 * place, contradicting limits, defaults that break a rule. Pure; reports everything, in the order of the
 * file.
 */
import { choiceNames, ruleNames, toldBy } from '../model/constraints.ts';
import { unknownNames, type Fault } from './fault.ts';
import type { ToolEntry } from '../grammar/toolset-schema.ts';
import { pagingFaults } from './paging-check.ts';
import { parameterFaults } from './parameter-check.ts';
import { toolResultFaults } from './result-check.ts';
import { requestFaults } from './request-check.ts';
import type { Connector, Constraint } from '../model/types.ts';

/**
 * @param connector undefined if its own file is missing or broken; then rules that depend on it are not
 * checked
 * @param handlers names of the existing handlers; if undefined, handler names are not checked
 */
export function toolFaults(
  tool: ToolEntry,
  connector: Connector | undefined,
  handlers: ReadonlySet<string> | undefined,
): Fault[] {
  return [
    ...Object.entries(tool.parameters).flatMap(([name, entry]) => parameterFaults(name, entry, tool)),
    ...constraintFaults(tool),
    ...requestFaults(tool, connector),
    ...pagingFaults(tool),
    ...toolResultFaults(tool),
    ...(connector === undefined ? [] : connectorFaults(tool, connector)),
    ...handlerFaults(tool, handlers),
    ...textFaults(tool),
  ];
}

function constraintFaults(tool: ToolEntry): Fault[] {
  return tool.constraints.flatMap((entry, i) => {
    const rule = entry as Constraint;
    const path = ['constraints', i];
    const names = [...ruleNames(rule), toldBy(rule)].filter((name) => name !== undefined);
    return [...unknownNames(names, tool, path), ...defaultFaults(rule, tool, path)];
  });
}

/** A default would break a rule that the caller's own choice has to satisfy. */
function defaultFaults(rule: Constraint, tool: ToolEntry, path: Fault['path']): Fault[] {
  if ('when' in rule) return [];
  return choiceNames(rule)
    .filter((name) => Object.hasOwn(tool.parameters, name) && tool.parameters[name]?.default !== undefined)
    .map((name) => ({
      path,
      message: `names the parameter ${name}, whose default would break the rule: remove the default`,
    }));
}

function connectorFaults(tool: ToolEntry, connector: Connector): Fault[] {
  const faults: Fault[] = [];
  const prefix = `${connector.name}_`;
  if (connector.mcp !== undefined)
    faults.push({
      path: ['name'],
      message: `is a tool of ${connector.name}, whose tools its MCP server lists: remove it`,
    });
  if (!tool.name.startsWith(prefix)) faults.push({ path: ['name'], message: `must start with ${prefix}` });
  for (const [i, alias] of (tool.aliases ?? []).entries())
    if (!alias.startsWith(prefix))
      faults.push({ path: ['aliases', i], message: `must start with ${prefix}` });
  const declared = new Set(connector.auth.flatMap((auth) => Object.keys(auth.scopes ?? {})));
  const groups = [
    { path: ['scopes'], scopes: tool.scopes },
    ...Object.entries(tool.parameters).map(([name, { scopes = [] }]) => ({
      path: ['parameters', name, 'scopes'],
      scopes,
    })),
  ];
  for (const { path, scopes } of groups)
    for (const [i, alternatives] of scopes.entries())
      for (const scope of [alternatives].flat())
        if (!declared.has(scope))
          faults.push({
            path: [...path, i],
            message: `names the scope ${scope}, which no auth block of ${connector.name} declares`,
          });
  if (tool.limit !== undefined && !Object.hasOwn(connector.limits ?? {}, tool.limit))
    faults.push({
      path: ['limit'],
      message: `names the group ${tool.limit}, which the limits of ${connector.name} do not have`,
    });
  return faults;
}

function handlerFaults(tool: ToolEntry, handlers: ReadonlySet<string> | undefined): Fault[] {
  if (tool.handler === undefined) return [];
  const faults: Fault[] = [];
  if (handlers !== undefined && !handlers.has(tool.handler))
    faults.push({
      path: ['handler'],
      message: `names ${tool.handler}, which does not exist. Handlers are part of the program; a catalog of your own describes a request`,
    });
  for (const key of ['pick', 'empty', 'as'] as const)
    if (tool.response[key] !== undefined)
      faults.push({ path: ['response', key], message: 'has no effect: the handler makes the result' });
  return faults;
}

/** Text has no members, so keys that select one would find nothing. */
function textFaults(tool: ToolEntry): Fault[] {
  if (tool.response.as !== 'text') return [];
  const paths = [
    ...(['pick', 'empty'] as const)
      .filter((key) => tool.response[key] !== undefined)
      .map((key) => ['response', key]),
    ...(['paging', 'pending'] as const).filter((key) => tool[key] !== undefined).map((key) => [key]),
  ];
  return paths.map((path) => ({ path, message: 'has no effect: the result is text' }));
}
