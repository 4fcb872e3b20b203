/**
 * A Gatehouse behind a Gatehouse: the outer one has the inner one as a remote MCP server, with real programs. Callers of
 * the outer one get links; people sign in and consent at the inner one; what ends at either end is seen at the other. Full rounds only.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchToken, makeProject, run, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { SigningPeople } from '../mcp/signing-people.ts';
import { authRequestIn, Browser } from '../support/deployment/browser.ts';
import { freePort } from '../support/free-port.ts';
import { ROUNDS } from '../support/rounds.ts';

const HOUR_MS = 3_600_000;
const MOVED_CLOCK = new URL('children/moved-clock.ts', import.meta.url).href;
const VERIFY_URL = 'https://app.example.test/verified';
/** Processes learn within five seconds what another one has changed. The inner one allows 60 calls a minute. */
const POLL = { interval: 500 };
const SEARCH = 'inner_websearch_search';

/** A program, its settings, and its clock. */
interface Site {
  project: Project;
  served: Served;
  /** Moves its clock this far from the machine's. */
  setClock: (ms: number) => void;
}

/** How a call ended. */
interface Called {
  text: string;
  /** Where the caller's user is sent. */
  link: string | undefined;
}

let folder: string;
let inner: Site;
let outer: Site;
let people: SigningPeople;
const ids = new Map<string, string>();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-behind-'));
  inner = await site('inner', []);
  outer = await site('outer', [`user_verification: app`, `user_verify_url: ${VERIFY_URL}`], inner);
  people = new SigningPeople(inner.project, inner.served);
  for (const name of ['ann', 'bob']) {
    const id = await people.user(name);
    ids.set(name, id);
    await inner.served.connect(id, `key-of-${name}`);
  }
});
afterEach(async () => {
  for (const { project, served } of [outer, inner]) {
    await served.stop();
    await project.close();
  }
  rmSync(folder, { recursive: true });
});

/** Starts a program. @param lines more settings @param behind the one that it may call */
async function site(name: string, lines: readonly string[], behind?: Site): Promise<Site> {
  const project = await makeProject();
  const clock = join(folder, name);
  const setClock = (ms: number): void => writeFileSync(clock, String(ms));
  setClock(0);
  Object.assign(project.env, {
    NODE_OPTIONS: `--import=${MOVED_CLOCK}`,
    DATE_OFFSET_FILE: clock,
    // Commands print links where the port is known.
    GATEHOUSE_PORT: String(await freePort()),
  });
  const file = join(project.dir, 'gatehouse.yaml');
  const allowed = behind === undefined ? '' : `"${new URL(behind.served.baseUrl).host}", `;
  const settings = readFileSync(file, 'utf8').replace('private_hosts: [', `private_hosts: [${allowed}`);
  writeFileSync(file, [settings, ...lines, ''].join('\n'));
  return { project, served: await serve(project), setClock };
}

/** What a command of the operator prints. */
async function operator({ project }: Site, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(project, args);
  expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  return stdout;
}

