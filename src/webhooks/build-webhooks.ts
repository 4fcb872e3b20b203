/** Builds the webhook services of an installation. The deliverer sends only if a command starts it. */
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import type { Log } from '../core/log.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { SignedSender } from '../signed-sender/signed-sender.ts';
import type { Database } from '../store/engine/database.ts';
import { signallingOutbox } from '../store/engine/outbox-signal.ts';
import { DeliveryLog } from './delivery-log.ts';
import { WebhookDeliverer } from './webhook-deliverer.ts';
import { Webhooks } from './webhooks.ts';

/** @returns the services, and the database that notifies the deliverer at once of new events */
export function buildWebhooks(base: {
  db: Database;
  clock: Clock;
  log: Log;
  environments: Environments;
  sender: SignedSender;
  pageTokens: PageTokens;
  isReachable: (url: URL) => boolean;
  giveUpAfterMs: number;
}) {
  const { clock, environments, pageTokens, isReachable } = base;
  const deliverer = new WebhookDeliverer({
    ...base,
    environmentIds: () => environments.all.map(({ id }) => id),
  });
  const db = signallingOutbox(base.db, () => deliverer.wake());
  return {
    db,
    deliverer,
    webhooks: new Webhooks({ db, clock, isReachable }),
    deliveryLog: new DeliveryLog({ db, clock, pageTokens }),
  };
}
