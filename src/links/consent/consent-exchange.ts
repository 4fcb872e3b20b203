/** The exchange of what a browser came back with: the one request of a claimed flow to its token endpoint. */
import type { OAuthFlowRow } from '../../store/accounts/oauth-flow-store.ts';
import type { NewCredentials } from '../link-completion.ts';
import { LinkProblem } from '../link-rules.ts';
import { ConnectionChangedFailure } from '../../credentials/schemes/consent-step.ts';
import { isByConsent } from '../../authorization-types/index.ts';
import type { SchemeServices } from '../../credentials/schemes/renewal.ts';
import { usableLinkOfId, type LinkSources, type UsableLink } from '../usable-link.ts';
import { exchangeFailure } from './consent-failure.ts';
import { consentStepOf, consentSubject } from '../consent-subject.ts';
import { changed, received, verifierPlace, withEntered } from './flow-values.ts';
import { TokenFailure } from '../../credentials/oauth/token-endpoint.ts';

/**
 * Sends one token request at most, to the address that the flow has kept.
 *
 * @param flow claimed
 * @throws CallbackProblem; LinkProblem where the link ended meanwhile; ServiceError INVALID_ARGUMENT where the connection
 *   was changed meanwhile
 */
export async function exchangedAnswer(
  sources: LinkSources & { services: SchemeServices },
  flow: OAuthFlowRow,
  query: URLSearchParams,
  connectorTitle: string,
): Promise<UsableLink & { credentials: NewCredentials }> {
  const { clock, services } = sources;
  const usable = await usableLinkOfId(sources, flow.environment_id, flow.link_id);
  const { row, connection, auth } = usable;
  if (!isByConsent(auth)) throw new LinkProblem('unknown');
  const sealed = flow.verifier_sealed;
  const back = {
    query,
    redirectUri: flow.redirect_uri,
    scopes: flow.scopes,
    secret: sealed === null ? undefined : await services.vault.open(verifierPlace(flow.id), sealed),
    tokenUrl: flow.token_url,
    issuer: flow.issuer,
  };
  const subject = consentSubject(usable, withEntered(row, flow.api_config));
  try {
    const came = await consentStepOf(auth).finish(subject, back, services);
    return { ...usable, credentials: received(came, flow, clock.now()) };
  } catch (cause) {
    if (cause instanceof ConnectionChangedFailure) throw changed(connection);
    if (cause instanceof TokenFailure) throw exchangeFailure(cause, connectorTitle);
    throw cause;
  }
}
