/**
 * Resolves `me` in the input of a call to the id by which the provider knows the person of the account, as the
 * connector's `who` says. The provider is asked once per account and credential, and this process remembers the
 * answer.
 */
import { OWN_MEMBER } from '../../catalog/call/mended-input.ts';
import type { ConnectorAuth, ProviderSend } from '../../catalog/model/types.ts';
import { invalidArgument, violation } from '../../core/errors.ts';
import { textAt } from '../../outbound/json-answer.ts';
import type { Account } from '../../store/accounts/account.ts';

/** Most accounts whose person is remembered; the oldest is forgotten first. */
const MAX_KNOWN = 10_000;

type Input = Readonly<Record<string, unknown>>;

export class OwnMembers {
  readonly #known = new Map<string, string>();

  /**
   * The id of the person. With a new credential the provider is asked again, because the credential may be another
   * person's.
   *
   * @returns `undefined` if the provider names nobody
   * @throws the errors of `read`
   */
  async idOf(
    { id, generation }: Pick<Account, 'id' | 'generation'>,
    { who }: ConnectorAuth,
    read: ProviderSend,
  ): Promise<string | undefined> {
    if (who?.me === undefined) return undefined;
    const key = `${id}:${generation}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { path, host, query, headers, me } = who;
    const found = textAt(
      await read({ method: 'GET', host, path, query: Object.entries(query), headers }),
      me,
    );
    if (found === undefined) return undefined;
    const oldest = this.#known.keys().next();
    if (this.#known.size >= MAX_KNOWN && !oldest.done) this.#known.delete(oldest.value);
    this.#known.set(key, found);
    return found;
  }
}

/**
 * The input with the person's id instead of `OWN_MEMBER`.
 *
 * @param parameters names of the parameters that have it
 * @throws ServiceError INVALID_ARGUMENT if there is no id
 */
export function withOwnMember(input: Input, parameters: readonly string[], id: string | undefined): Input {
  if (id === undefined)
    throw invalidArgument(
      parameters.map((name) =>
        violation(name, 'The provider does not say who this account is. Give the id of a member.', 'me'),
      ),
    );
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      parameters.includes(name) ? replaced(value, id) : value,
    ]),
  );
}

/** Validated input has the mark at most two levels below the parameter: in an object of a list. */
function replaced(value: unknown, id: string): unknown {
  if (value === OWN_MEMBER) return id;
  if (Array.isArray(value)) return value.map((item: unknown) => replaced(item, id));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, id)]));
}
