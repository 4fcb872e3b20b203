/** A connector as the REST API and the command line show it (docs/contract.md#bodies). */
import type { Catalog, Connector } from './types.ts';

/** @returns the connector with its ways to connect, its toolsets and its base addresses */
export function toConnectorView(catalog: Catalog, { name, title, description, auth, hosts }: Connector) {
  const tools = [...catalog.tools.values()].filter((tool) => tool.connector === name);
  return {
    name,
    title,
    description,
    authorization_types: auth.map(({ type, fields, scopes = {} }) => ({
      type,
      fields: fields.map(({ choices, ...field }) => ({
        ...field,
        ...(choices && { choices: [...choices] }),
      })),
      scopes: Object.entries(scopes).map(([scope, meaning]) => ({ name: scope, meaning })),
    })),
    toolsets: [...new Set(tools.map(({ toolset }) => toolset))],
    hosts: hosts.map(({ url }) => url),
  };
}
