/** The account of the stand-in warehouse: people, roles, grants, databases and compute warehouses. */
import type { Member } from '../oauth/provider.ts';

/** As written in its address. */
export const ACCOUNT = 'NORTHLIGHT-MAIN';

/** People who can sign in; the first part of the name is the user. */
export const MEMBERS: readonly Member[] = [
  { id: 'ROBIN', name: 'Robin Vale', email: 'robin@northlight.example' },
  { id: 'SANNA', name: 'Sanna Holm', email: 'sanna@northlight.example' },
];

/** Creation time of all objects. */
export const CREATED_AT = '2026-01-12 08:15:00.000';

/** Defaults for requests. */
export const DEFAULTS = {
  role: 'ANALYST',
  warehouse: 'COMPUTE_WH',
  database: 'SALES',
  schema: 'PUBLIC',
} as const;

/** Roles and their holders; a role is granted to users and to other roles. */
export const ROLES: Readonly<Record<string, { users: readonly string[]; roles: readonly string[] }>> = {
  ACCOUNTADMIN: { users: [], roles: [] },
  SYSADMIN: { users: [], roles: ['ACCOUNTADMIN'] },
  ANALYST: { users: ['ROBIN', 'SANNA'], roles: ['SYSADMIN'] },
  LOADER: { users: ['SANNA'], roles: ['SYSADMIN'] },
  PUBLIC: { users: ['ROBIN', 'SANNA'], roles: [] },
};

/** Databases with their schemas and purposes. */
export const DATABASES: Readonly<
  Record<string, { comment: string; schemas: Readonly<Record<string, string>> }>
> = {
  MARKETING: { comment: 'Campaigns and visits', schemas: { PUBLIC: '' } },
  SALES: {
    comment: 'Orders of the shop',
    schemas: { PUBLIC: 'What reports are made of', STAGING: 'Loaded, not yet checked' },
  },
};

/** Rights of a role for a database and everything in it. */
const RIGHTS: readonly { role: string; database: string; mayWrite: boolean }[] = [
  { role: 'ANALYST', database: 'SALES', mayWrite: true },
  { role: 'ANALYST', database: 'MARKETING', mayWrite: false },
  { role: 'LOADER', database: 'SALES', mayWrite: true },
  { role: 'SYSADMIN', database: 'SALES', mayWrite: true },
  { role: 'SYSADMIN', database: 'MARKETING', mayWrite: true },
];

/** Whether a role may see a database, or change its content. */
export function mayUse(role: string, database: string, kind: 'read' | 'write'): boolean {
  return RIGHTS.some(
    (right) => right.role === role && right.database === database && (kind === 'read' || right.mayWrite),
  );
}

/** Compute warehouses. */
export const WAREHOUSES = [
  { name: 'COMPUTE_WH', state: 'STARTED', size: 'X-Small', comment: 'For everybody' },
  { name: 'LOAD_WH', state: 'SUSPENDED', size: 'Small', comment: 'Nightly loads' },
] as const;

/** One privilege on one object. */
export interface PrivilegeGrant {
  privilege: string;
  on: 'ACCOUNT' | 'DATABASE' | 'SCHEMA' | 'TABLE' | 'VIEW' | 'WAREHOUSE';
  /** Dotted, as stored. */
  name: string;
  role: string;
}

/** Every privilege, for the current tables and views. */
export function privilegeGrants(
  objects: readonly { kind: 'TABLE' | 'VIEW'; database: string; schema: string; name: string }[],
): PrivilegeGrant[] {
  const grants: PrivilegeGrant[] = [
    { privilege: 'CREATE DATABASE', on: 'ACCOUNT', name: ACCOUNT, role: 'SYSADMIN' },
    { privilege: 'MONITOR USAGE', on: 'ACCOUNT', name: ACCOUNT, role: 'SYSADMIN' },
  ];
  for (const [database, { schemas }] of Object.entries(DATABASES)) {
    grants.push({ privilege: 'OWNERSHIP', on: 'DATABASE', name: database, role: 'SYSADMIN' });
    for (const { role, mayWrite } of RIGHTS.filter((right) => right.database === database)) {
      if (role === 'SYSADMIN') continue;
      grants.push({ privilege: 'USAGE', on: 'DATABASE', name: database, role });
      for (const schema of Object.keys(schemas)) {
        const name = `${database}.${schema}`;
        grants.push({ privilege: 'USAGE', on: 'SCHEMA', name, role });
        if (mayWrite) grants.push({ privilege: 'CREATE TABLE', on: 'SCHEMA', name, role });
      }
    }
  }
  for (const object of objects) {
    const name = `${object.database}.${object.schema}.${object.name}`;
    grants.push({ privilege: 'OWNERSHIP', on: object.kind, name, role: 'SYSADMIN' });
    for (const { role, mayWrite } of RIGHTS.filter(({ database }) => database === object.database)) {
      if (role === 'SYSADMIN') continue;
      const writes = mayWrite && object.kind === 'TABLE' ? ['INSERT', 'UPDATE', 'DELETE'] : [];
      for (const privilege of ['SELECT', ...writes]) grants.push({ privilege, on: object.kind, name, role });
    }
  }
  grants.push({ privilege: 'USAGE', on: 'WAREHOUSE', name: 'COMPUTE_WH', role: 'ANALYST' });
  grants.push({ privilege: 'USAGE', on: 'WAREHOUSE', name: 'LOAD_WH', role: 'LOADER' });
  return grants;
}
