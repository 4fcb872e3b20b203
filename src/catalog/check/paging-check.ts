/**
 * Finds faults of the keys `paging` and `pending`, and of `from`: a hint for another call has to name a tool and
 * arguments that exist. Pure.
 */
import { unknownNames, type Fault } from './fault.ts';
import type { ToolEntry } from '../grammar/toolset-schema.ts';
import type { Tool } from '../model/types.ts';

/** Faults that one tool entry shows by itself. @returns faults with paths below the tool entry */
export function pagingFaults(tool: ToolEntry): Fault[] {
  const { paging } = tool;
  if (paging === undefined) return [];
  const faults = ['size', 'offset', 'cursor', 'number'].flatMap((key) => {
    const name = parameterNamed(paging, key);
    if (name === undefined) return [];
    const path = ['paging', key, ...(key === 'size' ? [] : ['parameter'])];
    // The page parameter of another tool belongs to that tool.
    if (paging.tool !== undefined && key !== 'size') return [];
    return [...unknownNames([name], tool, path), ...typeFaults(tool, name, key, path)];
  });
  if (paging.offset !== undefined && paging.tool !== undefined)
    faults.push({
      path: ['paging', 'tool'],
      message: 'has no effect together with offset: the tool itself goes on',
    });
  return faults;
}

function parameterNamed(paging: NonNullable<ToolEntry['paging']>, key: string): string | undefined {
  if (key === 'size') return paging.size;
  return { offset: paging.offset, cursor: paging.cursor, number: paging.number }[key]?.parameter;
}

function typeFaults(tool: ToolEntry, name: string, key: string, path: Fault['path']): Fault[] {
  const type = tool.parameters[name]?.type;
  const wanted = key === 'cursor' ? ['string'] : ['integer', 'number'];
  if (type === undefined || wanted.includes(type)) return [];
  return [
    { path, message: `names the parameter ${name}, which is no ${key === 'cursor' ? 'text' : 'number'}` },
  ];
}

/**
 * Faults that only the whole catalog shows: the other tool exists, belongs to the same connector and takes
 * the arguments.
 *
 * @returns faults with paths below the tool entry
 */
export function followFaults(tool: Tool, tools: ReadonlyMap<string, Tool>): Fault[] {
  const { paging, pending } = tool;
  const faults: Fault[] = [];
  if (paging?.tool !== undefined) {
    const { parameter } = paging.cursor ?? paging.number ?? {};
    const names = [...Object.keys(paging.arguments ?? {}), ...(parameter === undefined ? [] : [parameter])];
    faults.push(...callFaults('paging', paging.tool, names, tool, tools));
  }
  if (pending !== undefined)
    faults.push(...callFaults('pending', pending.tool, Object.keys(pending.arguments), tool, tools));
  return faults;
}

/** The tools that give the id of a parameter (`from`) exist. @returns faults with paths below the tool entry */
export function sourceFaults(tool: Tool, tools: ReadonlyMap<string, Tool>): Fault[] {
  return Object.entries(tool.parameters).flatMap(([parameter, { from = [] }]) =>
    [from]
      .flat()
      .filter((name) => !tools.has(name))
      .map((name) => ({
        path: ['parameters', parameter, 'from'],
        message: `names the tool ${name}, which does not exist`,
      })),
  );
}

function callFaults(
  key: string,
  name: string,
  names: readonly string[],
  tool: Tool,
  tools: ReadonlyMap<string, Tool>,
): Fault[] {
  const path = [key, 'tool'];
  const target = tools.get(name);
  if (target === undefined) return [{ path, message: `names the tool ${name}, which does not exist` }];
  if (target.connector !== tool.connector)
    return [{ path, message: `names the tool ${name}, which belongs to another connector` }];
  const unknown = names.filter((parameter) => !Object.hasOwn(target.parameters, parameter));
  const missing = Object.entries(target.parameters)
    .filter(([parameter, { required }]) => required && !names.includes(parameter))
    .map(([parameter]) => parameter);
  return [
    ...unknown.map((parameter) => ({
      path,
      message: `gives ${name} the argument ${parameter}, which it does not have`,
    })),
    ...missing.map((parameter) => ({
      path,
      message: `does not give ${name} its required argument ${parameter}`,
    })),
  ];
}
