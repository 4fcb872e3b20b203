/** `/mcp`, loaded with its first request: the protocol's code costs a start more than the rest of the server. */
import type { McpHttp } from '../../mcp/http.ts';
import { loadOnce } from '../../core/load-once.ts';

/** What serves `/mcp`, as McpHttp does. */
export type McpEndpoint = Pick<McpHttp, 'handle' | 'toolsChanged' | 'close'>;

/** @param options as McpHttp takes them; what they name is checked before, at the start */
export function lazyMcp(...options: ConstructorParameters<typeof McpHttp>): McpEndpoint {
  let opened: McpHttp | undefined;
  let isClosed = false;
  const load = loadOnce(async () => {
    const { McpHttp } = await import('../../mcp/http.ts');
    opened = new McpHttp(...options);
    // Refuses then, as one does that was open when the server was told to stop.
    if (isClosed) await opened.close();
    return opened;
  });
  return {
    handle: async (request, response, known) => (await load()).handle(request, response, known),
    // Nobody can have subscribed before.
    toolsChanged: () => opened?.toolsChanged(),
    close: async () => {
      isClosed = true;
      await opened?.close();
    },
  };
}
