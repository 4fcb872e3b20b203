/** Finds valid settings that have no effect in combination with others, so that none is ignored silently. */
import type { Settings } from '../../settings/settings.ts';

/** One sentence per setting that has no effect; empty for most installations. */
export function settingsWithoutEffect({ requestInfo }: Settings): string[] {
  if (requestInfo?.trustedProxies.length !== 0) return [];
  return [
    'request_info has no effect without trusted_proxies: headers are accepted from trusted proxies only.',
  ];
}
