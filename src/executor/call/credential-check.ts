/**
 * Sends the request by which a connector's `check` proves a credential, with the credential where a tool call has it and
 * under the same address policy. Of the answer only its status is read, and nothing is recorded.
 */
import type { Candidate, TrialOutcome } from '../../accounts/credential-trials.ts';
import { ServiceError } from '../../core/errors.ts';
import { staticSchemeOf } from '../../credentials/schemes/index.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import { draftOf, targetOf, withCredential } from './provider-request.ts';

/** Time for the whole request: somebody waits for the form. */
const TIMEOUT_MS = 5_000;

/** Far above the answer of a cheap read. */
const MAX_ANSWER_BYTES = 1_000_000;

/** Tries a credential with one request that is not repeated and follows no redirect. */
export async function sendCredentialCheck(
  outbound: Pick<Outbound, 'send'>,
  { connector, auth, connection, details, apiConfig }: Candidate,
): Promise<TrialOutcome> {
  const scheme = staticSchemeOf(auth.type);
  if (auth.check === undefined || scheme === undefined) return 'unknown';
  const { path, host, query, headers, refused } = auth.check;
  try {
    const target = targetOf(connector, host, { apiConfig, connection }, details);
    const read = { method: 'GET', host, path, query: Object.entries(query), headers } as const;
    const request = withCredential(draftOf(read, target), scheme.attach({ details, auth }));
    const { status } = await outbound.send({
      ...request,
      headersTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    if (refused.includes(status)) return 'refused';
    return status >= 200 && status < 300 ? 'accepted' : 'unknown';
  } catch (error) {
    // No answer, or an address that is not complete: neither is about the credential.
    if (error instanceof OutboundFailure || error instanceof ServiceError) return 'unknown';
    throw error;
  }
}
