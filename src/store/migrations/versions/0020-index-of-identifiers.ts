/** Migration 20: an index of accounts of a status whose identifiers begin with a text. Never change it after a release; add a migration. */

/** SQL of this migration, one statement per entry. */
export function indexOfIdentifiers(): string[] {
  return [
    'create index accounts_by_status_and_name on accounts (environment_id, status, identifier, created_at, id)',
  ];
}
