/** Settings to paste into MCP clients so that they use an address. Pure. */
import { servers as words } from '../../words/servers.ts';

/** The settings for one client. */
export interface Snippet {
  label: string;
  code: string;
}

/** @param name of the server, which clients show; it needs no quotes in a shell */
export function snippetsOf(name: string, url: string): Snippet[] {
  const { claude, cursor, code } = words.one;
  const shown = (value: unknown): string => JSON.stringify(value, null, 2);
  return [
    { label: claude, code: `claude mcp add --transport http ${name} ${url}` },
    { label: cursor, code: shown({ mcpServers: { [name]: { url } } }) },
    { label: code, code: shown({ servers: { [name]: { type: 'http', url } } }) },
  ];
}
