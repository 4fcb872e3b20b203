/**
 * Resolves `me` in the input of a call to the id by which the provider knows the person of the account, as the
 * connector's `who` says. Asked once per account and credential, and remembered by this process.
 */
import { OWN_MEMBER } from '../../catalog/call/mended-input.ts';
import type { ConnectorAuth } from '../../catalog/model/types.ts';
import { invalidArgument, violation } from '../../core/errors.ts';
import { textAt } from '../../outbound/json-answer.ts';
import type { ProviderClient } from '../../outbound/provider-client.ts';
import { sendRead, type PreparedCall } from './perform-call.ts';

/** Accounts whose person is remembered; the oldest is forgotten first. */
const MAX_KNOWN = 10_000;

type Input = Readonly<Record<string, unknown>>;

export class OwnMembers {
  readonly #known = new Map<string, string>();

  /**
   * The input of a call with the person's id instead of `OWN_MEMBER`.
   *
   * @param parameters those that have it
   * @throws ServiceError INVALID_ARGUMENT if the provider names nobody; TOOL_ERROR
   */
  async filled(
    provider: ProviderClient,
    call: PreparedCall,
    auth: ConnectorAuth,
    parameters: readonly string[],
  ): Promise<Input> {
    const id = await this.#idOf(provider, call, auth);
    if (id === undefined)
      throw invalidArgument(
        parameters.map((name) =>
          violation(name, 'The provider does not say who this account is. Give the id of a member.', 'me'),
        ),
      );
    return Object.fromEntries(
      Object.entries(call.input).map(([name, value]) => [
        name,
        parameters.includes(name) ? replaced(value, id) : value,
      ]),
    );
  }

  /** A new credential may be another person's, so it is asked again. */
  async #idOf(
    provider: ProviderClient,
    call: PreparedCall,
    { who }: ConnectorAuth,
  ): Promise<string | undefined> {
    if (who?.me === undefined) return undefined;
    const { id, generation } = call.credential.current.account;
    const key = `${id}:${generation}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { path, host, query, headers, me } = who;
    const request = { method: 'GET', host, path, query: Object.entries(query), headers } as const;
    const found = textAt(await sendRead(provider, call, request), me);
    if (found === undefined) return undefined;
    const oldest = this.#known.keys().next();
    if (this.#known.size >= MAX_KNOWN && !oldest.done) this.#known.delete(oldest.value);
    this.#known.set(key, found);
    return found;
  }
}

/** Validated input has the mark at most two levels below the parameter: in an object of a list. */
function replaced(value: unknown, id: string): unknown {
  if (value === OWN_MEMBER) return id;
  if (Array.isArray(value)) return value.map((item: unknown) => replaced(item, id));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, id)]));
}
