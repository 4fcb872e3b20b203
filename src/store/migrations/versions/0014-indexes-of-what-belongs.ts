/** Migration 14: indexes that find what belongs to something, to read it or to delete it along. Never change it after a release; add a migration. */

/** SQL of this migration, one statement per entry. A dropped index is the beginning of a new, longer one. */
export function indexesOfWhatBelongs(): string[] {
  return [...OF_REFERENCES, ...OF_RETENTION, ...OF_ONE];
}

/** Columns by which the database looks for rows to delete along with a user or organization. */
const OF_REFERENCES = [
  'create index memberships_by_user on memberships (user_id)',
  'create index memberships_by_organization on memberships (organization_id)',
  'create index invitations_by_organization on invitations (organization_id)',
  'create index sign_in_flows_by_organization on sign_in_flows (organization_id)',
  'create index user_identities_by_user on user_identities (user_id)',
];

const OF_RETENTION = [
  'create index email_codes_by_end on email_codes (environment_id, expires_at, id)',
  'create index sessions_ended on sessions (environment_id, ended_at, id) where ended_at is not null',
];

/** Indexes of rows that belong to one account, link or client. */
const OF_ONE = [
  'create index links_of_account_by_age on links (account_id, created_at)',
  'drop index links_of_account',
  'create index oauth_flows_of_link_by_age on oauth_flows (link_id, created_at, id)',
  'drop index oauth_flows_of_link',
  'create index auth_requests_of_link on auth_requests (link_id)',
  'create index sessions_of_client on sessions (environment_id, client_id) where ended_at is null',
];
