/** Credentials that are tried before they are stored: what refuses, what does not, and how often. */
import { beforeEach, describe, expect, it } from 'vitest';
import { STATIC_DETAILS } from '../../src/accounts/credential-trials.ts';
import { InvalidForm } from '../../src/links/link-rules.ts';
import {
  answer,
  ENVIRONMENT_ID,
  machine,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';
import { catalogWithChecks } from '../support/test-catalog.ts';

let services: Services;
beforeEach(async () => {
  services = await testServices({ catalog: catalogWithChecks });
});

const FIELD = 'connected_account.authorization_details.static_auth.details';
const key = (api_key: string) => ({
  connector: 'notes',
  identifier: 'u1',
  user_id: 'u1',
  connected_account: { authorization_details: { static_auth: { details: { api_key } } } },
});
const begin = () => services.trials.begin({ ...machine, fieldPrefix: STATIC_DETAILS });
const stored = async (): Promise<number> => (await services.accounts.list(machine, {})).total_size;
const untried = (title: string): string =>
  `The credential is stored, but it could not be tried at ${title}. The first call shows whether ${title} accepts it.`;

describe('credential trial: over the API', () => {
  it('sends one request with the credential where a tool call has it', async () => {
    const trial = begin();
    expect(await services.accounts.create(machine, key('key-1'), trial)).toMatchObject({ status: 'ACTIVE' });
    expect(trial.warnings).toEqual([]);
    expect(services.sent).toEqual([
      {
        method: 'GET',
        url: new URL('https://api.notes.example/me?part=id'),
        headers: { accept: 'application/json', 'x-version': '2', 'x-api-key': 'key-1' },
        headersTimeoutMs: 5_000,
        totalTimeoutMs: 5_000,
        maxResponseBytes: 1_000_000,
      },
    ]);
  });

  it.each([401, 403])(
    'names the field of a credential refused with %i and stores nothing',
    async (status) => {
      services.answers.push(answer(status, { error: 'provider words' }));
      const created = services.accounts.create(machine, key('wrong'), begin());
      await expect(created).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: {
          field_violations: [
            {
              field: `${FIELD}.api_key`,
              description:
                'Notes does not accept this: API key. Check that it is complete and still valid, then enter it again.',
              constraint: 'refused',
            },
          ],
        },
      });
      await expect(created).rejects.not.toThrow(/provider words/);
      expect([await stored(), services.sent.length]).toEqual([0, 1]);
    },
  );

  it.each([302, 404, 408, 429, 500, 503])(
    'stores the credential with a warning after status %i',
    async (status) => {
      services.answers.push(answer(status, { error: 'provider words' }));
      const trial = begin();
      expect(await services.accounts.create(machine, key('key-1'), trial)).toMatchObject({
        status: 'ACTIVE',
      });
      expect(trial.warnings).toEqual([untried('Notes')]);
      expect(services.sent).toHaveLength(1);
    },
  );

  it('keeps the stored credential if the new one of an update is refused', async () => {
    const { id } = await services.accounts.create(machine, key('key-1'));
    services.answers.push(answer(401, {}));
    const { connected_account } = key('wrong');
    const trial = begin();
    await expect(services.accounts.update(machine, { id, connected_account }, trial)).rejects.toMatchObject({
      details: { field_violations: [{ field: `${FIELD}.api_key`, constraint: 'refused' }] },
    });
    expect(JSON.stringify(await services.credentialAccess.describe(machine, { id }))).toContain('key-1');
  });

  it('names the password where a user name goes with it, at the host of the account', async () => {
    services.answers.push(answer(401, {}));
    const created = services.accounts.create(
      machine,
      {
        connector: 'desk',
        identifier: 'u1',
        connected_account: {
          authorization_details: { static_auth: { details: { username: 'ada', password: 'p' } } },
          api_config: { domain: 'north.desk.example' },
        },
      },
      begin(),
    );
    await expect(created).rejects.toMatchObject({
      details: { field_violations: [{ field: `${FIELD}.password`, constraint: 'refused' }] },
    });
    expect(services.sent[0]).toMatchObject({
      url: new URL('https://north.desk.example/api/me?part=id'),
      headers: { authorization: `Basic ${Buffer.from('ada:p').toString('base64')}` },
    });
  });

  it('sends nothing to an address that is not complete', async () => {
    const trial = begin();
    const details = { username: 'ada', password: 'p' };
    const connected_account = { authorization_details: { static_auth: { details } } };
    await services.accounts.create(
      machine,
      { connector: 'desk', identifier: 'u1', connected_account },
      trial,
    );
    expect([services.sent, trial.warnings]).toEqual([[], [untried('Desk')]]);
  });

  it.each([
    [
      'an incomplete credential',
      { connector: 'notes' },
      'Nothing was tried: the request brings no complete credential.',
    ],
    [
      'a token of a consent',
      {
        connector: 'mail',
        connected_account: { authorization_details: { oauth_token: { access_token: 't' } } },
      },
      'The credential was not tried: Mailbox has no request here that proves it.',
    ],
  ])('says that %s was not tried', async (_, input, warning) => {
    await services.connections.create(machine, { connector: 'mailbox', name: 'mail', client_id: 'c' });
    const trial = begin();
    await services.accounts.create(machine, { identifier: 'u1', ...input }, trial);
    expect([services.sent, trial.warnings]).toEqual([[], [warning]]);
  });

  it('leaves no record of an execution', async () => {
    await services.accounts.create(machine, key('key-1'), begin());
    await services.executor.recorded();
    expect(await services.db.read.selectFrom('executions').selectAll().execute()).toEqual([]);
  });

  it('sends nothing for an actor that has tried sixty credentials in a minute', async () => {
    const begun = Array.from({ length: 61 }, () => begin());
    for (const [i, trial] of begun.entries())
      await services.accounts.create(machine, { ...key('key-1'), identifier: `i${i}` }, trial);
    expect(services.sent).toHaveLength(60);
    expect(begun.flatMap(({ warnings }) => warnings)).toEqual([untried('Notes')]);
    const other = services.trials.begin({ ...machine, actor: 'cred_other' });
    await services.accounts.create(machine, { ...key('key-1'), identifier: 'other' }, other);
    expect([services.sent.length, other.warnings]).toEqual([61, []]);
  });
});

