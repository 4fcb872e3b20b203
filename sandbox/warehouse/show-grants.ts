/** SHOW GRANTS: the grants of a role or user, the holders of a role, the privileges on an object. */
import { CREATED_AT, privilegeGrants, ROLES } from './account.ts';
import type { ResultTable } from './database.ts';
import { noSuchObject, unsupported } from './refusal.ts';
import type { Session } from './session.ts';
import { table, type Cell, type ShowContext } from './show-table.ts';
import type { ShowWords } from './show-words.ts';

const GRANT_COLUMNS = 'created_on privilege granted_on name granted_to grantee_name grant_option granted_by';

/** @param words after GRANTS. @throws SqlFailure */
export function grants(words: ShowWords, { warehouse, session }: ShowContext): ResultTable {
  const all = privilegeGrants(warehouse.tables());
  const rowsOf = (wanted: typeof all): Cell[][] =>
    wanted.map(({ privilege, on, name, role }) => [
      CREATED_AT,
      privilege,
      on,
      name,
      'ROLE',
      role,
      privilege === 'OWNERSHIP' ? 'true' : 'false',
      'SYSADMIN',
    ]);
  if (words.skip('TO', 'ROLE')) {
    const role = requireRole(words.name());
    const roles = Object.keys(ROLES).filter((name) => ROLES[name]?.roles.includes(role) === true);
    return table(GRANT_COLUMNS, [
      ...rowsOf(all.filter((grant) => grant.role === role)),
      ...roles.map((name) => [CREATED_AT, 'USAGE', 'ROLE', name, 'ROLE', role, 'false', 'SYSADMIN']),
    ]);
  }
  if (words.skip('TO', 'USER')) {
    const user = words.name().join('.');
    const roles = Object.entries(ROLES).filter(([, { users }]) => users.includes(user));
    if (roles.length === 0) throw noSuchObject('User', user);
    return table(
      'created_on role granted_to grantee_name granted_by',
      roles.map(([name]) => [CREATED_AT, name, 'USER', user, 'SYSADMIN']),
    );
  }
  if (words.skip('OF', 'ROLE')) {
    const role = requireRole(words.name());
    const { users = [], roles = [] } = ROLES[role] ?? {};
    return table('created_on role granted_to grantee_name granted_by', [
      ...users.map((name) => [CREATED_AT, role, 'USER', name, 'SYSADMIN']),
      ...roles.map((name) => [CREATED_AT, role, 'ROLE', name, 'SYSADMIN']),
    ]);
  }
  if (!words.skip('ON')) throw unsupported(`SHOW GRANTS ${words.peek()}`);
  if (words.skip('ACCOUNT')) return table(GRANT_COLUMNS, rowsOf(all.filter(({ on }) => on === 'ACCOUNT')));
  const kind = words.kind();
  const parts = words.name();
  const name = wholeName(kind, parts, session);
  const found = all.filter((grant) => grant.on === kind && grant.name === name);
  const isThere = found.length > 0 || (kind === 'ROLE' && Object.hasOwn(ROLES, name));
  if (!isThere) throw noSuchObject(kind.charAt(0) + kind.slice(1).toLowerCase(), name);
  return table(GRANT_COLUMNS, rowsOf(found));
}

function requireRole(parts: readonly string[]): string {
  const role = parts.join('.');
  if (!Object.hasOwn(ROLES, role)) throw noSuchObject('Role', role);
  return role;
}

function wholeName(kind: string, parts: readonly string[], session: Session): string {
  if (kind === 'TABLE' || kind === 'VIEW') return session.table(parts).id;
  return kind === 'SCHEMA' ? session.schemaNamed(parts).join('.') : parts.join('.');
}
