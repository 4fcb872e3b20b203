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

  describe('a code by e-mail', () => {
    it('is right once', async () => {
      const { send, check } = await fresh();
      const code = await send();
      expect(code).toMatch(/^\d{8}$/);
      expect(await check(code)).toBe('right');
      expect(await check(code)).toBe('over');
    });

    it('may be typed with blanks', async () => {
      const { send, check } = await fresh();
      const code = await send();
      expect(await check(` ${code.slice(0, 4)} ${code.slice(4)} `)).toBe('right');
    });

    it('is locked after five wrong ones, for the right one too', async () => {
      const { send, check } = await fresh();
      const code = await send();
      const answers = [];
      for (let i = 1; i <= 5; i++) answers.push(await check(notThe(code, i)));
      expect(answers).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'over']);
      expect(await check(code)).toBe('over');
    });

    it('is not looked at more than five times, however many guesses come at once', async () => {
      const { send, check } = await fresh();
      const code = await send();
      const guesses = Array.from({ length: 20 }, (_, i) => notThe(code, i + 1));
      const answers = await Promise.all([...guesses, code].map((guess) => check(guess)));
      expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(4);
      expect(answers.filter((answer) => answer === 'right').length).toBeLessThanOrEqual(1);
      expect(await check(code)).toBe('over');
    });

    it('is right for one of several that hand it in at once', async () => {
      const { send, check } = await fresh();
      const code = await send();
      const answers = await Promise.all([check(code), check(code), check(code)]);
      expect(answers.toSorted()).toEqual(['over', 'over', 'right']);
    });

    it('ends the one before it, in this browser', async () => {
      const { send, check } = await fresh();
      const first = await send();
      const second = await send();
      expect(await check(first)).toBe('wrong');
      expect(await check(second)).toBe('right');
    });

    it('works in the browser that asked for it, for the address it went to, in its environment', async () => {
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

    it('is stored as a keyed hash', async () => {
      const db = await withEnvironments(await open(), 'env_dev', 'env_prod');
      const code = await codesOver(db).send();
      const rows = await db.read.selectFrom('email_codes').selectAll().execute();
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(code);
      expect(JSON.stringify(rows)).not.toContain(BROWSER);
    });

    it('of an address that is not known is answered like any other, and goes to nobody', async () => {
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

  describe('asking for codes', () => {
    it('is allowed five times an hour for one address from one place, known or not', async () => {
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

    it('is not denied to somebody whose address another place asks for all the time', async () => {
      const { send, check } = await fresh();
      const asked = await Promise.allSettled(
        Array.from({ length: 8 }, () => send({ browser: 'e'.repeat(43), ip: '198.51.100.66' })),
      );
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(await check(await send())).toBe('right');
    });

    it('is allowed twenty times an hour for one address from everywhere', async () => {
      const { send } = await fresh();
      for (let i = 0; i < 20; i++) await send({ ip: `192.0.2.${i}` });
      await expect(send({ ip: '203.0.113.1' })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      await send({ email: 'bob@example.test', ip: '203.0.113.1' });
    });

    it('is allowed twenty times an hour from one place, and an IPv6 network is one place', async () => {
      const { send } = await fresh();
      for (let i = 0; i < 20; i++)
        await send({ email: `user${i}@example.test`, ip: `2001:db8:1:2::${i.toString(16)}` });
      await expect(send({ email: 'more@example.test', ip: '2001:db8:1:2:ffff::1' })).rejects.toMatchObject({
        code: 'RATE_LIMITED',
      });
      await send({ email: 'more@example.test', ip: '2001:db8:1:3::1' });
    });

    it('is limited for those that ask at once too', async () => {
      const { send } = await fresh();
      const asked = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) => send({ browser: String(i).repeat(43) })),
      );
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    });

    it('counts each environment by itself', async () => {
      const { send } = await fresh();
      for (let i = 0; i < 5; i++) await send();
      await expect(send()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      await send({ environmentId: 'env_prod' });
    });
  });
});

describe('where a code goes', () => {
  it('is the mail, which says where it is from and quotes nothing of the request', async () => {
    const { send, mails } = codesOver(await memoryDatabase());
    const code = await send();
    expect(mails).toMatchObject([
      { environmentId: 'env_dev', to: 'ada@example.test', subject: 'Your code for 127.0.0.1:3000' },
    ]);
    expect(mails[0]?.text).toContain(`Your code for 127.0.0.1:3000 is ${code}`);
  });

  it('is the log only without a mail server and on loopback', async () => {
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

  it('is not the log where there is a mail server', async () => {
    const { send, logged } = codesOver(await memoryDatabase());
    await send();
    expect(logged).toEqual([]);
  });

  it('is nowhere with neither: nothing is made', async () => {
    const { codes, send, logged } = codesOver(await memoryDatabase(), { mail: false, isLocalOnly: false });
    expect(codes.wayOf('env_dev')).toBe('none');
    await expect(send()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(logged).toEqual([]);
  });
});
