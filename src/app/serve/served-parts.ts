/** What the routes of `gatehouse serve` are made of. Types only. */
import type { Metrics } from '../../http/listener/metrics.ts';
import type { Services } from '../services/services.ts';
import type { Identity } from './build-identity.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';

/** What is served beside the installation's own services. */
export interface ServedParts {
  installation: Services;
  identity: Identity;
  mcp: McpEndpoint;
  metrics: Metrics;
  /** Resolves when database and key are usable. */
  ready: () => Promise<void>;
}
