import { describe, expect, it } from 'vitest';
import { Environments } from '../../../src/core/environment.ts';
import { silentLog } from '../../../src/core/log.ts';
import { EmailCodes } from '../../../src/people/sign-in/email-codes.ts';
import type { Mail } from '../../../src/people/mailer.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import {
  environment,
  memoryDatabase,
  withEnvironments,
} from '../../authorization-server/identity-support.ts';

const BROWSER = 'b'.repeat(43);
const ADA = { environmentId: 'env_dev', email: 'ada@example.test', browser: BROWSER };
const MINUTE_MS = 60_000;

/** Codes over a database, with a mail server that takes every mail. */
function codesOver(db: Database, options: { mail?: boolean; isLocalOnly?: boolean } = {}) {
  const clock = fixedClock();
  const mails: Mail[] = [];
  const logged: unknown[][] = [];
  const environments = new Environments([
    { ...environment('http://127.0.0.1:3000'), isLocalOnly: options.isLocalOnly ?? true },
    environment('https://gate.example.test', 'env_prod'),
  ]);
  const mailer = {
    isFailing: false,
    send: async (mail: Mail) => {
      mails.push(mail);
      return true;
    },
  };
  const codes = new EmailCodes({
    db,
    clock,
    environments,
    key: Buffer.alloc(32, 1),
    log: { ...silentLog, info: (event, fields) => void logged.push([event, fields]) },
    mailer: options.mail === false ? undefined : mailer,
  });
  const send = async (of: Partial<typeof ADA> & { ip?: string; isMeant?: boolean } = {}) => {
    const { isMeant = true, ip = '192.0.2.1', ...rest } = of;
    await codes.send({ ...ADA, ip, ...rest, isMeant: async () => isMeant });
    return /\b\d{8}\b/.exec(mails.at(-1)?.text ?? '')?.[0] ?? '';
  };
  const check = async (code: string, of: Partial<typeof ADA> = {}) => codes.check({ ...ADA, ...of, code });
  return { codes, clock, mails, logged, send, check };
}

/** Another one than this. */
const notThe = (code: string, i = 1): string => String((Number(code) + i) % 100_000_000).padStart(8, '0');

