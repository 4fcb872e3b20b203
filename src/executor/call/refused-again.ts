/**
 * A credential that the provider goes on refusing although it was renewed. It may be the provider's mistake, so the
 * account stays as it is; the answer has a link for its owner, because a new consent is what helps when it is not.
 */
import type { Links } from '../../links/links.ts';
import type { Connector } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import { ProviderFailure } from '../../outbound/provider-failure.ts';
import type { AccountRow } from '../../store/accounts/account-store.ts';
import { connectLink } from './connect-link.ts';

/** @returns TOOL_ERROR, 502, with a link where one can be made */
export async function refusedAgain(
  links: Pick<Links, 'createFor'>,
  { caller, row, connector }: { caller: Caller; row: AccountRow; connector: Connector },
  failure: ProviderFailure,
): Promise<ProviderFailure> {
  const connect = await connectLink(links, caller, row);
  const what = `${connector.title} refuses the credential of this account, also after it was renewed (${failure.toolError.provider_status}).`;
  const advice =
    'link' in connect
      ? 'If calling again a little later does not help, the owner of the account connects it anew by opening the authorization link.'
      : connect.unavailable;
  return new ProviderFailure(`${what} ${advice}`, failure.status, failure.toolError, {
    cause: failure,
    details: {
      connected_account_id: row.id,
      ...('link' in connect && { authorization_link: connect.link, expiry: connect.expiry }),
    },
  });
}
