/**
 * The listener of `metrics.port`: `/metrics` and nothing else, for a network that only monitoring reaches. It asks for
 * no token, so it checks Host and Origin as every listener does (docs/contract.md#12-operation).
 */
import { isWildcardHost, listenerOrigin } from '../../core/hosts.ts';
import { ServiceError } from '../../core/errors.ts';
import { methodNotAllowedAnswer, sendAnswer } from '../../http/listener/error-response.ts';
import { Listener } from '../../http/listener/listener.ts';
import type { Metrics } from '../../http/listener/metrics.ts';
import type { NodeRoute } from '../../http/listener/request-context.ts';
import type { Services } from '../services/services.ts';
import { isPortTaken } from './port-holder.ts';

const PATH = '/metrics';

/** @returns `undefined` without `metrics.port`. @throws ServiceError UNAVAILABLE if the port is taken */
export async function openMetricsListener(
  { settings, log, environments }: Pick<Services, 'settings' | 'log' | 'environments'>,
  metrics: Metrics,
): Promise<Listener | undefined> {
  if (settings.metrics === undefined) return undefined;
  const { host, port } = settings.metrics;
  const listener = new Listener({ host, port, log, limits: settings.inbound, logRequests: false });
  try {
    await listener.listen();
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    const message = `Port ${port} of metrics.port is taken. Stop the program that has it, or set metrics.port (GATEHOUSE_METRICS_PORT) to a free one.`;
    throw new ServiceError('UNAVAILABLE', message, { cause: error });
  }
  listener.serve({
    environments: [{ ...environments.byName('development'), baseUrl: listenerOrigin(host, port) }],
    anyAddress: isWildcardHost(host),
    wrongHost: isWildcardHost(host)
      ? `Ask for /metrics by an IP address of this machine, with port ${port}.`
      : `Ask for /metrics at ${listenerOrigin(host, port)}: that is metrics.host and metrics.port.`,
    routes: [metricsRoute(metrics)],
  });
  return listener;
}

function metricsRoute(metrics: Metrics): NodeRoute {
  return {
    name: PATH,
    matches: (path) => path === PATH,
    handle: async (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return sendAnswer(response, methodNotAllowedAnswer(['GET', 'HEAD']));
      const text = await metrics.render();
      response
        .writeHead(200, { 'content-type': metrics.contentType, 'content-length': Buffer.byteLength(text) })
        .end(text);
    },
  };
}
