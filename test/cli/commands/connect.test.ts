import { describe, expect, it } from 'vitest';
import type { App, LinkConnect } from '../../../src/cli/terminal/app.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { gatehouse } from '../cli-support.ts';

function connecting(warnings?: readonly string[]) {
  const seen = { target: {} as unknown, values: [] as unknown[], closed: 0 };
  const openConnect: App['openConnect'] = async ({ target }) => {
    seen.target = target;
    return {
      kind: 'form',
      title: 'Web search',
      fields: [
        { name: 'api_key', label: 'API key', input: 'password', required: true },
        { name: 'region', label: 'Region', input: 'text', required: false },
      ],
      submit: async (values) => {
        seen.values.push(values);
        return { accountId: 'ca_1', identifier: 'local', status: 'ACTIVE', ...(warnings && { warnings }) };
      },
      close: async () => {
        seen.closed += 1;
      },
    };
  };
  return { seen, app: { openConnect } };
}

describe('gatehouse connect with a form', () => {
  it('reads one line of stdin per field and omits empty values', async () => {
    const { seen, app } = connecting();
    const { code, stdout, stderr } = await gatehouse(['connect', 'websearch'], {
      app,
      stdin: ' secret-key \n\n',
    });
    expect([code, stdout]).toEqual([0, 'Web search is connected for local: ca_1, ACTIVE\n']);
    expect(seen).toEqual({
      target: { environment: 'development', connector: 'websearch', identifier: undefined, userId: 'local' },
      values: [{ api_key: 'secret-key' }],
      closed: 1,
    });
    expect(`${stdout}${stderr}`).not.toContain('secret-key');
    expect(stderr).toContain(
      'What you entered has not been tried yet: the first call shows whether Web search takes it. If that call is refused, run this command again and enter it again.',
    );
  });

  it.each([
    [[], 'Web search accepts what you entered.'],
    [
      ['The credential could not be tried at Web search.'],
      'The credential could not be tried at Web search.',
    ],
  ])('says how the trial of the credential ended (%j)', async (warnings, said) => {
    const { app } = connecting(warnings);
    const { code, stderr } = await gatehouse(['connect', 'websearch'], { app, stdin: 'k\n\n' });
    expect(code).toBe(0);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('has not been tried yet');
    const asJson = await gatehouse(['connect', 'websearch', '--json'], { app, stdin: 'k\n\n' });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ warnings });
  });

  it('connects an account for a named owner', async () => {
    const { seen, app } = connecting();
    const argv = ['connect', 'websearch', '--organization', 'acme', '--identifier', 'sales', '--json'];
    const { stdout } = await gatehouse(argv, { app, stdin: 'k\neu' });
    expect(JSON.parse(stdout)).toEqual({
      connected_account_id: 'ca_1',
      identifier: 'local',
      status: 'ACTIVE',
    });
    expect(seen.target).toMatchObject({ organizationId: 'acme', identifier: 'sales' });
    expect(seen.values).toEqual([{ api_key: 'k', region: 'eu' }]);
  });

  it('refuses an empty credential, stores nothing and closes', async () => {
    const { seen, app } = connecting();
    const { code, stderr } = await gatehouse(['connect', 'websearch'], { app, stdin: '' });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'API key is missing. Without a terminal, give one line on stdin for each of: API key, Region.',
    );
    expect([seen.values, seen.closed]).toEqual([[], 1]);
  });
});

/** A session whose link goes through the given states and ends as the test says. */
function linking(
  states: Parameters<Parameters<LinkConnect['finished']>[0]>[0][],
  end?: Error,
  isServedHere = true,
) {
  const seen = { closed: 0 };
  const openConnect: App['openConnect'] = async () => ({
    kind: 'link',
    title: 'Attio',
    identifier: 'local',
    link: 'http://127.0.0.1:3000/connect/token-1',
    expiry: '2026-11-20T13:00:00.000Z',
    isServedHere,
    finished: async (tell) => {
      for (const state of states) tell(state);
      if (end !== undefined) throw end;
      return { accountId: 'ca_1', identifier: 'local', status: 'ACTIVE' };
    },
    close: async () => {
      seen.closed += 1;
    },
  });
  return { seen, app: { openConnect } };
}

describe('gatehouse connect with consent at the provider', () => {
  it('shows the link, the progress and the connected account', async () => {
    const { seen, app } = linking(['open', 'away', 'returned', 'open', 'away', 'verifying']);
    const { code, stdout, stderr } = await gatehouse(['connect', 'crm'], { app });
    expect([code, stdout, seen.closed]).toEqual([0, 'Attio is connected for local: ca_1, ACTIVE\n', 1]);
    expect(stderr).toBe(
      [
        'Connecting Attio for local. Open this link in a browser and allow access there:',
        '',
        '  http://127.0.0.1:3000/connect/token-1',
        '',
        'It works once, until 2026-11-20T13:00:00.000Z. Ctrl-C stops waiting.',
        'Waiting for the link to be opened …',
        'A browser is on its way to Attio and back …',
        'The browser came back without access and says why. The link still works; waiting …',
        'Waiting for the link to be opened …',
        'A browser is on its way to Attio and back …',
        'Access is given. Waiting for the app to confirm who gave it …',
        '',
      ].join('\n'),
    );
  });

  it('names the other process whose server the link depends on', async () => {
    const { app } = linking([], undefined, false);
    const { stderr } = await gatehouse(['connect', 'crm'], { app });
    expect(stderr).toContain('It is served by the Gatehouse at 127.0.0.1:3000, which has to be running.\n');
  });

  it('prints JSON for programs, on stdout only', async () => {
    const { app } = linking(['open']);
    const { stdout } = await gatehouse(['connect', 'crm', '--json'], { app });
    expect(JSON.parse(stdout)).toEqual({
      connected_account_id: 'ca_1',
      identifier: 'local',
      status: 'ACTIVE',
    });
  });

  it.each([[[]], [['--json']]])('fails with the reason and prints nothing else %j', async (more) => {
    const message = 'Attio is not connected: nobody finished the link in time.';
    const end = new ServiceError('CONNECTED_ACCOUNT_NOT_ACTIVE', message, {
      details: { reason: 'link_expired' },
    });
    const { seen, app } = linking(['open', 'away'], end);
    const { code, stdout, stderr } = await gatehouse(['connect', 'crm', ...more], { app });
    expect([code, stdout, seen.closed]).toEqual([1, '', 1]);
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    if (more.length === 0) expect(last).toBe(`gatehouse: ${message}`);
    else
      expect(JSON.parse(last)).toEqual({
        code: 9,
        message,
        details: [{ error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE', reason: 'link_expired' }],
      });
  });

  it('redraws one line of a terminal and leaves it empty', async () => {
    const { app } = linking(['away']);
    const { stderr } = await gatehouse(['connect', 'crm'], { app, terminal: { messagesAreTerminal: true } });
    const drawn = stderr.slice(stderr.indexOf('\r'));
    expect(drawn).toContain('Waiting for the link to be opened …\r');
    expect(drawn).toContain('A browser is on its way to Attio and back …\r');
    expect(drawn.endsWith('\r\u001b[K')).toBe(true);
    expect(drawn).not.toContain('\n');
  });
});

it.each([
  [['connect'], 'missing required argument'],
  [['connect', 'crm', '--user', 'a', '--organization', 'b'], 'cannot be used with'],
  [['connect', 'crm', 'more'], 'too many arguments'],
])('refuses the arguments %j as wrong usage', async (argv, words) => {
  const { code, stdout, stderr } = await gatehouse(argv, { app: linking([]).app });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(words);
});
