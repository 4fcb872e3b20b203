/**
 * Sends what the outbox of a database holds until it is killed.
 *
 * argv: database URL, host and port it may reach although private, milliseconds after which an attempt whose
 * process died is made again. Says `ready` when it has begun.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/core/clock.ts';
import { createLog } from '../../../src/core/pino-log.ts';
import { SignedSender } from '../../../src/signed-sender/signed-sender.ts';
import { SigningSecrets } from '../../../src/signed-sender/signing-secrets.ts';
import { WebhookDeliverer } from '../../../src/webhooks/webhook-deliverer.ts';
import { AddressPolicy } from '../../../src/outbound/address-policy.ts';
import { Outbound } from '../../../src/outbound/outbound.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { Vault } from '../../../src/vault/vault.ts';

const [url = '', host = '', leaseMs = ''] = process.argv.slice(2);
const db = await openDatabase({ url });
const outbound = new Outbound({
  policy: new AddressPolicy({ allowPrivateHosts: [host] }),
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 20_000,
  totalTimeoutMs: 30_000,
  maxResponseBytes: 1_000_000,
});
const vault = new Vault([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
const secrets = new SigningSecrets({ db, vault, clock: systemClock });
const deliverer = new WebhookDeliverer({
  db,
  clock: systemClock,
  log: createLog('warn'),
  sender: new SignedSender({ outbound, secrets, clock: systemClock }),
  environmentIds: () => ['env_1'],
  giveUpAfterMs: 3 * 24 * 3_600_000,
  times: { leaseMs: Number(leaseMs) },
});
deliverer.start();
writeSync(1, 'ready\n');
setInterval(() => {}, 60_000);
