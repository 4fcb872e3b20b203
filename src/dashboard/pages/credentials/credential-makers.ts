/** The makers of credentials, from the audit log, with the names of people. */
import { html } from 'hono/html';
import type { Caller } from '../../../core/caller.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { link } from '../../components/card.ts';
import type { Text } from '../../frame/html.ts';
import { credentials as words } from '../../words/credentials.ts';

type Deps = Pick<DashboardDependencies, 'auditLog' | 'users'>;

/** Lines of the audit log that are read for a list. */
const LINES = 100;

/** The maker of each credential, by the credential's id. @param target id of the only credential to look for */
export async function makersOf(
  { auditLog, users }: Deps,
  caller: Caller,
  target?: string,
): Promise<ReadonlyMap<string, Text>> {
  const filter = { action: 'credential.create', target };
  const { audit } = await auditLog.list(caller, filter, { pageSize: LINES });
  const people = new Set(audit.map(({ actor }) => actor).filter((actor) => actor.startsWith('usr_')));
  const names = new Map(
    await Promise.all([...people].map(async (id) => [id, await nameOf(users, caller, id)] as const)),
  );
  return new Map(audit.map(({ target: id, actor }) => [id, shown(actor, names.get(actor) ?? actor)]));
}

function shown(actor: string, name: string): Text {
  if (actor.startsWith('usr_')) return link(`/dashboard/users/${encodeURIComponent(actor)}`, name);
  if (actor.startsWith('cred_')) return link(`/dashboard/credentials/${encodeURIComponent(actor)}`, actor);
  return html`${actor === 'local' ? words.local : actor}`;
}

/** The name of a user; the id if the user was deleted. */
async function nameOf(users: Deps['users'], caller: Caller, id: string): Promise<string> {
  try {
    const { given_name: given, family_name: family, email } = await users.get(caller, id);
    return `${given} ${family}`.trim() || email;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND') return id;
    throw error;
  }
}
