/**
 * What the program takes from node:http while it runs.
 *
 * An `import` of that module makes node evaluate every export of it, and with `WebSocket` all of node's own fetch: ten
 * megabytes of memory that a server may never need. Types come from node:http as ever.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
