/**
 * The parts of node:http that the program uses at run time.
 *
 * An `import` of that module makes node evaluate all its exports. `WebSocket` among them loads node's whole fetch: ten
 * megabytes of memory that a server may never need. Types still come from node:http.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
