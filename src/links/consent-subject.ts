/** The subject of a scheme's consent: connection and connector of a link, with the account's values in its addresses. */
import { consentFiller, firstBaseUrl, placeholderValues } from '../connections/placeholders.ts';
import { rulesOf } from '../authorization-types/blocks.ts';
import type { ConnectorAuth } from '../catalog/model/types.ts';
import { TokenFailure } from '../credentials/oauth/token-endpoint.ts';
import { schemeOf } from '../credentials/schemes/index.ts';
import type { ConsentStep, ConsentSubject, LocatedConsent } from '../credentials/schemes/consent-step.ts';
import type { SchemeServices } from '../credentials/schemes/renewal.ts';
import type { UsableLink } from './usable-link.ts';

/** @throws Error for a type that is not connected by consent: a bug in the caller */
export function consentStepOf(auth: ConnectorAuth): ConsentStep {
  const { consent } = schemeOf(auth.type);
  if (consent === undefined) throw new Error(`${auth.type} has no consent`);
  return consent;
}

/** @param apiConfig JSON: of the account, with what was entered for this consent */
export function consentSubject(
  { row, connection, connector, auth }: UsableLink,
  apiConfig: Readonly<Record<string, unknown>>,
): ConsentSubject {
  const values = placeholderValues({ ...row, apiConfig });
  return {
    connection,
    connector,
    auth,
    apiConfig,
    fill: consentFiller(rulesOf(auth) ?? {}, connector, values),
    baseUrl: () => firstBaseUrl(connector, connection, values),
  };
}

/**
 * The consent page as the provider describes it now. `undefined` if the provider does not answer; then the redirect to
 * it reports why.
 *
 * @param scopes of the connection and the link
 */
export async function locatedConsent(
  step: ConsentStep,
  subject: ConsentSubject,
  scopes: readonly string[],
  services: SchemeServices,
): Promise<LocatedConsent | undefined> {
  try {
    return await step.locate?.(subject, scopes, services);
  } catch (error) {
    if (error instanceof TokenFailure) return undefined;
    throw error;
  }
}
