/** The HTTP client, loaded at the first provider call: starting and listing tools does not need it. */
import { readFileSync } from 'node:fs';
import type { Settings } from '../core/config/settings.ts';
import { AddressPolicy } from '../provider/address-policy.ts';
import type { Outbound } from '../provider/outbound.ts';
import type { Sender } from '../provider/provider-client.ts';
import { loadOnce } from './load-once.ts';

/** An Outbound that comes into being when something is sent. */
export interface LazyOutbound extends Sender {
  /** Whether calls may reach an address, as far as its text tells: no name is looked up. */
  isReachable: (url: URL) => boolean;
  /** The same without the private hosts that the operator allows: for addresses that anybody may name. */
  publicOnly: Pick<Outbound, 'send'>;
  close(): Promise<void>;
}

/** Settings with which nothing can be sent. The message names the setting and says what to do. */
export class OutboundProblem extends Error {
  override readonly name = 'OutboundProblem';
}

/** @throws OutboundProblem when a setting cannot be used: at the start, not at the first call */
export function lazyOutbound(settings: Settings['outbound']): LazyOutbound {
  if (settings.caFile !== undefined) requireCertificates(settings.caFile);
  const policy = policyOf(settings);
  const everywhere = opening(settings, policy);
  const publicOnly = opening(settings, new AddressPolicy({ allowPrivateHosts: [] }));
  return {
    totalTimeoutMs: settings.totalTimeoutMs,
    isReachable: (url) => permits(policy, url),
    send: everywhere.send,
    publicOnly,
    close: async () => {
      await Promise.all([everywhere.close(), publicOnly.close()]);
    },
  };
}

function opening(
  settings: Settings['outbound'],
  policy: AddressPolicy,
): { send: Outbound['send']; close: () => Promise<void> } {
  let opened: Outbound | undefined;
  const open = loadOnce(async () => {
    const { Outbound } = await import('../provider/outbound.ts');
    return (opened = new Outbound({ ...settings, policy }));
  });
  return {
    send: async (request) => (await open()).send(request),
    close: async () => {
      await opened?.close();
    },
  };
}

function policyOf(settings: Settings['outbound']): AddressPolicy {
  try {
    return new AddressPolicy(settings);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OutboundProblem(`outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS): ${reason}`, {
      cause,
    });
  }
}

function permits(policy: AddressPolicy, url: URL): boolean {
  try {
    policy.checkUrl(url);
    return true;
  } catch {
    return false;
  }
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
