/**
 * Migration 11: the database names the lowest program version that may use it, from here on. Never change it after a
 * release; add a migration. A later migration that older programs cannot live with raises the value.
 */

/** SQL of this migration, one statement per entry. */
export function compatibleFrom(): string[] {
  return ["insert into installation (key, value) values ('compatible_from', '0.1.0')"];
}
