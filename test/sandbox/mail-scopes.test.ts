/**
 * An account that was connected for calendars alone calls a tool for mail: it learns which scopes are missing, its owner
 * consents to them by the link, and the same call works. The calendar tools keep working all the while.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServices, type Services } from '../../src/app/services/services.ts';
import { SCOPES, type Caller } from '../../src/core/caller.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

const BROWSER = 'B'.repeat(43);
const DAYS = { start_datetime: '2026-11-16', end_datetime: '2026-11-22' };

let folder: string;
let sandbox: Sandbox;
let services: Services;
let caller: Caller;

beforeAll(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-mail-scopes-'));
  const { app, paths } = sandbox.providers.mail;
  const config = join(folder, 'gatehouse.yaml');
  const settings = {
    data_dir: '.',
    base_url: 'http://127.0.0.1:3999',
    outbound: { allow_private_hosts: [new URL(sandbox.url).host] },
    connections: [
      {
        name: 'mail',
        connector: 'mail',
        id: 'conn_mail',
        client_id: app.clientId,
        client_secret: app.clientSecret,
        params: { tenant: 'common' },
        overrides: {
          base_url: sandbox.url,
          authorization_url: `${sandbox.url}${paths.authorize}`,
          token_url: `${sandbox.url}${paths.token}`,
        },
      },
    ],
  };
  writeFileSync(config, stringify(settings));
  sandbox.providers.mail.allowRedirect('http://127.0.0.1:3999/sso/v1/oauth/conn_mail/callback');
  services = await openServices({
    settings: loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder }),
    log: silentLog,
  });
  const environmentId = services.environments.byName('development').id;
  caller = {
    kind: 'machine',
    environmentId,
    actor: 'cred_test',
    scopes: new Set(SCOPES),
    source: 'api',
    ip: '',
  };
});

afterAll(async () => {
  await services?.close();
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = async (toolName: string, input: Record<string, unknown> = {}): Promise<unknown> => {
  const account = { connection: 'mail', identifier: 'ada', userId: 'ada' };
  return (await services.executor.execute({ caller, toolName, input, account })).data;
};
const refusal = async (toolName: string, input: Record<string, unknown> = {}): Promise<ServiceError> => {
  const error = await call(toolName, input).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error(`${toolName} was not refused`, { cause: error });
  return error;
};
const tokenOf = (link: unknown): string => String(link).split('/connect/')[1] ?? '';

/** The owner opens a link and allows what it asks for. @returns the scopes that the page names */
async function consent(link: unknown): Promise<string[]> {
  const { environmentId } = caller;
  const { page } = await services.links.open(environmentId, tokenOf(link), BROWSER);
  const { redirectTo } = await services.consents.start(environmentId, tokenOf(link), BROWSER);
  const html = await (await fetch(redirectTo)).text();
  const answer = await fetch(`${sandbox.url}${sandbox.providers.mail.paths.authorize}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      number: /name="number" value="([\w-]+)"/.exec(html)?.[1] ?? '',
      member: 'robin',
      answer: 'allow',
    }),
  });
  const back = new URL(answer.headers.get('location') ?? '');
  await services.consents.finish(environmentId, 'conn_mail', back.searchParams, BROWSER);
  return (page.consent?.scopes ?? []).map(({ name }) => name);
}

const CALENDARS = ['Calendars.ReadWrite', 'offline_access'];

describe('scopes of an account that was connected for calendars', () => {
  it('grow by what a tool needs when it is called, while the other tools go on', async () => {
    const { link } = await services.links.create(caller, {
      connector: 'mail',
      identifier: 'ada',
      user_id: 'ada',
    });
    expect((await consent(link)).toSorted()).toEqual(CALENDARS.toSorted());
    await call('mail_list_calendar_view', DAYS);

    const unread = { unread_only: true };
    const { message, details } = await refusal('mail_list_messages', unread);
    expect(message).toContain('has not granted the scope Mail.Read');
    expect(details).toMatchObject({ tool_error: { required_scopes: ['Mail.Read'] } });
    await call('mail_list_calendar_view', DAYS);
    expect((await consent(details.authorization_link)).toSorted()).toEqual(
      [...CALENDARS, 'Mail.Read'].toSorted(),
    );
    expect(await call('mail_list_messages', unread)).toMatchObject({ value: [{}, {}] });
    await call('mail_list_calendar_view', DAYS);

    const shared = { mailbox: 'sanna@northlight.example', folder: 'all', top: 1 };
    const others = await refusal('mail_list_messages', shared);
    expect(others.details).toMatchObject({ tool_error: { required_scopes: ['Mail.Read.Shared'] } });
    await consent(others.details.authorization_link);
    expect(await call('mail_list_messages', shared)).toMatchObject({ value: [{}] });

    const sending = await refusal('mail_send_message', { to: ['a@example.com'], subject: 'x', body: 'y' });
    const asked = await consent(sending.details.authorization_link);
    expect(asked.toSorted()).toEqual([...CALENDARS, 'Mail.Read', 'Mail.Read.Shared', 'Mail.Send'].toSorted());
    expect(await call('mail_list_messages', unread)).toMatchObject({ value: [{}, {}] });
  });

  it('include what a called tool needs where the account is not connected yet', async () => {
    const account = { connection: 'mail', identifier: 'bob', userId: 'bob' };
    const execute = async () =>
      services.executor.execute({ caller, toolName: 'mail_search_people', input: { query: 'teo' }, account });
    await services.accounts.create(caller, { connector: 'mail', identifier: 'bob', user_id: 'bob' });
    const error = (await execute().catch((reason: unknown) => reason)) as ServiceError;
    expect(error.code).toBe('CONNECTED_ACCOUNT_NOT_ACTIVE');
    expect((await consent(error.details.authorization_link)).toSorted()).toEqual(
      [...CALENDARS, 'People.Read'].toSorted(),
    );
    expect((await execute()).data).toMatchObject({ value: [{ displayName: 'Teo Marsh' }] });
  });
});
