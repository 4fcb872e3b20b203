/**
 * MCP clients that `gatehouse init --client` knows: the file that holds their servers, and its format.
 *
 * docs/decisions/0031-clients.md names the source of each fact. Reading and writing files is done elsewhere.
 */
import { join } from 'node:path';
import type { Terminal } from '../terminal/terminal.ts';

/** The name of our entry in every file. */
export const SERVER_NAME = 'gatehouse';

/** The entry with which a client starts a server over stdio. `type` is for clients whose format requires it. */
export interface ServerEntry {
  type?: 'stdio';
  command: string;
  args: string[];
}

/** An MCP client on this machine. */
export interface McpClient {
  title: string;
  /** Absolute path of its file for this user. */
  file: (place: Place) => string;
  /** JSON may have comments and trailing commas, and keeps them. */
  format: 'json' | 'toml';
  /** The member that holds an entry for each server. */
  section: string;
  /** Whether an entry names its transport. */
  isTyped: boolean;
  /** The next step of the user after the file was changed. */
  afterwards: string;
}

type Place = Pick<Terminal, 'env' | 'homeDir' | 'platform'>;

/** By the names of `--client`. */
export const CLIENTS: Readonly<Record<string, McpClient>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (place) => join(applicationData(place), 'Claude/claude_desktop_config.json'),
    format: 'json',
    section: 'mcpServers',
    isTyped: false,
    afterwards: 'Quit Claude Desktop completely and start it again.',
  },
  'claude-code': {
    title: 'Claude Code',
    file: ({ homeDir }) => join(homeDir, '.claude.json'),
    format: 'json',
    section: 'mcpServers',
    isTyped: true,
    afterwards: 'Start a new session; /mcp shows the server.',
  },
  cursor: {
    title: 'Cursor',
    file: ({ homeDir }) => join(homeDir, '.cursor/mcp.json'),
    format: 'json',
    section: 'mcpServers',
    isTyped: false,
    afterwards: 'Cursor reads the file again by itself; its settings show the server under MCP.',
  },
  vscode: {
    title: 'VS Code',
    file: (place) => join(applicationData(place), 'Code/User/mcp.json'),
    format: 'json',
    section: 'servers',
    isTyped: true,
    afterwards: 'Run "MCP: List Servers" from the command palette to start it.',
  },
  codex: {
    title: 'Codex',
    file: ({ env, homeDir }) => join(env['CODEX_HOME'] || join(homeDir, '.codex'), 'config.toml'),
    format: 'toml',
    section: 'mcp_servers',
    isTyped: false,
    afterwards: 'Start a new session; /mcp shows the server.',
  },
  zed: {
    title: 'Zed',
    file: (place) =>
      join(
        place.platform === 'linux' ? configHome(place) : join(place.homeDir, '.config'),
        'zed/settings.json',
      ),
    format: 'json',
    section: 'context_servers',
    isTyped: false,
    afterwards: 'Zed reads the file again by itself; the settings of the agent panel show the server.',
  },
  inspector: {
    title: 'MCP Inspector',
    file: ({ env, homeDir }) => env['MCP_CATALOG_PATH'] || join(homeDir, '.mcp-inspector/mcp.json'),
    format: 'json',
    section: 'mcpServers',
    isTyped: true,
    afterwards: `Its command line then takes --server ${SERVER_NAME}.`,
  },
};

/** The entry of a client that starts `gatehouse mcp` with these settings. */
export function serverEntry(
  client: McpClient,
  { nodePath, programPath }: Pick<Terminal, 'nodePath' | 'programPath'>,
  settingsFile: string,
): ServerEntry {
  return {
    ...(client.isTyped && { type: 'stdio' }),
    command: nodePath,
    args: [programPath, 'mcp', '--config', settingsFile],
  };
}

function applicationData(place: Place): string {
  return place.platform === 'darwin' ? join(place.homeDir, 'Library/Application Support') : configHome(place);
}

/** The XDG base directory for settings. */
function configHome({ env, homeDir }: Place): string {
  return env['XDG_CONFIG_HOME'] || join(homeDir, '.config');
}
