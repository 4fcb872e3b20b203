/** Helps after an unknown name: adds the name that was probably meant, and the command that lists all. */
import { nearest } from '../../core/text.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Operator } from './command.ts';

/** Things of one kind, such as connections. */
export interface Listed {
  /** The command that lists them, without `gatehouse`. */
  command: string;
  known: (operator: Operator) => Promise<readonly { id: string; name: string }[]>;
  /** The member that the command line takes. */
  takes: 'name' | 'id';
}

/**
 * Does `work` with the thing of this name.
 *
 * @throws ServiceError RESOURCE_NOT_FOUND with the hint; other errors of `work` unchanged
 */
export async function withHint<T>(
  operator: Operator,
  name: string,
  { command, known, takes }: Listed,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'RESOURCE_NOT_FOUND') throw error;
    const all = await known(operator);
    const close = nearest(
      name.slice(0, 100),
      all.map((thing) => thing.name),
    );
    const meant = all.find((thing) => thing.name === close);
    const hint = meant === undefined ? '' : ` Did you mean ${meant[takes]}?`;
    const message = `${error.message}${hint} "gatehouse ${command}" shows all.`;
    throw new ServiceError(error.code, message, { details: error.details, cause: error });
  }
}

/**
 * Finds one of a short list by its id or its name.
 *
 * @param of.get throws the error for an unknown one
 * @throws ServiceError RESOURCE_NOT_FOUND with the hint
 */
export async function findByIdOrName<T extends { id: string; name: string }>(
  operator: Operator,
  idOrName: string,
  { command, known, get }: { command: string; known: () => Promise<readonly T[]>; get: () => Promise<T> },
): Promise<T> {
  const all = await known();
  const found =
    all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName.normalize('NFC'));
  if (found !== undefined) return found;
  return withHint(operator, idOrName, { command, known: async () => all, takes: 'name' }, get);
}
