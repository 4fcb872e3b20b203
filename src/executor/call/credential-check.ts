/**
 * Sends the request by which a connector's `check` proves a credential, with the credential where a tool call has it and
 * under the same address policy. Of the answer its status is read, and its body where the connector names refusals in it;
 * nothing is recorded.
 */
import type { Candidate, TrialOutcome } from '../../accounts/credential-trials.ts';
import { ServiceError } from '../../core/errors.ts';
import { staticSchemeOf } from '../../credentials/schemes/index.ts';
import { AnswerReader } from '../../outbound/answer-reader.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import { isRefusal } from './active-account-guard.ts';
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
    const attached = scheme.attach({ details, auth });
    const response = await outbound.send({
      ...withCredential(draftOf(read, target), attached),
      headersTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    const { status } = response;
    if (refused.includes(status)) return 'refused';
    if (status < 200 || status > 299) return 'unknown';
    const { title, errors } = connector;
    const reader = new AnswerReader({ title, effect: 'read' }, errors, '', attached.secrets);
    const failure = reader.failureOf(response, undefined);
    if (failure === undefined) return 'accepted';
    return isRefusal(failure, connector) ? 'refused' : 'unknown';
  } catch (error) {
    // No answer, or an address that is not complete: neither is about the credential.
    if (error instanceof OutboundFailure || error instanceof ServiceError) return 'unknown';
    throw error;
  }
}
