/** The HTTP client, loaded at the first provider call or a moment after a server's start: a start and a list of tools do not need it. */
import { readFileSync } from 'node:fs';
import type { Settings } from '../../settings/settings.ts';
import { AddressPolicy } from '../../outbound/address-policy.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { Opener } from '../../outbound/fetch-face.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import { loadOnce } from '../../core/load-once.ts';

/** Milliseconds between `loadSoon` and loading the client, because clients list the tools first. */
const SOON_MS = 200;

/** An Outbound that is created when something is sent. */
export interface LazyOutbound extends Sender, Opener {
  /** Whether calls may reach an address, judged by its text alone: no name is looked up. */
  isReachable: (url: URL) => boolean;
  /** The same without the private hosts that the operator allows. */
  isPublic: (url: URL) => boolean;
  /** Sends without the private hosts that the operator allows: for addresses that anybody may name. */
  publicOnly: Pick<Outbound, 'send'>;
  /** For servers: loads the code when the start is over, so that the first call does not wait for it (about 30 ms). */
  loadSoon(): void;
  close(): Promise<void>;
}

/** Settings that make sending impossible, by their paths in gatehouse.yaml. Reads the certificate file. */
export function outboundProblems({
  caFile,
  allowPrivateHosts,
}: Settings['outbound']): { path: readonly string[]; message: string }[] {
  const certificates = caFile === undefined ? undefined : certificateProblem(caFile);
  const { problem: hosts } = policyOf(allowPrivateHosts);
  return [
    ...(certificates === undefined ? [] : [{ path: ['outbound', 'ca_file'], message: certificates }]),
    ...(hosts === undefined ? [] : [{ path: ['outbound', 'allow_private_hosts'], message: hosts }]),
  ];
}

/** Whether calls may reach an address, judged by its text alone; always true if its settings are unusable. */
export function reachableUnder({ allowPrivateHosts }: Settings['outbound']): (url: URL) => boolean {
  const { policy } = policyOf(allowPrivateHosts);
  return (url) => policy === undefined || permits(policy, url);
}

/** @param settings without `outboundProblems` */
export function lazyOutbound(settings: Settings['outbound']): LazyOutbound {
  const policy = new AddressPolicy(settings);
  const everywhere = opening(settings, policy);
  const publicPolicy = new AddressPolicy({ allowPrivateHosts: [] });
  const publicOnly = opening(settings, publicPolicy);
  let loading: NodeJS.Timeout | undefined;
  return {
    totalTimeoutMs: settings.totalTimeoutMs,
    isReachable: (url) => permits(policy, url),
    isPublic: (url) => permits(publicPolicy, url),
    send: everywhere.send,
    open: everywhere.open,
    publicOnly,
    loadSoon: () => {
      // The first call tries again, and tells if that fails.
      loading ??= setTimeout(() => void loadCode().catch(() => {}), SOON_MS).unref();
    },
    close: async () => {
      clearTimeout(loading);
      await Promise.all([everywhere.close(), publicOnly.close()]);
    },
  };
}

async function loadCode() {
  return import('../../outbound/outbound.ts');
}

function opening(
  settings: Settings['outbound'],
  policy: AddressPolicy,
): Pick<Outbound, 'send' | 'open' | 'close'> {
  let opened: Outbound | undefined;
  const open = loadOnce(async () => {
    const { Outbound } = await loadCode();
    return (opened = new Outbound({ ...settings, policy }));
  });
  return {
    send: async (request) => (opened ?? (await open())).send(request),
    open: async (request) => (opened ?? (await open())).open(request),
    close: async () => {
      await opened?.close();
    },
  };
}

function policyOf(
  allowPrivateHosts: readonly string[],
): { policy: AddressPolicy; problem?: never } | { policy?: never; problem: string } {
  try {
    return { policy: new AddressPolicy({ allowPrivateHosts }) };
  } catch (error) {
    return { problem: `cannot be used. ${error instanceof Error ? error.message : String(error)}` };
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

function certificateProblem(caFile: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(caFile, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `names a file that cannot be read: ${reason}. Name one that can.`;
  }
  return text.includes('CERTIFICATE-----')
    ? undefined
    : `names ${caFile}, which holds no certificate. Name a PEM file.`;
}
