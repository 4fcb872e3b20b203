/** Words of the search. */
export const search = {
  title: 'Search',
  lead: (text: string) => `What matches “${text}”.`,
  empty: 'Type a part of a name, or paste an id such as ca_… or exe_….',
  none: 'Nothing matches. Paste a whole id to open its page.',
  people: 'People',
  organizations: 'Organizations',
  connections: 'Connections',
  tools: 'Tools',
  accounts: 'Accounts',
  all: 'All of these',
} as const;
