/**
 * Sends the request by which a connector's `who` learns the name of an account at its provider, with the credential
 * where a tool call has it and under the same address policy. Nothing is recorded, and no failure matters.
 */
import type { AskWho } from '../../accounts/display-names.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { schemeOf } from '../../credentials/schemes/index.ts';
import { parseJsonAnswer, textAt, UnreadableAnswer } from '../../outbound/json-answer.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import { draftOf, targetOf, withCredential } from './provider-request.ts';

/** Time for the whole request: somebody waits for the page. */
const TIMEOUT_MS = 5_000;

/** Far above what a provider says about one person. */
const MAX_ANSWER_BYTES = 100_000;

/** Asks once: nothing is repeated, and no redirect followed. */
export function whoAsker(outbound: Pick<Outbound, 'send'>, clock: Clock): AskWho {
  return async ({ connector, auth, connection, details, apiConfig, account }) => {
    if (auth.who === undefined) return undefined;
    const { path, host, query, headers, name } = auth.who;
    const openConnection = async (): Promise<never> => {
      throw new Error(
        `${auth.type} asks for the secret of its connection, which the catalog's check excludes`,
      );
    };
    try {
      const target = targetOf(connector, host, { apiConfig, connection }, details);
      const read = { method: 'GET', host, path, query: Object.entries(query), headers } as const;
      const attached = await schemeOf(auth.type).attach({
        details,
        connector,
        auth,
        account,
        clock,
        openConnection,
      });
      const { status, body } = await outbound.send({
        ...withCredential(draftOf(read, target), attached),
        headersTimeoutMs: TIMEOUT_MS,
        totalTimeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      });
      return status === 200 ? textAt(parseJsonAnswer(new TextDecoder().decode(body)), name) : undefined;
    } catch (error) {
      // No answer, one that cannot be read, or an address that is not complete.
      const isHarmless =
        error instanceof OutboundFailure ||
        error instanceof ServiceError ||
        error instanceof UnreadableAnswer;
      if (isHarmless) return undefined;
      throw error;
    }
  };
}
