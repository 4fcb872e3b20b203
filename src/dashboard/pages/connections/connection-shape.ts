/**
 * The settings that a connection of a connector can have and the steps to set it up, from the facts of its
 * authorization type. Pure.
 */
import type { SecretParam } from '../../../authorization-types/facts.ts';
import { isByConsent, typeOf } from '../../../authorization-types/index.ts';
import { rulesOf } from '../../../authorization-types/blocks.ts';
import type { Connector, ConnectorAuth } from '../../../catalog/model/types.ts';
import { GENERAL_STEPS, PROVIDER_STEPS, type ProviderStep } from '../../words/provider-steps.ts';

/** Parts of the forms and pages of a connection. */
export interface ConnectionShape {
  connector: Connector;
  auth: ConnectorAuth;
  /** Accounts are connected at the provider, which needs the redirect URI. */
  isByConsent: boolean;
  /** It has a client id and a secret of its own. */
  hasClient: boolean;
  /** The param that is used instead of a client secret. */
  secretParam: SecretParam | undefined;
  /** Parts of addresses that all accounts share if the connection sets them. */
  placeholders: readonly { name: string; label: string; hint: string | undefined }[];
  /** Scopes of the catalog, with their meanings. */
  scopes: readonly { value: string; meaning: string }[];
  steps: readonly ProviderStep[];
}

/** @returns `undefined` if the connector does not have this type */
export function connectionShape(connector: Connector, type: string | undefined): ConnectionShape | undefined {
  const auth =
    type === undefined ? connector.auth[0] : connector.auth.find((candidate) => candidate.type === type);
  if (auth === undefined) return undefined;
  const facts = typeOf(auth);
  const rules = rulesOf(auth) ?? {};
  const names = new Set([
    ...connector.hosts.flatMap(({ placeholders }) => Object.keys(placeholders)),
    ...Object.keys(rules.placeholders ?? {}),
    ...Object.keys(facts.placeholders?.(rules) ?? {}),
  ]);
  const shape = {
    connector,
    auth,
    isByConsent: isByConsent(auth),
    hasClient: facts.block !== undefined,
    secretParam: facts.secretParam?.(rules),
    placeholders: [...names].map((name) => {
      const setting = connector.settings?.[name];
      return { name, label: setting?.label ?? name, hint: setting?.hint };
    }),
    scopes: Object.entries(auth.scopes ?? {}).map(([value, meaning]) => ({ value, meaning })),
  };
  return { ...shape, steps: stepsOf(shape) };
}

function stepsOf({
  connector,
  isByConsent: byConsent,
  hasClient,
  secretParam,
}: Omit<ConnectionShape, 'steps'>): readonly ProviderStep[] {
  const own = PROVIDER_STEPS[connector.name];
  if (own !== undefined) return own;
  if (secretParam !== undefined) return GENERAL_STEPS[secretParam](connector.title);
  if (byConsent) return GENERAL_STEPS.consent(connector.title);
  return hasClient && !connector.needsNoOperator ? GENERAL_STEPS.client(connector.title) : GENERAL_STEPS.none;
}
