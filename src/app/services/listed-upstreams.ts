/** Remote MCP servers in public lists: the file data/upstreams.yaml, in a checkout and in the published package. */
import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { parseStrictYaml } from '../../core/yaml/strict-yaml.ts';
import { LISTED_WAYS, type ListedServer } from '../../upstream/operators/listed-servers.ts';

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/);

const server = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,29}$/),
  title: z.string().min(2).max(60),
  url: z.url({ protocol: /^https$/ }),
  authorization: z.array(z.enum(LISTED_WAYS)).min(1),
  registration: z.enum(['static', 'document', 'dynamic']).optional(),
  header: z.string().min(1).optional(),
  note: z.string().min(1).optional(),
  sources: z.array(z.strictObject({ at: z.string().min(1), date: day })).min(2),
});

const file = z.strictObject({ servers: z.array(server).min(1) });

const FILE = [
  new URL('../data/upstreams.yaml', import.meta.url),
  new URL('../../../data/upstreams.yaml', import.meta.url),
];

/** @throws Error that names the position of a mistake in the file */
export function listedUpstreams(): readonly ListedServer[] {
  const place =
    FILE.find((one) => existsSync(one)) ?? new URL('../../../data/upstreams.yaml', import.meta.url);
  const { tree, problems } = parseStrictYaml(readFileSync(place, 'utf8'));
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`data/upstreams.yaml:${problem.line}: ${problem.message}`);
  return file.parse(tree).servers;
}
