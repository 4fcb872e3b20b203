/**
 * Finds the connector's host that an address belongs to. The credential is sent to the base address of an
 * account, so an account may choose one only within these hosts. Pure.
 */
import { wholePattern } from '../catalog/model/linear-pattern.ts';
import type { Connector } from '../catalog/model/types.ts';

/** Labels of a host name, regardless of a connector's pattern. */
const LABELS = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** Plain segments: nothing that a server could read as another path. */
const PLAIN_PATH = /^(\/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*\/?$/;

/**
 * @param endpoint a base address as entered
 * @returns index of the host; `undefined` for an address elsewhere, above the host's own path, or with more
 * than scheme, host and path
 */
export function hostOf({ hosts }: Pick<Connector, 'hosts'>, endpoint: string): number | undefined {
  const parts = /^(https?:\/\/)([^/?#@\\\s:]+(?::\d{1,5})?)(\/[^?#\\\s]*)?$/.exec(endpoint);
  if (parts === null || !URL.canParse(endpoint)) return undefined;
  const [, scheme = '', authority = '', path = ''] = parts;
  if (!PLAIN_PATH.test(path)) return undefined;
  const found = hosts.findIndex(({ url, placeholders }) => {
    const [, ownScheme = '', ownAuthority = '', ownPath = ''] =
      /^(https?:\/\/)([^/]+)(\/.*)?$/.exec(url) ?? [];
    const isBelow = `${path.replace(/\/$/, '')}/`.startsWith(`${ownPath}/`);
    return scheme === ownScheme && isBelow && matches(authority, ownAuthority, placeholders);
  });
  return found === -1 ? undefined : found;
}

/** A placeholder matches host labels only, even if its pattern allows more. */
function matches(
  authority: string,
  template: string,
  placeholders: Readonly<Record<string, string>>,
): boolean {
  const source = template
    .split(/(\{[^{}]*\})/)
    .map((part) => {
      const name = /^\{(.*)\}$/.exec(part)?.[1];
      return name === undefined ? part.replaceAll('.', '\\.') : `(?:${placeholders[name] ?? '[]'})`;
    })
    .join('');
  return LABELS.test(authority.replace(/:\d+$/, '')) && wholePattern(source).test(authority);
}
