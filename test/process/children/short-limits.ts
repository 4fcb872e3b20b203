/**
 * A server whose listener has no patience: `gatehouse serve` with the times of `src/http/listener/limits.ts` shortened, which no
 * setting does. argv: gatehouse.yaml, limits as JSON. Says its port in one line.
 */
import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { runServe } from '../../../src/app/serve/serve.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { createLog } from '../../../src/core/pino-log.ts';
import type { InboundLimits } from '../../../src/http/listener/limits.ts';

const [config = '', limits = '{}'] = process.argv.slice(2);
const folder = dirname(config);
const settings = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
const inbound = { ...settings.inbound, ...(JSON.parse(limits) as Partial<InboundLimits>) };
await runServe({
  settings: { ...settings, inbound },
  log: createLog('warn'),
  ready: ({ port }) => void writeSync(1, `${port}\n`),
});
