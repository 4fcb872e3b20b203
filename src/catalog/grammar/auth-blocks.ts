/** The blocks of an `auth` entry: one optional key for each authorization type that needs more than a form. */
import * as z from 'zod';
import {
  AUTHORIZATION_TYPE_NAMES,
  blockOf,
  typeOf,
  type BlockName,
  type BlockShape,
  type TypeWithBlock,
} from '../../authorization-types/index.ts';

/** By key, all optional: auth-check.ts requires the block of the entry's type and refuses the others. */
export type AuthBlocks = {
  [Type in TypeWithBlock as BlockName<Type>]: z.ZodOptional<BlockShape<Type>>;
};

const inOrder = AUTHORIZATION_TYPE_NAMES.toSorted(
  (a, b) =>
    Number(typeOf({ type: a }).isBlockLast ?? false) - Number(typeOf({ type: b }).isBlockLast ?? false),
);

/** The keys of the blocks, in the order of catalogs/schema.json. */
export const authBlocks = Object.fromEntries(
  inOrder.flatMap((type) => {
    const { block, purpose, description = `For ${type}: ${purpose}.` } = typeOf({ type });
    return block === undefined ? [] : [[blockOf(type), block(z).optional().describe(description)]];
  }),
) as AuthBlocks;
