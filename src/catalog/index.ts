/** The catalog as a whole: loaded, compiled, checked. What a call needs is in input.ts and request.ts. */
export { compileCatalog } from './load/compile.ts';
export { checkCatalog, type CatalogCheck } from './load/lint.ts';
export { loadCatalog } from './load/load.ts';
