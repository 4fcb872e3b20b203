/** Words of the pages of API credentials. */
import type { CredentialScope } from '../../core/caller.ts';

const SCOPES: Readonly<Record<CredentialScope, string>> = {
  'accounts:read': 'See connected accounts, without what is secret',
  'accounts:write': 'Create, change, connect and delete accounts; sees them too',
  'accounts:credentials': 'Read the live credentials of accounts',
  'tools:execute': 'Run tools and send requests through the proxy',
  'metrics:read': 'Read /metrics',
  admin: 'Manage everything: connections, people, credentials, webhooks, interceptors',
};

/** Words and sentences. */
export const credentials = {
  title: 'API credentials',
  lead: 'A program proves with a client id and a secret who it is, and gets a token for what its scopes allow.',
  heading: 'Of this environment',
  add: 'Create a credential',
  none: 'There is no API credential yet. A program needs one to call the REST API.',
  columns: { name: 'Name', scopes: 'Scopes', lastUsed: 'Last used', by: 'Made by', made: 'Made' },
  unused: 'Not yet',
  scopes: SCOPES,
  local: 'Command line or start',
  unknown: 'Not recorded',
  create: {
    title: 'Create a credential',
    heading: 'New credential',
    submit: 'Create',
    cancel: 'Cancel',
    name: 'Name',
    nameHint: 'The program that uses it, for people.',
    scopes: 'Scopes',
    scopesHint:
      'Give only what the program needs; it cannot be changed later. Only the command line, or a credential that has accounts:credentials, gives that one.',
    organization: 'Organization',
    organizationHint:
      'Its id, org_… or one of your own application: the credential then reaches the accounts of this organization only.',
  },
  secret: {
    created: (name: string) => `${name} was created`,
    rotated: (name: string) => `${name} has a new secret`,
    title: (name: string) => `Client secret of ${name}`,
    clientId: 'Client id',
    curl: 'Get a token, to try it',
    both: (until: string) =>
      `The secret before works until ${until}. Give the new one to the program before then.`,
  },
  facts: {
    heading: 'Credential',
    id: 'Id',
    clientId: 'Client id',
    secret: 'Client secret',
    secretStored: 'Stored as a SHA-256 hash only, so it cannot be shown',
    organization: 'Organization',
    everything: 'All organizations',
  },
  overlap: (until: string, left: string) =>
    `Two secrets work: the new one, and the one before until ${until} (${left} left).`,
  left: (hours: number, minutes: number) => (hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`),
  rotate: {
    button: 'Rotate the secret',
    title: (name: string) => `Rotate the secret of ${name}`,
    atCommandLine: (id: string) =>
      `This credential has scopes that the dashboard does not give. Rotate it at the command line: gatehouse credentials rotate ${id}`,
    goes: ['The present secret stops working in 24 hours. Until then both work.'],
    stays: [
      'Client id and scopes.',
      'If the secret leaked, delete the credential instead: that ends it at once.',
    ],
  },
  remove: {
    link: 'Delete',
    title: (name: string) => `Delete ${name}?`,
    goes: [
      'The credential goes. Its tokens are refused within 5 seconds.',
      'Sessions that it made for users end.',
    ],
    stays: ['Connected accounts stay.'],
    button: 'Delete the credential',
    done: (name: string) => `The credential ${name} was deleted.`,
  },
} as const;
