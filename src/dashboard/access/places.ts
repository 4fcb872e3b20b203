/** Where the pages of ids are. */

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

/** The page of what has an id; `undefined` for another text. What is deleted has a page that says so. */
export function pageOfId(text: string): string | undefined {
  const [, prefix = ''] = /^([a-z]{2,4})_[0-9a-z]{10,40}$/.exec(text) ?? [];
  const place = PLACES[prefix];
  return place === undefined ? undefined : `/dashboard/${place}/${text}`;
}
