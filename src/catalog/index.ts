/** Public parts of the catalog: loading, compiling, checking. Calls use call/input.ts and call/request.ts. */
export { compileCatalog, compiled } from './load/compile.ts';
export { checkCatalog, type CatalogCheck } from './load/lint.ts';
export { loadCatalog } from './load/load.ts';
