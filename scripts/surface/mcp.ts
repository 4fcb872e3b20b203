/**
 * First answers for MCP clients: the handshake with instructions, and the list of tools, in both eras and
 * every mode.
 */
import { withDigests } from './command-line.ts';
import { pretty, type Pages, type Served, type Workplace } from './program.ts';

const OLDER = '2025-11-25';
const NEWER = '2026-07-28';

interface Mode {
  name: string;
  /** Query of the MCP address. */
  query: string;
  /** Flags of `gatehouse mcp` with the same selection. */
  flags: readonly string[];
}

const MODES: readonly Mode[] = [
  { name: 'default', query: '', flags: [] },
  { name: 'read-only', query: 'read_only=1', flags: ['--read-only'] },
  { name: 'discovery', query: 'discovery=1', flags: ['--discovery'] },
  {
    name: 'discovery-read-only',
    query: 'discovery=1&read_only=1',
    flags: ['--discovery', '--read-only'],
  },
  { name: 'connectors', query: 'connectors=websearch,mail', flags: ['--connectors', 'websearch,mail'] },
  {
    name: 'toolsets',
    query: 'toolsets=websearch.search,crm.notes',
    flags: ['--toolsets', 'websearch.search,crm.notes'],
  },
  {
    name: 'tools',
    query: 'tools=websearch_search,crm_create_note',
    flags: ['--tools', 'websearch_search,crm_create_note'],
  },
];

/** `_meta` of requests of the newer era. */
const META = {
  'io.modelcontextprotocol/protocolVersion': NEWER,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'surface', version: '1' },
};

const REQUESTS = {
  discover: { method: 'server/discover', params: { _meta: META } },
  newerList: { method: 'tools/list', params: { _meta: META } },
  initialize: {
    method: 'initialize',
    params: {
      protocolVersion: OLDER,
      capabilities: {},
      clientInfo: { name: 'surface', version: '1' },
    },
  },
  olderList: { method: 'tools/list', params: {} },
};

interface Answer {
  id?: number | string | null;
  result?: object & { tools?: { name: string }[] };
}

/** Requires a server without accounts: it lists every connector. */
export async function mcp(served: Served, place: Workplace): Promise<Pages> {
  const pages = await Promise.all(
    MODES.map(async (mode) => {
      const [http, stdio] = await Promise.all([overHttp(served, mode.query), overStdio(place, mode.flags)]);
      return [`mcp/${mode.name}.json`, place.plain(pretty({ http, stdio }))] as const;
    }),
  );
  const whole = await post(served, '', REQUESTS.newerList, NEWER);
  return { ...Object.fromEntries(pages), 'mcp/all-tools.json': place.plain(pretty(whole.result?.tools)) };
}

async function overHttp(served: Served, query: string): Promise<object> {
  const { discover, newerList, initialize, olderList } = REQUESTS;
  return {
    'server/discover': await post(served, query, discover, NEWER),
    [`tools/list ${NEWER}`]: shown(await post(served, query, newerList, NEWER)),
    initialize: await post(served, query, initialize, OLDER),
    [`tools/list ${OLDER}`]: shown(await post(served, query, olderList, OLDER)),
  };
}

async function post(
  served: Served,
  query: string,
  request: { method: string; params: object },
  era: string,
): Promise<Answer> {
  const response = await fetch(`${served.baseUrl}/mcp?${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${served.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': era,
      ...(era === NEWER && { 'mcp-method': request.method }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  });
  const raw = await response.text();
  const data = raw.split('\n').find((line) => line.startsWith('data: '));
  return JSON.parse(data === undefined ? raw : data.slice('data: '.length)) as Answer;
}

/** A client of the newer era that finds out that it has to use the older one. */
async function overStdio(place: Workplace, flags: readonly string[]): Promise<object> {
  const { discover, initialize, olderList } = REQUESTS;
  const input = [discover, initialize, olderList].map(
    (request, index) => `${JSON.stringify({ jsonrpc: '2.0', id: index, ...request })}\n`,
  );
  const { stdout, code } = await place.run(['mcp', ...flags], input.join(''));
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Answer)
    .toSorted((one, other) => Number(one.id) - Number(other.id));
  return { answers: answers.map(shown), code };
}

/** Shows each tool as a digest, except those of discovery. */
function shown(answer: Answer): object {
  const { result } = answer;
  if (result?.tools === undefined || result.tools.length <= 3) return answer;
  return { ...answer, result: withDigests({ ...result, tools: result.tools }) };
}
