/**
 * Rules for the overrides of a connection: addresses that replace the connector's own
 * (docs/contract.md#overrides-of-a-connection). Pure.
 */
import type { FieldViolation } from '../core/errors.ts';
import { isLoopbackHostname } from '../core/hosts.ts';
import { webUrlProblem } from './web-url.ts';
import type { ConnectionOverrides } from '../store/tables/tables.ts';

/** Whether outbound calls may reach an address, judged by its text and the settings. */
export type Reachable = (url: URL) => boolean;

const MAX_LENGTH = 2_048;

const NAMES: readonly (keyof ConnectionOverrides)[] = [
  'base_url',
  'authorization_url',
  'request_token_url',
  'token_url',
  'issuer',
  'revocation_url',
];

/** Everything wrong with overrides, with fields `overrides.<name>`. */
export function overrideViolations(
  overrides: Readonly<Record<string, unknown>>,
  isReachable: Reachable,
): FieldViolation[] {
  return Object.entries(overrides).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const field = `overrides.${name}`;
    if (!NAMES.some((known) => known === name))
      return [{ field, description: `Unknown. Known: ${NAMES.join(', ')}.`, constraint: 'unknown' }];
    const description = addressProblem(name, value, isReachable);
    return description === undefined ? [] : [{ field, description, constraint: 'format' }];
  });
}

/** Client secrets and tokens are sent to these addresses: https, or http if nobody outside can listen. */
function addressProblem(name: string, value: unknown, isReachable: Reachable): string | undefined {
  if (typeof value !== 'string') return 'Must be a string.';
  if (value.length > MAX_LENGTH) return `Must be at most ${MAX_LENGTH} characters long.`;
  const problem = webUrlProblem(value, { httpOk: true });
  if (problem !== undefined) return problem;
  const url = new URL(value);
  if (url.protocol === 'http:' && !isLoopbackHostname(url.hostname) && !isReachable(url))
    return 'Must be an https URL; http is accepted on loopback and for hosts in outbound.allow_private_hosts only.';
  if (value.includes('#')) return 'Must not have a fragment (#).';
  if (name === 'base_url' && (url.pathname !== '/' || value.includes('?')))
    return 'Must be an origin such as https://sandbox.example.test: nothing after host and port.';
  return undefined;
}
