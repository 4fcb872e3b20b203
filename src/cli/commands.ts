/** The commands by name: what each does in one line, and where its code is. Loads none of it. */
import type { Command } from 'commander';
import type { Terminal } from './terminal/terminal.ts';

interface CommandEntry {
  summary: string;
  load: () => Promise<{ createCommand: (terminal: Terminal) => Command }>;
}

/** In the order of `gatehouse --help`. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'serve REST, MCP over HTTP and the connect pages',
    load: async () => import('./commands/serve.ts'),
  },
  mcp: {
    summary: 'serve MCP over stdio, for desktop clients',
    load: async () => import('./commands/mcp.ts'),
  },
  demo: {
    summary: 'watch the whole job against built-in stand-in providers',
    load: async () => import('./commands/demo.ts'),
  },
  init: {
    summary: 'write gatehouse.yaml and keys, and show how clients connect',
    load: async () => import('./commands/init.ts'),
  },
  connect: {
    summary: 'connect an account from this terminal',
    load: async () => import('./commands/connect.ts'),
  },
  tools: { summary: 'list, show and call tools', load: async () => import('./commands/tools.ts') },
  accounts: {
    summary: 'list, show, create, update, disconnect and delete connected accounts',
    load: async () => import('./commands/accounts.ts'),
  },
  connections: {
    summary: 'list, show, create, update and delete connections to connectors',
    load: async () => import('./commands/connections.ts'),
  },
  credentials: {
    summary: 'list, show, create, rotate and delete API credentials',
    load: async () => import('./commands/credentials.ts'),
  },
  users: {
    summary: 'list, show, create, update and delete the people who sign in here',
    load: async () => import('./commands/users.ts'),
  },
  'mcp-servers': {
    summary: 'list, show, create, update and delete MCP servers that publish a selection of tools',
    load: async () => import('./commands/mcp-servers.ts'),
  },
  interceptors: {
    summary: 'list, show, create, update, enable, disable, delete and test interceptors, and show their logs',
    load: async () => import('./commands/interceptors.ts'),
  },
  audit: {
    summary: 'show and export who did what',
    load: async () => import('./commands/audit.ts'),
  },
  catalog: {
    summary: 'check catalog files, and write first ones from OpenAPI descriptions',
    load: async () => import('./commands/catalog.ts'),
  },
  keys: {
    summary: 'rotate and verify the master keys',
    load: async () => import('./commands/keys.ts'),
  },
  backup: {
    summary: 'copy the database while it is in use',
    load: async () => import('./commands/backup.ts'),
  },
  restore: {
    summary: 'put a backup in the place of the database',
    load: async () => import('./commands/restore.ts'),
  },
  doctor: {
    summary: 'check settings, key, database, catalog and connections',
    load: async () => import('./commands/doctor.ts'),
  },
};
