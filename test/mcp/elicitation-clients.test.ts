/** A real client that opens pages: the whole exchange happens inside one `callTool`. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeExecutor, LINK, listen, makeParts, notActive } from './fixtures.ts';

let cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp) await step();
  cleanUp = [];
});

/** A client whose user does `onOpen` when shown a page. */
async function connectClient(
  executor: FakeExecutor,
  onOpen: (url: string) => 'accept' | 'decline',
): Promise<Client> {
  const server = await listen(makeParts(executor));
  const client = new Client(
    { name: 'pages', version: '1' },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', (request) => ({
    action: onOpen((request.params as { url: string }).url),
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  cleanUp = [() => client.close(), server.close];
  return client;
}

const CALL = { name: 'web_search', arguments: { query: 'cats' } };

describe('URL elicitation by a 2026-07-28 MCP client', () => {
  it('gets the answer of the call once its user has connected the account', async () => {
    const executor = new FakeExecutor();
    let isConnected = false;
    executor.answer = () => {
      if (!isConnected) throw notActive();
      return { ok: true };
    };
    const opened: string[] = [];
    const client = await connectClient(executor, (url) => {
      opened.push(url);
      isConnected = true;
      return 'accept';
    });
    const result = await client.callTool(CALL);
    expect(result.content).toMatchObject([{ type: 'text', text: '{"ok":true}' }]);
    expect(opened).toEqual([LINK]);
  });

  it.each(['accept', 'decline'] as const)(
    'asks once and then tells the client, when its user does not connect (%s)',
    async (action) => {
      const executor = new FakeExecutor();
      executor.answer = () => {
        throw notActive();
      };
      let asked = 0;
      const client = await connectClient(executor, () => {
        asked++;
        return action;
      });
      const result = await client.callTool(CALL);
      expect(result.isError).toBe(true);
      expect((result.content[0] as { text: string }).text).toContain(LINK);
      expect(asked).toBe(1);
    },
  );
});
