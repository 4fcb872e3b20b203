/** What is added to the refusal of a name that nothing has: the name that was probably meant, and the command that lists all. */
import { nearest } from '../../core/text.ts';
import { ServiceError } from '../../core/errors.ts';

/** Things of one kind, such as connections. */
export interface Listed {
  /** The command that lists them, without `gatehouse`. */
  command: string;
  known: () => Promise<readonly { id: string; name: string }[]>;
  /** Which of the two the command line takes. */
  takes: 'name' | 'id';
}

/**
 * Does `work` with the thing that was named.
 *
 * @throws ServiceError RESOURCE_NOT_FOUND with what to write instead; what else `work` throws as it is
 */
export async function withHint<T>(named: string, listed: Listed, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'RESOURCE_NOT_FOUND') throw error;
    const known = await listed.known();
    const close = nearest(
      named.slice(0, 100),
      known.map(({ name }) => name),
    );
    const meant = known.find(({ name }) => name === close);
    const hint = meant === undefined ? '' : ` Did you mean ${meant[listed.takes]}?`;
    const message = `${error.message}${hint} "gatehouse ${listed.command}" shows all.`;
    throw new ServiceError(error.code, message, { details: error.details, cause: error });
  }
}
