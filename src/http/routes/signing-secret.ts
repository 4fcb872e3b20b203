/** The secret that signs an environment's messages, over REST (docs/contract.md#signatures). Every read is audited. */
import { z } from '@hono/zod-openapi';
import type { SigningSecrets } from '../../signed-sender/signing-secrets.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { timestamp } from '../api/schemas.ts';

const path = '/api/v1/signing_secret';
const tag = 'Webhooks';
const access = { unbound: 'admin' } as const;

const answer = z
  .object({
    secret: z.string().openapi({ description: '`whsec_` and the key as base64.' }),
    previous_until: timestamp.nullable().openapi({
      description: 'Until then messages are also signed with the previous secret.',
    }),
  })
  .openapi('SigningSecret');

export interface SigningSecretServices {
  signingSecrets: Pick<SigningSecrets, 'show' | 'rotate'>;
}

/** Adds the routes of the signing secret. */
export function addSigningSecretRoutes(
  endpoints: Endpoints,
  { signingSecrets }: SigningSecretServices,
): void {
  endpoints.add(
    { method: 'get', path, tag, summary: 'Read the signing secret.', access, answer },
    ({ caller }) => signingSecrets.show(caller),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}:rotate`,
      tag,
      summary: 'Create a new signing secret. The previous one also signs for another 24 h.',
      access,
      answer,
    },
    ({ caller }) => signingSecrets.rotate(caller),
  );
}
