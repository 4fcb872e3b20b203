/** What commands start or open, each loaded when it is used: a command pays for nothing it does not run. */
import type * as admin from '../app/admin.ts';
import type * as catalog from '../app/catalog.ts';
import type * as connect from '../app/connect.ts';
import type * as demo from '../app/demo.ts';
import type * as doctor from '../app/doctor.ts';
import type * as installed from '../app/installed-catalog.ts';
import type * as serve from '../app/serve.ts';
import type * as stdio from '../app/stdio.ts';

/** The installation's services for an operator. */
export type Admin = admin.Admin;

/** What `connect` is given: a form to fill in, or a link to wait for. */
export type FormConnect = connect.FormConnect;
export type LinkConnect = connect.LinkConnect;
export type ConnectedAccount = connect.ConnectedAccount;

/** The program behind the command line; tests put their own in its place. */
export interface App {
  openAdmin: typeof admin.openAdmin;
  openConnect: typeof connect.openConnect;
  runServe: typeof serve.runServe;
  runStdio: typeof stdio.runStdio;
  runDemo: typeof demo.runDemo;
  runDoctor: typeof doctor.runDoctor;
  loadCatalog: typeof installed.loadInstalledCatalog;
  checkCatalogFiles(dirs: readonly string[]): Promise<ReturnType<typeof catalog.checkCatalogFiles>>;
}

/** The real one. */
export const app: App = {
  openAdmin: async (options) => (await import('../app/admin.ts')).openAdmin(options),
  openConnect: async (options) => (await import('../app/connect.ts')).openConnect(options),
  runServe: async (options) => (await import('../app/serve.ts')).runServe(options),
  runStdio: async (options) => (await import('../app/stdio.ts')).runStdio(options),
  runDemo: async (options) => (await import('../app/demo.ts')).runDemo(options),
  runDoctor: async (options) => (await import('../app/doctor.ts')).runDoctor(options),
  loadCatalog: async (dirs) => (await import('../app/installed-catalog.ts')).loadInstalledCatalog(dirs),
  checkCatalogFiles: async (dirs) => (await import('../app/catalog.ts')).checkCatalogFiles(dirs),
};