describe('credential trial: form of a link', () => {
  const link = async (): Promise<string> =>
    (await services.links.create(machine, { connector: 'notes', user_id: 'u1' })).link;

  it('refuses a wrong key on its field and keeps the link', async () => {
    const to = await link();
    services.answers.push(answer(401, { error: 'provider words' }));
    const submitted = submitForm(services, to, { api_key: 'wrong' });
    await expect(submitted).rejects.toBeInstanceOf(InvalidForm);
    await expect(submitted).rejects.toMatchObject({
      violations: [{ field: 'api_key', constraint: 'refused' }],
    });
    expect((await services.accounts.list(machine, {})).connected_accounts[0]!.status).toBe('PENDING_AUTH');
    expect(await submitForm(services, to, { api_key: 'right' })).toContain('https://app.example/verify');
    expect(services.sent).toHaveLength(2);
  });

  it('tries five keys and stores the sixth untried', async () => {
    const to = await link();
    services.answers.push(...Array.from({ length: 6 }, () => answer(401, {})));
    for (let i = 0; i < 5; i++)
      await expect(submitForm(services, to, { api_key: `wrong-${i}` })).rejects.toBeInstanceOf(InvalidForm);
    expect(await submitForm(services, to, { api_key: 'sixth' })).toContain('https://app.example/verify');
    expect(services.sent).toHaveLength(5);
  });

  it('counts the links of one actor together', async () => {
    for (let i = 0; i < 60; i++) await services.rates.take(`${ENVIRONMENT_ID}:check:cred_test`, 60);
    await submitForm(services, await link(), { api_key: 'key-1' });
    expect(services.sent).toEqual([]);
  });

  it('tells the page whether what is entered is tried', async () => {
    const shown = async (connector: string): Promise<boolean> => {
      const { link: to } = await services.links.create(machine, { connector, user_id: 'u1' });
      const token = to.split('/connect/')[1] ?? '';
      return (await services.links.open(ENVIRONMENT_ID, token, undefined)).page.isTried;
    };
    expect([await shown('notes'), await shown('weather')]).toEqual([true, false]);
  });
});
