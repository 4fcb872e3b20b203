/** Types of the parts that the routes of `gatehouse serve` need. */
import type { Metrics } from '../../http/listener/metrics.ts';
import type { Readiness } from '../../http/routes/operation.ts';
import type { Services } from '../services/services.ts';
import type { Identity } from './build-identity.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';

/** The parts that are served in addition to the installation's own services. */
export interface ServedParts {
  services: Services;
  identity: Identity;
  mcp: McpEndpoint;
  metrics: Metrics;
  /** Rejects if database or key are not usable. */
  ready: () => Promise<Readiness>;
}
