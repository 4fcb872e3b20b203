/** Finds the flow that a callback belongs to, and the connector data needed before it is claimed. Reads only. */
import { catalogIn } from '../../catalog/model/environment-catalog.ts';
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

/** The part of a flow that a callback needs. */
export interface CallbackFlow {
  flow: OAuthFlow;
  /** Name of the provider, as users know it. */
  connectorTitle: string;
  /** Parameter that carries the provider's consent. */
  answer: string;
  /** The provider returns its answer in the URL fragment, which only the browser sees. */
  isInFragment: boolean;
}

/** @throws PageFailure of a callback, `state`; claimed and expired flows are found, too */
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
  const connector = catalogIn(catalog, environmentId).connectors.get(name);
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
