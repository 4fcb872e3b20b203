/** The first operator of a new installation: the link that a start makes for them, where somebody reads it. */
import { OperatorLinks } from '../../people/sign-in/operator-links.ts';
import type { Services } from './services.ts';

/** The action of a start for an environment without an operator. */
export interface FirstOperatorRequest {
  /** Name of the environment. */
  environment: string;
  /** Whether to make a link: only if it is shown on a terminal, never in a log. */
  makesLink: boolean;
}

/** An environment that has no operator yet. */
export interface FirstOperator {
  /** Address of the page that makes the first operator; absent if none was asked for. */
  link?: string;
}

/**
 * Ends the link of an earlier start, and makes a new one if that is requested and the environment has no operator
 * yet.
 *
 * @returns `undefined` if there is an operator, or no link was requested
 */
export async function awaitFirstOperator(
  { db, clock, environments }: Services,
  request: FirstOperatorRequest | undefined,
): Promise<FirstOperator | undefined> {
  const links = new OperatorLinks({ db, clock });
  await links.end();
  if (request === undefined) return undefined;
  const { id, baseUrl } = environments.byName(request.environment);
  if (await links.hasOperator(id)) return undefined;
  return request.makesLink ? { link: baseUrl + (await links.create(id)) } : {};
}