/** A request of the app that the outer one is for. */
async function api(path: string, body: object): Promise<Record<string, unknown>> {
  const { baseUrl } = outer.served;
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await fetchToken(baseUrl)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Opens a link of the outer one; the person consents at the inner one. @returns the request to verify */
async function consented(name: string, link: string): Promise<string> {
  const { baseUrl } = outer.served;
  const browser = new Browser({ baseUrl, server: { url: baseUrl }, keep: () => {} });
  const asked = await people.signIn(name, await browser.toProvider(link));
  expect(asked.page.text).toContain('Gatehouse');
  const { url } = await asked.browser.submit(asked.page, { answer: 'allow' });
  return authRequestIn(await browser.get(url));
}

async function verified(name: string, request: string): Promise<void> {
  await api('/connected_accounts/user/verify', { auth_request_id: request, identifier: name });
}

/** Sessions of apps of a person at the inner one that have not ended. */
async function grantsOf(name: string): Promise<string[]> {
  const listed = await operator(inner, 'sessions', 'list', '--user', ids.get(name) ?? '', '--json');
  const { sessions } = JSON.parse(listed) as { sessions: { id: string; kind: string; status: string }[] };
  return sessions.filter(({ kind, status }) => kind === 'client' && status === 'active').map(({ id }) => id);
}

/** A person's account at the outer one: its id, and its access token to the inner one. */
async function accountOf(name: string): Promise<{ id: string; token: string }> {
  const { baseUrl } = outer.served;
  const query = new URLSearchParams({ connector: 'inner', identifier: name, user_id: name });
  const response = await fetch(`${baseUrl}/api/v1/connected_accounts/auth?${query.toString()}`, {
    headers: { authorization: `Bearer ${await fetchToken(baseUrl)}` },
  });
  const { connected_account: account } = (await response.json()) as {
    connected_account: { id: string; authorization_details: { oauth_token: { access_token: string } } };
  };
  return { id: account.id, token: account.authorization_details.oauth_token.access_token };
}

describe.runIf(ROUNDS.full).each([
  { era: 'modern', mode: { pin: '2026-07-28' }, revision: '2026-07-28' },
  { era: 'legacy', mode: 'legacy', revision: '2025-11-25' },
] as const)('a Gatehouse behind a Gatehouse, both called in the $era era', ({ era, mode, revision }) => {
  /** Searches as a user of the outer one. */
  async function search(name: string): Promise<Called> {
    const { baseUrl, mcpUrl } = outer.served;
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } });
    const headers = {
      authorization: `Bearer ${await fetchToken(baseUrl)}`,
      'gatehouse-user-id': name,
    };
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      const { content, _meta: meta } = await client.callTool({ name: SEARCH, arguments: { query: 'news' } });
      const texts = content as { text?: string }[];
      return {
        text: texts.map(({ text = '' }) => text).join(' '),
        link: meta?.['gatehouse/link'] as string | undefined,
      };
    } finally {
      await client.close();
    }
  }

  /** The link that a call of somebody without a usable account is answered with. */
  async function linkOf(name: string): Promise<string> {
    const { text, link = '' } = await search(name);
    expect(link, text).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{43}$/);
    return link;
  }

  it('leads from a link to a call, through renewals, and back to a link after either end revokes', async () => {
    // The link that the command prints is opened at once at the running program.
    const add = ['add', inner.served.mcpUrl, '--name', 'inner', '--user', 'bob', '--yes', '--json'];
    const added = await operator(outer, 'upstreams', ...add, '--connector', JSON.stringify({ mcp: { era } }));
    const { link } = JSON.parse(added) as { link: string };
    await verified('bob', await consented('bob', link));
    const shown = async () => JSON.parse(await operator(outer, 'upstreams', 'show', 'inner', '--json'));
    // Nothing is approved by itself: its texts name tools that the outer one has, too.
    await expect.poll(shown).toMatchObject({ era, state: 'waiting_for_approval', tools: { approved: 0 } });
    await operator(outer, 'upstreams', 'approve', 'inner', '--all', '--yes');

    const searched = async () => search('bob').then(({ text }) => text, String);
    await expect.poll(searched, POLL).toContain('bob asked news');

    // A link, a consent at the inner one, and a verification by the app of the outer one.
    const request = await consented('ann', await linkOf('ann'));
    expect((await search('ann')).text).toContain('verification');
    await verified('ann', request);
    expect((await search('ann')).text).toContain('ann asked news');
    expect((await search('bob')).text).toContain('bob asked news');

    // The token is refused by the clock of the inner one, and renewed.
    const { id, token } = await accountOf('ann');
    expect(decodeJwt(token)).toMatchObject({ sub: ids.get('ann'), aud: inner.served.mcpUrl });
    inner.setClock(2 * HOUR_MS);
    expect((await search('ann')).text).toContain('ann asked news');
    const { token: renewed } = await accountOf('ann');
    expect(renewed).not.toBe(token);

    // The token has ended by the clock of the outer one, which renews it before it calls.
    inner.setClock(4 * HOUR_MS);
    outer.setClock(4 * HOUR_MS);
    expect((await search('ann')).text).toContain('ann asked news');
    expect((await accountOf('ann')).token).not.toBe(renewed);
    expect((await search('bob')).text).toContain('bob asked news');

    // What the inner one ends is seen at the outer one.
    for (const grant of await grantsOf('ann')) await operator(inner, 'sessions', 'delete', grant, '--yes');
    await expect.poll(async () => (await search('ann')).link, POLL).toBeDefined();
    expect((await search('bob')).text).toContain('bob asked news');
    await verified('ann', await consented('ann', await linkOf('ann')));
    expect((await search('ann')).text).toContain('ann asked news');

    // What the outer one ends is seen at the inner one.
    const grants = await grantsOf('ann');
    expect(grants).toHaveLength(1);
    await api(`/connected_accounts/${id}:disconnect`, {});
    await expect.poll(async () => grantsOf('ann'), POLL).toEqual([]);
    await linkOf('ann');
    expect((await search('bob')).text).toContain('bob asked news');
  });
});
