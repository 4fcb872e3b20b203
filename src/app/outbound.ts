/** The HTTP client, loaded at the first provider call: starting and listing tools does not need it. */
import { readFileSync } from 'node:fs';
import type { Settings } from '../core/config/settings.ts';
import type { Outbound } from '../provider/outbound.ts';
import type { Sender } from '../provider/provider-client.ts';

/** An Outbound that comes into being when something is sent. */
export interface LazyOutbound extends Sender {
  close(): Promise<void>;
}

/** Settings with which nothing can be sent. The message names the setting and says what to do. */
export class OutboundProblem extends Error {
  override readonly name = 'OutboundProblem';
}

/** @throws OutboundProblem when outbound.ca_file cannot be used: at the start, not at the first call */
export function lazyOutbound(settings: Settings['outbound']): LazyOutbound {
  if (settings.caFile !== undefined) requireCertificates(settings.caFile);
  let opened: Promise<Outbound> | undefined;
  const open = async (): Promise<Outbound> => {
    const [{ Outbound }, { AddressPolicy }] = await Promise.all([
      import('../provider/outbound.ts'),
      import('../provider/address-policy.ts'),
    ]);
    return new Outbound({ ...settings, policy: new AddressPolicy(settings) });
  };
  const openOnce = async (): Promise<Outbound> => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    totalTimeoutMs: settings.totalTimeoutMs,
    send: async (request) => (await openOnce()).send(request),
    close: async () => {
      if (opened !== undefined) await (await opened).close();
    },
  };
}

function requireCertificates(caFile: string): void {
  const setting = 'outbound.ca_file (GATEHOUSE_CA_FILE)';
  let text: string;
  try {
    text = readFileSync(caFile, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OutboundProblem(`${setting} names a file that cannot be read: ${reason}. Name one that can.`, {
      cause: error,
    });
  }
  if (text.includes('CERTIFICATE-----')) return;
  throw new OutboundProblem(`${setting} names ${caFile}, which holds no certificate. Name a PEM file.`);
}
