/** The flow that a callback belongs to, and what of its connector matters before it is claimed. Reads only. */
import type { Catalog, ConnectorAuth } from '../../catalog/model/types.ts';
import { hashSecret } from '../../core/ids.ts';
import { PageFailure } from '../../core/page-failure.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { OAuthFlowStore } from '../../store/accounts/oauth-flow-store.ts';
import type { OAuthFlow } from '../../store/accounts/oauth-flow.ts';
import { isByConsent } from '../../authorization-types/index.ts';
import { schemeOf } from '../../credentials/schemes/index.ts';
import { stateOf } from './callback-checks.ts';
import { consentStepOf } from '../consent-subject.ts';

/** A flow, as far as a callback needs it. */
export interface CallbackFlow {
  flow: OAuthFlow;
  /** What a person calls the provider. */
  connectorTitle: string;
  /** Parameter in which the provider's yes comes. */
  answer: string;
  /** The provider leaves its answer where only the browser sees it. */
  isInFragment: boolean;
}

/** @throws PageFailure of a callback, `state`; a flow that is claimed or expired is found */
export async function callbackFlow(
  { db, catalog }: { db: Database; catalog: Catalog },
  environmentId: string,
  query: URLSearchParams,
): Promise<CallbackFlow> {
  const state = stateOf(query);
  const flow =
    state === undefined
      ? undefined
      : await new OAuthFlowStore(db.read).findByState(environmentId, hashSecret(state));
  if (flow === undefined) throw new PageFailure('callback', 'state');
  const row = await new AccountStore(db.read).find({ environmentId }, flow.accountId);
  const name = row?.connection.connector ?? 'the provider';
  const connector = catalog.connectors.get(name);
  const auth = connector?.auth.find(({ type }) => type === row?.connection.type);
  return { flow, connectorTitle: connector?.title ?? name, ...waysOf(auth) };
}

function waysOf(auth: ConnectorAuth | undefined): Pick<CallbackFlow, 'answer' | 'isInFragment'> {
  if (auth === undefined || !isByConsent(auth)) return { answer: 'code', isInFragment: false };
  return {
    answer: consentStepOf(auth).answer(auth),
    isInFragment: schemeOf(auth.type).connect(auth) === 'fragment',
  };
}
