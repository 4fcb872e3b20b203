/** The program's functions that commands call. Each is loaded at its first use, so that every command starts fast. */
import type * as admin from '../../app/commands/admin.ts';
import type * as backup from '../../app/commands/backup.ts';
import type * as catalogImport from '../../app/commands/catalog-import.ts';
import type * as catalog from '../../app/commands/catalog.ts';
import type * as connect from '../../app/commands/connect.ts';
import type * as declared from '../../app/services/declared.ts';
import type * as demo from '../../app/demo/demo.ts';
import type * as evaluation from '../../app/eval/eval.ts';
import type * as ownSandbox from '../../app/demo/own-sandbox.ts';
import type * as doctor from '../../app/commands/doctor.ts';
import type * as ownCatalog from '../../app/commands/environment-catalog.ts';
import type * as migrate from '../../app/commands/migrate.ts';
import type * as keys from '../../app/commands/keys.ts';
import type * as serve from '../../app/serve/serve.ts';
import type * as stdio from '../../app/serve/stdio.ts';

/** The services of an installation, for the operator. */
export type Admin = admin.Admin;

/** Connecting an account with a form to fill in. */
export type FormConnect = connect.FormConnect;
/** Connecting an account with a link to wait for. */
export type LinkConnect = connect.LinkConnect;
/** The account that `connect` connected. */
export type ConnectedAccount = connect.ConnectedAccount;

/** Rotation and verification of the master keys. */
export type Keys = keys.Keys;

/** The program behind the command line; tests use one of their own. */
export interface App {
  openAdmin: typeof admin.openAdmin;
  openConnect: typeof connect.openConnect;
  runServe: typeof serve.runServe;
  runStdio: typeof stdio.runStdio;
  runDemo: typeof demo.runDemo;
  runOwnSandbox: typeof ownSandbox.runOwnSandbox;
  runEval: typeof evaluation.runEval;
  runDoctor: typeof doctor.runDoctor;
  openKeys: typeof keys.openKeys;
  backUp: typeof backup.runBackup;
  restore: typeof backup.runRestore;
  migrate: typeof migrate.runMigrate;
  withDeclaredProblems: typeof declared.withDeclaredProblems;
  loadCatalog: typeof ownCatalog.loadCatalog;
  loadConnectors: typeof ownCatalog.loadConnectors;
  importCatalog: typeof catalogImport.importCatalog;
  checkCatalogFiles(dirs: readonly string[]): Promise<ReturnType<typeof catalog.checkCatalogFiles>>;
}

/** The program itself. */
export const app: App = {
  openAdmin: async (options) => (await import('../../app/commands/admin.ts')).openAdmin(options),
  openConnect: async (options) => (await import('../../app/commands/connect.ts')).openConnect(options),
  runServe: async (options) => (await import('../../app/serve/serve.ts')).runServe(options),
  runStdio: async (options) => (await import('../../app/serve/stdio.ts')).runStdio(options),
  runDemo: async (options) => (await import('../../app/demo/demo.ts')).runDemo(options),
  runOwnSandbox: async (options) => (await import('../../app/demo/own-sandbox.ts')).runOwnSandbox(options),
  runEval: async (options) => (await import('../../app/eval/eval.ts')).runEval(options),
  runDoctor: async (options) => (await import('../../app/commands/doctor.ts')).runDoctor(options),
  openKeys: async (options) => (await import('../../app/commands/keys.ts')).openKeys(options),
  backUp: async (options) => (await import('../../app/commands/backup.ts')).runBackup(options),
  restore: async (options) => (await import('../../app/commands/backup.ts')).runRestore(options),
  migrate: async (options) => (await import('../../app/commands/migrate.ts')).runMigrate(options),
  withDeclaredProblems: async (error) =>
    (await import('../../app/services/declared.ts')).withDeclaredProblems(error),
  loadCatalog: async (settings, environment) =>
    (await import('../../app/commands/environment-catalog.ts')).loadCatalog(settings, environment),
  loadConnectors: async (settings, environment) =>
    (await import('../../app/commands/environment-catalog.ts')).loadConnectors(settings, environment),
  importCatalog: async (request) =>
    (await import('../../app/commands/catalog-import.ts')).importCatalog(request),
  checkCatalogFiles: async (dirs) => (await import('../../app/commands/catalog.ts')).checkCatalogFiles(dirs),
};
