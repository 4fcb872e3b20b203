/** Everything around webhooks of an installation. The deliverer sends only where a command starts it. */
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import type { PageTokens } from '../../core/page-token.ts';
import { DeliveryLog } from '../../webhooks/delivery-log.ts';
import { SignedSender } from '../../signed-sender/signed-sender.ts';
import { SigningSecrets } from '../../signed-sender/signing-secrets.ts';
import { WebhookDeliverer } from '../../webhooks/webhook-deliverer.ts';
import { Webhooks } from '../../webhooks/webhooks.ts';
import type { Database } from '../../store/engine/database.ts';
import { signallingOutbox } from '../../store/engine/outbox-signal.ts';
import type { Vault } from '../../vault/vault.ts';
import type { LazyOutbound } from './lazy-outbound.ts';

/** What an installation has of webhooks. */
export interface WebhookServices {
  webhooks: Webhooks;
  deliveryLog: DeliveryLog;
  signingSecrets: SigningSecrets;
  deliverer: WebhookDeliverer;
}

/** @returns the parts, and the database through which the deliverer learns at once what there is to send */
export function buildWebhooks(deps: {
  db: Database;
  vault: Vault;
  clock: Clock;
  log: Log;
  environments: Environments;
  outbound: LazyOutbound;
  pageTokens: PageTokens;
}): WebhookServices & { db: Database } {
  const { vault, clock, log, environments, outbound, pageTokens } = deps;
  const signingSecrets = new SigningSecrets({ db: deps.db, vault, clock });
  const deliverer = new WebhookDeliverer({
    db: deps.db,
    clock,
    log,
    sender: new SignedSender({ outbound, secrets: signingSecrets, clock }),
    environmentIds: () => environments.all.map(({ id }) => id),
  });
  const db = signallingOutbox(deps.db, () => deliverer.nudge());
  return {
    db,
    signingSecrets,
    deliverer,
    webhooks: new Webhooks({ db, clock, isReachable: outbound.isReachable }),
    deliveryLog: new DeliveryLog({ db, clock, pageTokens }),
  };
}