forEachDatabase((_name, open) => {
  const fresh = async (options = {}) =>
    codesOver(await withEnvironments(await open(), 'env_dev', 'env_prod'), options);

  describe('sign-in code by e-mail', () => {
    it('accepts a code only once', async () => {
      const { send, check } = await fresh();
      const code = await send();
      expect(code).toMatch(/^\d{8}$/);
      expect(await check(code)).toBe('right');
      expect(await check(code)).toBe('over');
    });

    it('accepts a code with blanks', async () => {
      const { send, check } = await fresh();
      const code = await send();
      expect(await check(` ${code.slice(0, 4)} ${code.slice(4)} `)).toBe('right');
    });

    it('locks the code after five wrong ones, for the right one too', async () => {
      const { send, check } = await fresh();
      const code = await send();
      const answers = [];
      for (let i = 1; i <= 5; i++) answers.push(await check(notThe(code, i)));
      expect(answers).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'over']);
      expect(await check(code)).toBe('over');
    });

    it('checks at most five guesses, however many come at once', async () => {
      const { send, check } = await fresh();
      const code = await send();
      const guesses = Array.from({ length: 20 }, (_, i) => notThe(code, i + 1));
      const answers = await Promise.all([...guesses, code].map((guess) => check(guess)));
      expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(4);
      expect(answers.filter((answer) => answer === 'right').length).toBeLessThanOrEqual(1);
      expect(await check(code)).toBe('over');
    });

    it('accepts the code from one of several that send it at once', async () => {
      const { send, check } = await fresh();
      const code = await send();
      const answers = await Promise.all([check(code), check(code), check(code)]);
      expect(answers.toSorted()).toEqual(['over', 'over', 'right']);
    });

    it('ends the earlier code of this browser', async () => {
      const { send, check } = await fresh();
      const first = await send();
      const second = await send();
      expect(await check(first)).toBe('wrong');
      expect(await check(second)).toBe('right');
    });

    it('accepts the code in the browser that asked, for its address, in its environment', async () => {
      const { send, check } = await fresh();
      const code = await send();
      expect(await check(code, { browser: 'c'.repeat(43) })).toBe('over');
      expect(await check(code, { email: 'eve@example.test' })).toBe('over');
      expect(await check(code, { environmentId: 'env_prod' })).toBe('over');
      expect(await check(code)).toBe('right');
    });

    it('expires after ten minutes', async () => {
      const { send, check, clock } = await fresh();
      const code = await send();
      clock.advance(10 * MINUTE_MS - 1);
      expect(await check(notThe(code))).toBe('wrong');
      clock.advance(1);
      expect(await check(code)).toBe('over');
    });

    it('stores the code as a keyed hash', async () => {
      const db = await withEnvironments(await open(), 'env_dev', 'env_prod');
      const code = await codesOver(db).send();
      const rows = await db.read.selectFrom('email_codes').selectAll().execute();
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(code);
      expect(JSON.stringify(rows)).not.toContain(BROWSER);
    });

    it('answers for an unknown address as for any other, and sends nothing', async () => {
      const { send, check, mails } = await fresh();
      await send({ isMeant: false });
      expect(mails).toEqual([]);
      const answers = [];
      for (let i = 0; i < 6; i++) answers.push(await check('00000000'));
      expect(answers.filter((answer) => answer !== 'right')).toEqual([
        'wrong',
        'wrong',
        'wrong',
        'wrong',
        'over',
        'over',
      ]);
    });
  });

  describe('sign-in code by e-mail: rate limits', () => {
    it('allows five codes an hour for one address from one place, known or not', async () => {
      for (const isMeant of [true, false]) {
        const { send, clock } = await fresh();
        for (let i = 0; i < 5; i++) {
          await send({ isMeant, browser: String(i).repeat(43) });
          clock.advance(MINUTE_MS);
        }
        await expect(send({ isMeant })).rejects.toMatchObject({
          code: 'RATE_LIMITED',
          retryAfterSeconds: 55 * 60,
        });
        clock.advance(55 * MINUTE_MS);
        await send({ isMeant });
      }
    });

    it('still sends codes to somebody whose address another place asks for all the time', async () => {
      const { send, check } = await fresh();
      const asked = await Promise.allSettled(
        Array.from({ length: 8 }, () => send({ browser: 'e'.repeat(43), ip: '198.51.100.66' })),
      );
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(await check(await send())).toBe('right');
    });

    it('allows twenty codes an hour for one address from everywhere', async () => {
      const { send } = await fresh();
      for (let i = 0; i < 20; i++) await send({ ip: `192.0.2.${i}` });
      await expect(send({ ip: '203.0.113.1' })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      await send({ email: 'bob@example.test', ip: '203.0.113.1' });
    });

    it('allows twenty codes an hour from one place, and counts an IPv6 network as one', async () => {
      const { send } = await fresh();
      for (let i = 0; i < 20; i++)
        await send({ email: `user${i}@example.test`, ip: `2001:db8:1:2::${i.toString(16)}` });
      await expect(send({ email: 'more@example.test', ip: '2001:db8:1:2:ffff::1' })).rejects.toMatchObject({
        code: 'RATE_LIMITED',
      });
      await send({ email: 'more@example.test', ip: '2001:db8:1:3::1' });
    });

    it('limits requests that come at the same time too', async () => {
      const { send } = await fresh();
      const asked = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) => send({ browser: String(i).repeat(43) })),
      );
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    });

    it('counts each environment on its own', async () => {
      const { send } = await fresh();
      for (let i = 0; i < 5; i++) await send();
      await expect(send()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      await send({ environmentId: 'env_prod' });
    });
  });
});

describe('sign-in code: mail or log', () => {
  it('sends a mail that says where it is from and quotes nothing of the request', async () => {
    const { send, mails } = codesOver(await memoryDatabase());
    const code = await send();
    expect(mails).toMatchObject([
      { environmentId: 'env_dev', to: 'ada@example.test', subject: 'Your code for 127.0.0.1:3000' },
    ]);
    expect(mails[0]?.text).toContain(`Your code for 127.0.0.1:3000 is ${code}`);
  });

  it('writes the code to the log only without a mail server and on loopback', async () => {
    const { codes, send, logged, check } = codesOver(await memoryDatabase(), { mail: false });
    expect(codes.wayOf('env_dev')).toBe('log');
    await send();
    expect(logged).toEqual([
      [
        'sign_in_code',
        {
          environment_id: 'env_dev',
          message: expect.stringMatching(/^The code to sign in as ada@example\.test is \d{8}$/),
        },
      ],
    ]);
    const code = /\d{8}/.exec(JSON.stringify(logged))?.[0] ?? '';
    expect(await check(code)).toBe('right');
  });

  it('keeps the code out of the log where there is a mail server', async () => {
    const { send, logged } = codesOver(await memoryDatabase());
    await send();
    expect(logged).toEqual([]);
  });

  it('makes no code with neither mail nor log', async () => {
    const { codes, send, logged } = codesOver(await memoryDatabase(), { mail: false, isLocalOnly: false });
    expect(codes.wayOf('env_dev')).toBe('none');
    await expect(send()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(logged).toEqual([]);
  });
});
