/** `/mcp`, loaded with its first request: its code slows the start more than the rest of the server. */
import type { McpHttp } from '../../mcp/transports/http.ts';
import { loadOnce } from '../../core/load-once.ts';

/** The parts of McpHttp that serve `/mcp`. */
export type McpEndpoint = Pick<McpHttp, 'handle' | 'toolsChanged' | 'close'>;

/** @param options as for McpHttp; the names in them have been checked at the start */
export function lazyMcp(...options: ConstructorParameters<typeof McpHttp>): McpEndpoint {
  let opened: McpHttp | undefined;
  let isClosed = false;
  const load = loadOnce(async () => {
    const { McpHttp } = await import('../../mcp/transports/http.ts');
    opened = new McpHttp(...options);
    // If closed while loading, it refuses requests like an endpoint closed while open.
    if (isClosed) await opened.close();
    return opened;
  });
  return {
    handle: async (request, response, known) => (opened ?? (await load())).handle(request, response, known),
    // Before loading there are no subscriptions.
    toolsChanged: () => opened?.toolsChanged(),
    close: async () => {
      isClosed = true;
      await opened?.close();
    },
  };
}
