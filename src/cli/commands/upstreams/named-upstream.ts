/** Finds the remote MCP server that a command means. */
import type { Admin } from '../../terminal/app.ts';
import type { Operator } from '../../terminal/command.ts';
import { withHint, type Listed } from '../../terminal/did-you-mean.ts';

type Operators = Admin['upstreams']['operators'];
/** A remote MCP server as output shows it. */
export type Upstream = Awaited<ReturnType<Operators['get']>>;
/** A waiting form, compared with the approved one. */
export type Diff = Awaited<ReturnType<Operators['diff']>>[number];
/** The description of a server to look at. */
export type NewUpstream = Parameters<Operators['add']>[1];

/** The argument of most commands. */
export const UPSTREAM = { upstream: 'its name' };

/** For hints after an unknown name. */
export const LISTED: Listed = {
  command: 'upstreams list',
  known: async ({ admin, caller }) =>
    (await admin.upstreams.operators.list(caller.environmentId)).map(({ name }) => ({ id: name, name })),
  takes: 'name',
};

/** @throws ServiceError RESOURCE_NOT_FOUND with the name that was probably meant */
export async function named(operator: Operator, name: string): Promise<Upstream> {
  const { admin, caller } = operator;
  return withHint(operator, name, LISTED, async () =>
    admin.upstreams.operators.get(caller.environmentId, name),
  );
}
