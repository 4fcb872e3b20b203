/**
 * Types for parts of prom-client, imported by their own paths. The whole package also loads its push gateway, with
 * node:https, node:zlib and node:url, and its summaries. The version is pinned.
 */
declare module 'prom-client/lib/counter.js' {
  export { Counter as default } from 'prom-client';
}
declare module 'prom-client/lib/gauge.js' {
  export { Gauge as default } from 'prom-client';
}
declare module 'prom-client/lib/histogram.js' {
  export { Histogram as default } from 'prom-client';
}
declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}
declare module 'prom-client/lib/defaultMetrics.js' {
  export { collectDefaultMetrics as default } from 'prom-client';
}
