/** Writes 50,000 lines to the log of a process and says on stdout by how many bytes the heap has grown. */
import { createLog } from '../../../src/core/pino-log.ts';

const log = createLog('info');
log.info('first');
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
for (let i = 0; i < 50_000; i++) log.info('line', { message: 'x'.repeat(500) });
globalThis.gc?.();
process.stdout.write(String(process.memoryUsage().heapUsed - before));
