/** Many users over one listener: each gets their own answer, and nobody gets in without a token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacy, modern, post } from '../mcp/fixtures.ts';
import { resultOf, textOf } from '../mcp/messages.ts';
import { makeProject, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { ROUNDS } from '../support/rounds.ts';

const USERS = Array.from({ length: 20 }, (_, i) => `user-${i}`);
const IN_FLIGHT = 40;

let project: Project;
let served: Served;

beforeAll(async () => {
  project = await makeProject();
  served = await serve(project);
  for (const user of USERS) await served.connect(user, `key-of-${user}`);
});

afterAll(async () => {
  await served.stop();
  await project.close();
});

describe('tenants of one MCP server', () => {
  it(`receive their own answers in ${ROUNDS.interleavedCalls} interleaved calls`, async () => {
    const wrong: string[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let i = next++; i < ROUNDS.interleavedCalls; i = next++) {
        const user = USERS[i % USERS.length]!;
        const params = { name: 'websearch_search', arguments: { query: `question ${i}` } };
        const headers = { authorization: `Bearer ${served.token}`, 'gatehouse-user-id': user };
        const { body } =
          i % 2 === 0
            ? await modern(served.mcpUrl, 'tools/call', params, { headers })
            : await legacy(served.mcpUrl, 'tools/call', params, headers);
        const { results } = JSON.parse(textOf(body)) as { results: { title: string }[] };
        const { title } = results[0]!;
        const { identifier } = resultOf(body)._meta!['gatehouse/account']!;
        if (title !== `${user} asked question ${i}` || identifier !== user) wrong.push(`${user}: ${title}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
    expect(wrong).toEqual([]);
    expect(project.requests()).toBe(ROUNDS.interleavedCalls);
  });
});

describe('authorization of the MCP endpoint', () => {
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

  it('answers 401 without a token, and names the authorization server', async () => {
    const response = await fetch(served.mcpUrl, { method: 'POST', body: JSON.stringify(LIST) });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${served.baseUrl}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  it('refuses a foreign Origin, even with a valid token', async () => {
    const answer = await post(served.mcpUrl, LIST, {
      authorization: `Bearer ${served.token}`,
      origin: 'https://evil.example',
    });
    expect(answer.status).toBe(403);
    expect(JSON.stringify(answer.body)).not.toContain('websearch');
  });

  it('asks a machine for the owner of the accounts', async () => {
    const params = { name: 'websearch_search', arguments: { query: 'cats' } };
    const answer = await modern(served.mcpUrl, 'tools/call', params, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    expect(resultOf(answer.body).isError).toBe(true);
    expect(textOf(answer.body)).toContain('gatehouse-user-id');
  });
});
