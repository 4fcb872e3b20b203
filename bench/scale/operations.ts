/** Part of bench/scale.ts: what callers do, each over HTTP with a process of its own at every size. */
import { httpClient, type BenchClient } from '../mcp-clients.ts';
import { authRequestIn } from '../../test/support/deployment/browser.ts';
import type { Deployment } from '../../test/support/deployment/deployment.ts';
import type { ServerProcess } from '../../test/support/deployment/server-process.ts';
import { measure, timed, type Row, type Work } from './figures.ts';
import { caller, readFiles, type Installation } from './installation.ts';

/** An installation that is served. */
export interface Served {
  installation: Installation;
  server: ServerProcess;
  /** For the tools of one user. */
  mcp: BenchClient;
  close: () => Promise<void>;
}

/** Something that a caller does, for the row with number `n`. `prepare` is not part of its time. */
export interface Operation {
  name: string;
  kind: Work['kind'];
  prepare?: (n: number) => Promise<string>;
  run: (n: number, prepared: string) => Promise<unknown>;
}

/** Lists as REST answers them. The part of lists has all of them, without what is around them. */
const LISTS = [
  '/connected_accounts',
  '/connected_accounts?status=EXPIRED',
  '/connected_accounts?query=user-',
  '/executions',
  '/executions?status=error',
  '/executions?tool_name=tool_7',
  '/audit',
  '/users',
  '/organizations',
  '/sessions',
  '/webhooks/whk_1/deliveries',
  '/interceptor_logs',
];

/** Starts a process for an installation. */
export async function serve(installation: Installation): Promise<Served> {
  const { deployment } = installation;
  const server = await deployment.serve();
  const headers = {
    authorization: `Bearer ${await deployment.token(server)}`,
    'gatehouse-user-id': caller(0),
  };
  const mcp = await httpClient(`${server.url}/mcp`, server.child.pid ?? 0, headers, 1);
  return {
    installation,
    server,
    mcp,
    close: async () => {
      await mcp.close();
      await server.stop();
    },
  };
}

/** Times of all operations. */
export async function measureOperations(
  installations: readonly Installation[],
  rounds: number,
): Promise<Row[]> {
  const served: Served[] = [];
  try {
    for (const installation of installations) served.push(await serve(installation));
    const works = served.map((one) => operationsOf(one).map(workOf));
    return await measure(
      works,
      installations.map(({ counts }) => counts.accounts),
      rounds,
      async () => {
        for (const installation of installations) await readFiles(installation);
      },
    );
  } finally {
    for (const one of served) await one.close();
  }
}

function workOf({ name, kind, prepare, run }: Operation): Work {
  return {
    name,
    kind,
    run: async (n) => {
      const prepared = (await prepare?.(n)) ?? '';
      return timed(async () => run(n, prepared));
    },
  };
}

/** Operations of callers of one installation. Numbers of rows come in any order, and may come twice. */
export function operationsOf({ installation, server, mcp }: Served): Operation[] {
  const { deployment } = installation;
  const api = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, text } = await server.api(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}\n${server.output.slice(-2_000)}`);
    // The deployment keeps every answer for tests that sweep them.
    deployment.answers.length = 0;
  };
  let last = 0;
  const newUser = (): string => `new-${process.pid}-${++last}-${server.child.pid}`;
  const call = (user: string) => ({
    tool_name: 'ledger_list',
    connector: 'ledger_key',
    identifier: user,
    user_id: user,
  });
  return [
    ...accessOf(deployment, server),
    { name: 'tools/list', kind: 'look-up', run: async () => mcp.request('tools/list', {}) },
    {
      name: 'tools/call',
      kind: 'look-up',
      run: async () => mcp.request('tools/call', { name: 'ledger_list', arguments: {} }),
    },
    {
      name: 'call of a tool',
      kind: 'look-up',
      run: async (n) => api('POST', '/execute_tool', call(caller(n))),
    },
    {
      name: 'repetition of a call under its idempotency key',
      kind: 'look-up',
      run: async (n) => {
        const user = caller(n);
        await api('POST', '/execute_tool', { ...call(user), idempotency_key: `key-${user}` });
      },
    },
    {
      name: 'account by id',
      kind: 'look-up',
      run: async (n) => api('GET', `/connected_accounts/details?id=ca_${n}`),
    },
    {
      name: 'account by identifier',
      kind: 'look-up',
      run: async (n) => api('GET', `/connected_accounts/details?${selectorOf(n)}`),
    },
    {
      name: 'events of an account',
      kind: 'list',
      run: async (n) => api('GET', `/connected_accounts/ca_${Math.ceil(n / 10)}/events`),
    },
    {
      name: 'session by id',
      kind: 'look-up',
      run: async (n) => api('GET', `/sessions/ses_${Math.ceil(n / 2)}`),
    },
    {
      name: 'new link',
      kind: 'look-up',
      run: async () =>
        api('POST', '/connected_accounts/magic_link', { connector: 'ledger', user_id: newUser() }),
    },
    {
      name: 'link opened',
      kind: 'look-up',
      prepare: async () => server.magicLink(newUser()),
      run: async (_n, link) => deployment.browser(server).get(link),
    },
    {
      name: 'verification',
      kind: 'look-up',
      prepare: async () => {
        const user = newUser();
        const browser = deployment.browser(server);
        const page = await browser.connect(await server.magicLink(user, { identifier: user }));
        return `${authRequestIn(page)} ${user}`;
      },
      run: async (_n, prepared) => {
        const [id = '', user = ''] = prepared.split(' ');
        const { status, text } = await server.verify(id, user);
        if (status >= 300) throw new Error(text);
      },
    },
    ...LISTS.map((path): Operation => ({
      name: `GET ${path}`,
      kind: 'list',
      run: async () => api('GET', path),
    })),
  ];
}

function accessOf(deployment: Deployment, server: ServerProcess): Operation[] {
  return [
    {
      name: 'token request',
      kind: 'look-up',
      run: async () => {
        const response = await fetch(`${server.url}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: deployment.env.GATEHOUSE_CLIENT_ID ?? '',
            client_secret: deployment.env.GATEHOUSE_CLIENT_SECRET ?? '',
          }),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(text);
      },
    },
  ];
}

/** The query that names an account of the rows by what its owner calls it. */
function selectorOf(n: number): string {
  const owner = n % 7 === 0 ? `organization_id=acme${Math.floor(n / 700)}` : `user_id=u${Math.floor(n / 4)}`;
  return `connector=${n % 3 === 0 ? 'mail' : 'notes'}&identifier=user-${n}&${owner}`;
}
