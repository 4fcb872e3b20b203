/** Settings that are accepted and checked, but that this version does nothing with: said aloud, never ignored in silence. */
import type { Settings } from '../core/config/settings.ts';

/** One sentence per setting that has no effect yet; empty for most installations. */
export function settingsWithoutEffect(settings: Settings): string[] {
  const { environments, smtp, requestInfo } = settings;
  const used: [string, boolean][] = [
    ['interceptors', environments.some((environment) => environment.interceptors.length > 0)],
    ['smtp', smtp !== undefined],
    ['request_info', requestInfo !== undefined],
  ];
  return used
    .filter(([, isSet]) => isSet)
    .map(([name]) => `${name} of the settings has no effect in this version of Gatehouse.`);
}
