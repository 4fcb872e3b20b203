/** Addresses of the pages that ids have. */

/** Pages by the prefix of an id. */
const PLACES: Readonly<Record<string, string>> = {
  ca: 'accounts',
  conn: 'connections',
  cred: 'credentials',
  exe: 'calls',
  icp: 'interceptors',
  mcp: 'servers',
  org: 'organizations',
  usr: 'users',
  whk: 'webhooks',
};

/**
 * The page of the thing with this id; `undefined` for a text that is not an id. A deleted thing has a page that
 * says so.
 */
export function pageOfId(text: string): string | undefined {
  const [, prefix = ''] = /^([a-z]{2,4})_[0-9a-z]{10,40}$/.exec(text) ?? [];
  const place = PLACES[prefix];
  return place === undefined ? undefined : `/dashboard/${place}/${text}`;
}
