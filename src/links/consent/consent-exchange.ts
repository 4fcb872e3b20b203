/** Exchanges the result of a callback for tokens: the only token request of a claimed flow. */
import type { OAuthFlow } from '../../store/accounts/oauth-flow.ts';
import type { NewCredentials } from '../link-completion.ts';
import { MetadataFailure } from '../../credentials/schemes/consent-metadata.ts';
import { ConnectionChangedFailure, type ConsentCredentials } from '../../credentials/schemes/consent-step.ts';
import type { Revocation } from '../../credentials/revocation.ts';
import { isByConsent } from '../../authorization-types/index.ts';
import type { SchemeServices } from '../../credentials/schemes/renewal.ts';
import { usableLinkOfId, type LinkSources, type UsableLink } from '../usable-link.ts';
import { exchangeFailure, metadataFailure } from './consent-failure.ts';
import { consentStepOf, consentSubject } from '../consent-subject.ts';
import { changed, received, verifierPlace, withEntered } from './flow-values.ts';
import { TokenFailure } from '../../credentials/oauth/token-endpoint.ts';
import { PageFailure } from '../../core/page-failure.ts';

/**
 * Sends at most one token request, to the address stored with the flow, and then at most one for metadata.
 *
 * @param flow claimed
 * @throws PageFailure of a callback, or of a link that ended meanwhile; ServiceError INVALID_ARGUMENT if the
 *   connection was changed meanwhile
 */
export async function exchangedAnswer(
  sources: LinkSources & { services: SchemeServices; revocation: Pick<Revocation, 'tokensDiscarded'> },
  flow: OAuthFlow,
  query: URLSearchParams,
  connectorTitle: string,
): Promise<UsableLink & { credentials: NewCredentials }> {
  const { clock, services } = sources;
  const usable = await usableLinkOfId(sources, flow.environmentId, flow.linkId);
  const { row, connection, auth } = usable;
  if (!isByConsent(auth)) throw new PageFailure('link', 'unknown');
  const sealed = flow.verifierSealed;
  const back = {
    query,
    redirectUri: flow.redirectUri,
    scopes: flow.scopes,
    secret: sealed === null ? undefined : await services.vault.open(verifierPlace(flow.id), sealed),
    tokenUrl: flow.tokenUrl,
    issuer: flow.issuer,
  };
  const subject = consentSubject(usable, withEntered(row, flow.apiConfig));
  const step = consentStepOf(auth);
  let came: ConsentCredentials;
  try {
    came = await step.finish(subject, back, services);
  } catch (cause) {
    if (cause instanceof ConnectionChangedFailure) throw changed(connection);
    if (cause instanceof TokenFailure) throw exchangeFailure(cause, connectorTitle);
    throw cause;
  }
  try {
    const apiConfig = { ...came.apiConfig, ...(await step.learn?.(subject, { query, came }, services)) };
    return { ...usable, credentials: received({ ...came, apiConfig }, flow, clock.now()) };
  } catch (cause) {
    if (!(cause instanceof MetadataFailure)) throw cause;
    sources.revocation.tokensDiscarded(row, came.details);
    throw metadataFailure(cause, connectorTitle);
  }
}
