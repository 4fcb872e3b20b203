/** `gatehouse users` with the real rules behind it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Admin, App } from '../../../src/cli/terminal/app.ts';
import { SCOPES } from '../../../src/core/caller.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { makeOrganization, peopleServices, type PeopleServices } from '../../people/people-support.ts';
import { gatehouse, type CommandResult } from '../cli-support.ts';

let database: Database;
let services: PeopleServices;
let app: Pick<App, 'openAdmin'>;

beforeEach(async () => {
  database = await openDatabase({ url: 'sqlite::memory:' });
  services = await peopleServices(database, { signUp: 'closed' });
  const { users, organizations, operatorLinks } = services;
  const operatorLink = async (id: string, userId?: string) =>
    `http://127.0.0.1:3000${await operatorLinks.create(id, userId)}`;
  const caller = {
    kind: 'operator',
    environmentId: 'env_dev',
    actor: 'local',
    scopes: new Set(SCOPES),
    source: 'cli',
    ip: '',
  };
  const admin = {
    users,
    organizations,
    operatorLink,
    caller: async () => caller,
    close: async () => undefined,
  };
  app = { openAdmin: async () => admin as unknown as Admin };
});
afterEach(async () => database.close());

async function users(...argv: string[]): Promise<CommandResult> {
  return gatehouse(['users', ...argv], { app });
}

async function created(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await users('create', '--json', ...argv);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('gatehouse users create', () => {
  it('creates the first operator with an organization, while nobody can sign up', async () => {
    const made = await created(
      '--email',
      'Ada@Example.test',
      '--given-name',
      'Ada',
      '--operator',
      '--organization',
      'Analytical Engines',
    );
    expect(made).toMatchObject({
      email: 'ada@example.test',
      given_name: 'Ada',
      is_operator: true,
      memberships: [{ organization_id: expect.stringMatching(/^org_/), role: 'owner' }],
    });
    expect(await services.auditLines()).toEqual([
      `local user.create ${String(made['id'])}`,
      expect.stringMatching(/^local organization\.create org_/),
      `local user.update ${String(made['id'])}`,
    ]);
  });

  it('says that an interceptor refused, whose words alone do not', async () => {
    services.policy.denial = 'Ask the <b>people</b> team.';
    expect(await users('create', '--email', 'ada@example.test', '--organization', 'New')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'gatehouse: An interceptor refused this: Ask the <b>people</b> team.\n',
    });
  });

  it('creates members of existing organizations, by name and by id', async () => {
    const { id } = await makeOrganization(services, 'Acme', 'olga');
    const anna = await created('--email', 'anna@example.test', '--organization', 'Acme', '--role', 'admin');
    const mike = await created('--email', 'mike@example.test', '--organization', id);
    expect([anna['memberships'], mike['memberships'], mike['is_operator']]).toEqual([
      [{ organization_id: id, role: 'admin' }],
      [{ organization_id: id, role: 'member' }],
      false,
    ]);
  });

  it.each([
    ['warns of an address that nobody can prove', {}, 'Warning: smtp is not set'],
    [
      'warns of nothing where codes are mailed',
      { GATEHOUSE_SMTP_URL: 'smtps://smtp.example.test', GATEHOUSE_SMTP_FROM: 'a@example.test' },
      undefined,
    ],
  ])('warns or stays silent about the address: %s', async (_what, smtp, warning) => {
    const env = { GATEHOUSE_BASE_URL: 'https://gate.example.test', ...smtp };
    const argv = ['users', 'create', '--email', 'ada@example.test', '--operator'];
    const { code, stderr } = await gatehouse(argv, { app, terminal: { env } });
    expect(code).toBe(0);
    if (warning === undefined) expect(stderr).toBe('');
    else expect(stderr).toContain(warning);
  });

  it('requires the id where several organizations have the name', async () => {
    await makeOrganization(services, 'Acme', 'olga');
    await makeOrganization(services, 'Acme', 'otto');
    const { code, stderr } = await users('create', '--email', 'a@example.test', '--organization', 'Acme');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^gatehouse: Several organizations are called Acme: org_\w+, org_\w+\. Give the id of one\.\n$/,
      ),
    ]);
  });

  it.each([
    [['--email', 'x'], 1, /email: Must be an e-mail address/],
    [['--email', 'a@example.test', '--role', 'admin'], 2, /give --organization, too/],
    [['--email', 'a@example.test', '--organization', 'New', '--role', 'admin'], 2, /leave --role out/],
    [['--given-name', 'Ada'], 2, /--email/],
  ])('refuses the arguments %j as invalid', async (argv, exitCode, message) => {
    const { code, stderr } = await users('create', ...argv);
    expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)]);
    expect((await database.read.selectFrom('users').selectAll().execute()).length).toBe(0);
  });
});

describe('gatehouse users', () => {
  it('lists, shows, changes and deletes users, by id or by address', async () => {
    const { id, ownerId } = await makeOrganization(services, 'Acme', 'olga');
    const bob = await created('--email', 'bob@example.test');
    const listed = await users('list', '--email', 'OLGA@example.test');
    expect(listed.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'EMAIL', 'GIVEN_NAME', 'FAMILY_NAME', 'IS_OPERATOR', 'MEMBERSHIPS'],
      [ownerId, 'olga@example.test', '-', '-', 'false', `${id} (owner)`],
      [''],
    ]);
    expect((await users('show', 'BOB@example.test')).stdout).toContain('bob@example.test');
    expect((await users('show', ownerId)).stdout).toContain(`${id} (owner)`);
    await users('update', 'bob@example.test', '--operator', '--family-name', 'B');
    expect(JSON.parse((await users('show', String(bob['id']), '--json')).stdout)).toMatchObject({
      is_operator: true,
      family_name: 'B',
    });
    await users('update', 'bob@example.test', '--no-operator');
    expect(JSON.parse((await users('show', 'bob@example.test', '--json')).stdout)).toMatchObject({
      is_operator: false,
      family_name: 'B',
    });
    expect((await users('unbind', 'bob@example.test')).stderr).toBe(
      'Unbound bob@example.test. Their sessions have ended, and the next sign-in with this address is bound.\n',
    );
    expect((await services.auditLines()).at(-1)).toBe(`local user.unbind ${String(bob['id'])}`);
    expect((await users('delete', 'bob@example.test')).code).toBe(2);
    expect((await users('delete', 'bob@example.test', '--yes')).stderr).toBe(
      `Deleted ${String(bob['id'])}.\n`,
    );
    const gone = await users('show', 'bob@example.test');
    expect([gone.code, gone.stderr]).toEqual([
      1,
      'gatehouse: Nobody has the address bob@example.test. "gatehouse users list" shows all.\n',
    ]);
  });

  it('keeps the last owner of an organization', async () => {
    await makeOrganization(services, 'Acme', 'olga');
    const { code, stderr } = await users('delete', 'olga@example.test', '--yes');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the only owner of org_')]);
  });

  it('warns when the last operator goes, with the way back, and not of one among several', async () => {
    await created('--email', 'ada@example.test', '--operator');
    await created('--email', 'bob@example.test', '--operator');
    await created('--email', 'eve@example.test');
    expect((await users('update', 'bob@example.test', '--no-operator')).stderr).toBe('');
    expect((await users('update', 'ada@example.test', '--no-operator')).stderr).toBe(
      'Warning: this was the last operator, and nobody administers this environment now. "gatehouse users sign-in-link" makes a link for its first operator.\n',
    );
    expect((await users('delete', 'eve@example.test', '--yes')).stderr).not.toContain('Warning');
    await users('update', 'ada@example.test', '--operator');
    expect((await users('update', 'ada@example.test', '--given-name', 'Ada')).stderr).toBe('');
    expect((await users('delete', 'ada@example.test', '--yes')).stderr).toContain(
      'Warning: this was the last operator',
    );
  });

  it('names the next page of users', async () => {
    await makeOrganization(services, 'Acme', 'olga');
    await makeOrganization(services, 'Acme', 'otto');
    const first = await users('list', '--page-size', '1');
    const token = /^2 in all\. Next page: --page-token (\S+)\n$/.exec(first.stderr)?.[1] ?? '';
    const second = await users('list', '--page-size', '1', '--page-token', token);
    expect([first.stdout.includes('otto@'), second.stdout.includes('olga@'), second.stderr]).toEqual([
      true,
      true,
      '',
    ]);
  });
});

describe('gatehouse users sign-in-link', () => {
  const LINK = /^http:\/\/127\.0\.0\.1:3000\/operator\/[A-Za-z0-9_-]{43}$/;

  it('prints a link that makes the first operator on stdout, and nothing else', async () => {
    const { code, stdout, stderr } = await users('sign-in-link');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd()).toMatch(LINK);
  });

  it('prints a link for an operator by address, also as JSON', async () => {
    const { id } = await created('--email', 'ada@example.test', '--operator');
    const { stdout } = await users('sign-in-link', 'Ada@Example.test', '--json');
    expect(JSON.parse(stdout)).toEqual({ link: expect.stringMatching(LINK) });
    expect((await services.auditLines()).at(-1)).toBe(`local operator_link.create ${String(id)}`);
  });

  it('refuses somebody who is no operator, nobody, and a second first operator', async () => {
    await created('--email', 'ada@example.test', '--operator');
    await created('--email', 'bob@example.test');
    const answers = [await users('sign-in-link', 'bob@example.test'), await users('sign-in-link')];
    for (const { code, stdout } of answers) expect([code === 0, stdout]).toEqual([false, '']);
    expect(answers[0]?.stderr).toContain('This user is not an operator.');
    expect(answers[1]?.stderr).toContain('This environment has an operator.');
    expect((await users('sign-in-link', 'eve@example.test')).stderr).toContain('Nobody has the address');
  });
});
