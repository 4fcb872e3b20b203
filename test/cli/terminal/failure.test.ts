import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { emptyFolder, fakeAdmin, gatehouse } from '../cli-support.ts';

const failing = (error: unknown) =>
  fakeAdmin({
    catalog: { in: () => ({ tools: new Map([['a_b', { connector: 'a' }]]) }) },
    executor: {
      execute: async () => {
        throw error;
      },
    },
  });

describe('error output of a command', () => {
  it('ends with exit code 1 and one sentence on stderr', async () => {
    const { openAdmin, state } = failing(new ServiceError('UNAVAILABLE', 'The database is busy.'));
    const result = await gatehouse(['tools', 'call', 'a_b'], { app: { openAdmin } });
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Calling a_b …\ngatehouse: The database is busy.\n',
    });
    expect(state.closed).toBe(1);
  });

  it('prints the error body with --json', async () => {
    const error = new ServiceError('RATE_LIMITED', 'Too many calls.', {
      details: { connector: 'websearch' },
    });
    const { code, stdout, stderr } = await gatehouse(['tools', 'call', 'a_b', '--json'], {
      app: failing(error),
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr.split('\n')[1] ?? '')).toEqual({
      code: 8,
      message: 'Too many calls.',
      details: [{ error_code: 'RATE_LIMITED', connector: 'websearch' }],
    });
  });

  it('shows the link of an account that is not connected, and the command for the same user', async () => {
    const error = new ServiceError('CONNECTED_ACCOUNT_NOT_ACTIVE', 'Not connected.', {
      details: { connector: 'websearch', authorization_link: 'http://127.0.0.1:3000/connect/x' },
    });
    const { stderr } = await gatehouse(['tools', 'call', 'a_b', '--user', 'bob'], { app: failing(error) });
    expect(stderr).toContain(
      'gatehouse: Not connected. From this terminal: gatehouse connect a --user bob\nhttp://127.0.0.1:3000/connect/x\n',
    );
  });

  it('prints the words of a provider in quotes and without control characters', async () => {
    const error = new ServiceError('TOOL_ERROR', 'Snowflake could not run the statement.', {
      details: { tool_error: { code: '000904', message: "invalid identifier 'X'\u001b[2J\u009b2J" } },
    });
    const { stderr } = await gatehouse(['tools', 'call', 'a_b'], { app: failing(error) });
    expect(stderr).toContain(
      `gatehouse: Snowflake could not run the statement.\nThe provider says: "invalid identifier 'X'\\u001b[2J 2J"\n`,
    );
  });

  it('prints wrong usage and invalid settings as an error body too', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'work/gatehouse.yaml');
    writeFileSync(file, 'hots: x\n');
    const settings = await gatehouse(['accounts', 'list', '--json'], { folder });
    expect(settings.code).toBe(1);
    expect(JSON.parse(settings.stderr)).toMatchObject({
      code: 3,
      details: [
        {
          error_code: 'INVALID_ARGUMENT',
          field_violations: [{ field: 'hots', description: 'is not a setting. Did you mean host?' }],
        },
      ],
    });
    const usage = await gatehouse(['tools', 'call', 'a_b', '--input', '{bad', '--json'], {
      app: failing(''),
    });
    expect(usage.code).toBe(2);
    expect(JSON.parse(usage.stderr)).toMatchObject({
      code: 3,
      details: [{ error_code: 'INVALID_ARGUMENT' }],
    });
  });

  it('reports an unexpected exception as a defect', async () => {
    const { code, stderr } = await gatehouse(['tools', 'call', 'a_b'], {
      app: failing(new TypeError('x is not a function')),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('gatehouse: this is a defect: TypeError: x is not a function');
  });

  it('lists every problem of the settings with file and line', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'work/gatehouse.yaml');
    writeFileSync(file, 'hots: x\nport: y\n');
    const { code, stdout, stderr } = await gatehouse(['accounts', 'list'], { folder });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `gatehouse: The settings are not valid:\n  ${file}:1: hots: is not a setting. Did you mean host?\n  ${file}:2: port: must be a whole number from 0 to 65535\n`,
    );
  });
});
