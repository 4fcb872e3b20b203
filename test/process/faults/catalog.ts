/** A connector of the tests for each way to reach a provider, with a tool of every effect. */

/** The tool of a connector for each effect. */
export const TOOLS = { read: 'list', create: 'add', update: 'set', delete: 'drop' } as const;

export type ToolEffect = keyof typeof TOOLS;

/** Of every account made by the tests here. */
export const API_KEY = 'sk_live_0123456789abcdef';

const METHODS: Readonly<Record<ToolEffect, string>> = {
  read: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
};

/** Files of a catalog. The one parameter of every tool, `fault`, goes to the provider as part of the path. */
export function faultCatalog(connectors: Readonly<Record<string, string>>): Record<string, string> {
  const files = Object.entries(connectors).flatMap(([name, url]) => [
    [`${name}/connector.yaml`, connectorFile(name, url)],
    [`${name}/all.yaml`, toolFile(name)],
  ]);
  return Object.fromEntries(files) as Record<string, string>;
}

function connectorFile(name: string, url: string): string {
  return `name: ${name}
title: Tested
description: A provider of the tests.
hosts: [{url: '${url}'}]
auth:
  - type: API_KEY
    fields: [{name: api_key, label: Key, input: password}]
    attach: {in: header, name: x-api-key, field: api_key}
errors: {message: [error.message], code: [error.code]}
`;
}

function toolFile(connector: string): string {
  const tools = Object.entries(TOOLS).map(
    ([effect, name]) => `
  - name: ${connector}_${name}
    title: ${name}
    description: A tool of the tests that does what its name says.
    effect: ${effect}
    source: {url: 'https://docs.example', checked: '2026-11-20'}
    parameters:
      fault: {type: string, description: What goes wrong., required: true, to: path.fault}
    request: {method: ${METHODS[effect as ToolEffect]}, path: '/{fault}'}`,
  );
  return `connector: ${connector}\ntools:${tools.join('')}\n`;
}
