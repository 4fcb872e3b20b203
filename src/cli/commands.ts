/** The table of commands: their names, summaries and modules. It loads no module itself. */
import type { CommandBuilder } from './terminal/command.ts';

interface CommandEntry {
  summary: string;
  load: () => Promise<CommandBuilder>;
}

/** In the order of `gatehouse --help`. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'serve REST, MCP over HTTP and the connect pages',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  mcp: {
    summary: 'serve MCP over stdio, for desktop clients',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  demo: {
    summary: 'watch the whole job against built-in stand-in providers',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  sandbox: {
    summary: 'serve the stand-in providers for a Gatehouse of your own',
    load: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  },
  eval: {
    summary: 'measure how well a model works with the tools, against the stand-ins',
    load: async () => (await import('./commands/eval.ts')).evalCommand,
  },
  init: {
    summary: 'write gatehouse.yaml and keys, and show how clients connect',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  connect: {
    summary: 'connect an account from this terminal',
    load: async () => (await import('./commands/connect.ts')).connectCommand,
  },
  tools: {
    summary: 'list, show and call tools',
    load: async () => (await import('./commands/tools.ts')).toolsCommand,
  },
  accounts: {
    summary: 'list, show, create, update, disconnect and delete connected accounts',
    load: async () => (await import('./commands/accounts.ts')).accountsCommand,
  },
  connectors: {
    summary: 'list and show the providers that the catalog knows',
    load: async () => (await import('./commands/connectors.ts')).connectorsCommand,
  },
  connections: {
    summary: 'list, show, create, update and delete connections to connectors',
    load: async () => (await import('./commands/connections.ts')).connectionsCommand,
  },
  upstreams: {
    summary: 'add remote MCP servers, and approve their tools and changes',
    load: async () => (await import('./commands/upstreams/upstreams.ts')).upstreamsCommand,
  },
  credentials: {
    summary: 'list, show, create, rotate and delete API credentials',
    load: async () => (await import('./commands/credentials.ts')).credentialsCommand,
  },
  token: {
    summary: 'print an access token for the REST API and MCP',
    load: async () => (await import('./commands/token.ts')).tokenCommand,
  },
  users: {
    summary: 'list, show, create, update and delete the people who sign in here',
    load: async () => (await import('./commands/people/users.ts')).usersCommand,
  },
  organizations: {
    summary: 'manage organizations, their members and their invitations',
    load: async () => (await import('./commands/people/organizations.ts')).organizationsCommand,
  },
  sessions: {
    summary: 'list, show and end sessions of people',
    load: async () => (await import('./commands/people/sessions.ts')).sessionsCommand,
  },
  'mcp-servers': {
    summary: 'list, show, create, update and delete MCP servers that publish a selection of tools',
    load: async () => (await import('./commands/mcp-servers.ts')).mcpServersCommand,
  },
  interceptors: {
    summary: 'list, show, create, update, enable, disable, delete and test interceptors, and show their logs',
    load: async () => (await import('./commands/messages/interceptors.ts')).interceptorsCommand,
  },
  webhooks: {
    summary: 'list, show, create, update and delete webhooks, and show and repeat their deliveries',
    load: async () => (await import('./commands/messages/webhooks.ts')).webhooksCommand,
  },
  'signing-secret': {
    summary: 'show and rotate the secret that signs webhooks and interceptor requests',
    load: async () => (await import('./commands/messages/signing-secret.ts')).signingSecretCommand,
  },
  executions: {
    summary: 'list, show and count the calls that were made',
    load: async () => (await import('./commands/executions.ts')).executionsCommand,
  },
  environments: {
    summary: 'list and show environments',
    load: async () => (await import('./commands/environments.ts')).environmentsCommand,
  },
  audit: {
    summary: 'show and export who did what',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  catalog: {
    summary: 'check catalog files, and write first ones from OpenAPI descriptions',
    load: async () => (await import('./commands/catalog.ts')).catalogCommand,
  },
  keys: {
    summary: 'rotate and verify the master keys',
    load: async () => (await import('./commands/keys.ts')).keysCommand,
  },
  migrate: {
    summary: 'bring the tables of the database up to date before a new version serves',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  backup: {
    summary: 'copy the database while it is in use',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  restore: {
    summary: 'replace the database with a backup',
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
  doctor: {
    summary: 'check settings, key, database, catalog and connections',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
};
