import { describe, expect, it } from 'vitest';
import { Environments } from '../../../src/core/environment.ts';
import { silentLog } from '../../../src/core/log.ts';
import { EmailCodes } from '../../../src/people/sign-in/email-codes.ts';
import type { Mail } from '../../../src/people/mailer.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { ManualTimers, turns, until } from '../../support/manual-timers.ts';
import {
  environment,
  memoryDatabase,
  withEnvironments,
} from '../../authorization-server/identity-support.ts';

const BROWSER = 'b'.repeat(43);
const ADA = { environmentId: 'env_dev', email: 'ada@example.test', browser: BROWSER };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Codes over a database, with a mail server that takes every mail. */
function codesOver(db: Database, options: { mail?: boolean; isLocalOnly?: boolean } = {}) {
  const clock = fixedClock();
  const mails: Mail[] = [];
  const timers = new ManualTimers();
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
    timers,
    log: { ...silentLog, info: (event, fields) => void logged.push([event, fields]) },
    mailer: options.mail === false ? undefined : mailer,
  });
  type Asked = Partial<typeof ADA> & { ip?: string; isMeant?: boolean; known?: string };
  const ask = async ({ isMeant = true, ip = '192.0.2.1', known = '', ...rest }: Asked = {}) =>
    codes.send({ ...ADA, ip, known, ...rest, isMeant: async () => isMeant });
  const send = async (of: Asked = {}) => {
    await ask(of);
    return /\b\d{8}\b/.exec(mails.at(-1)?.text ?? '')?.[0] ?? '';
  };
  const check = async (code: string, of: Partial<typeof ADA> = {}) => codes.check({ ...ADA, ...of, code });
  /** The cookie of a browser in which a code was right. */
  const known = (of: Partial<typeof ADA> = {}, before = '') =>
    codes.remember({ ...ADA, ...of, known: before });
  return { codes, clock, mails, timers, logged, ask, send, check, known };
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

    it.each([
      ['IPv4 /24', (i: number) => `192.0.2.${i}`, '192.0.3.1'],
      ['IPv6 /48', (i: number) => `2001:db8:1:${i}::1`, '2001:db8:2:1::1'],
    ])('counts an %s as one network for one address', async (_what, addressOf, elsewhere) => {
      const { send } = await fresh();
      for (let i = 0; i < 5; i++) await send({ ip: addressOf(i) });
      await expect(send({ ip: addressOf(77) })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      await send({ email: 'bob@example.test', ip: addressOf(77) });
      await send({ ip: elsewhere });
    });

    it('delays the 20th code of an hour for one address and each further one', async () => {
      for (const isMeant of [true, false]) {
        const { ask, timers, mails } = await fresh();
        const delays = [];
        for (let i = 0; i < 27; i++)
          delays.push(await ask({ ip: `198.18.${i}.1`, browser: String(i).padEnd(43, '_'), isMeant }));
        expect(delays).toEqual([...Array.from({ length: 19 }, () => 0), 1, 2, 4, 8, 16, 30, 30, 30]);
        expect([...timers.repeated].map(({ ms }) => ms / MINUTE_MS)).toEqual(
          isMeant ? [1, 2, 4, 8, 16, 30, 30, 30] : [],
        );
        expect(mails).toHaveLength(isMeant ? 19 : 0);
      }
    });

    it('sends a delayed code once, for ten minutes from then on', async () => {
      const { ask, check, clock, timers, mails } = await fresh();
      for (let i = 0; i < 25; i++) await ask({ ip: `198.18.${i}.1`, isMeant: false });
      expect(await ask({ ip: '203.0.113.1' })).toBe(30);
      clock.advance(30 * MINUTE_MS);
      timers.tick();
      await until(() => mails.length === 1);
      expect(timers.repeated.size).toBe(0);
      const code = /\b\d{8}\b/.exec(mails.at(-1)?.text ?? '')?.[0] ?? '';
      clock.advance(10 * MINUTE_MS - 1);
      expect(await check(code)).toBe('right');
    });

    it('sends no delayed code that its browser has replaced', async () => {
      const { ask, timers, mails, check } = await fresh();
      for (let i = 0; i < 19; i++) await ask({ ip: `198.18.${i}.1`, browser: 'e'.repeat(43) });
      expect(await ask({ ip: '203.0.113.1' })).toBe(1);
      expect(await ask({ ip: '203.0.113.1' })).toBe(2);
      timers.tick();
      await until(() => mails.length === 20);
      await turns();
      expect(mails).toHaveLength(20);
      expect(await check(/\b\d{8}\b/.exec(mails.at(-1)?.text ?? '')?.[0] ?? '')).toBe('right');
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

  describe('sign-in code by e-mail: known browsers', () => {
    it('gives a browser that signed in before five codes an hour of its own', async () => {
      const { send, check, known, mails } = await fresh();
      const cookie = known();
      const strangers = Array.from({ length: 40 }, (_, i) => ({
        ip: `2001:db8:${i % 8}:${i}::1`,
        browser: 'e'.repeat(43),
      }));
      for (const stranger of strangers) await send(stranger);
      const before = mails.length;
      for (let i = 0; i < 4; i++) await send({ ip: '2001:db8:1:9::1', known: cookie });
      expect(mails).toHaveLength(before + 4);
      expect(await check(await send({ ip: '2001:db8:1:9::1', known: cookie }))).toBe('right');
      await expect(send({ ip: '203.0.113.1', known: cookie })).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        retryAfterSeconds: 3_600,
      });
    });

    it('counts its codes against no other browser', async () => {
      const { ask, known } = await fresh();
      for (let browser = 0; browser < 5; browser++) {
        const cookie = known();
        for (let i = 0; i < 5; i++) expect(await ask({ known: cookie })).toBe(0);
      }
      for (let i = 0; i < 5; i++) expect(await ask()).toBe(0);
      await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    });

    it('knows five people of a browser, those who signed in last', async () => {
      const { ask, known } = await fresh();
      const emails = Array.from({ length: 6 }, (_, i) => `user${i}@example.test`);
      const cookie = emails.reduce((before, email) => known({ email }, before), '');
      const again = known({ email: 'user3@example.test' }, cookie);
      expect([cookie.split('~').length, again.split('~').length, again.length < 600]).toEqual([5, 5, true]);
      expect(again).not.toMatch(/user|example/);
      for (const email of emails) {
        for (let i = 0; i < 5; i++) await ask({ email, ip: `198.51.100.${i}` });
        const further = ask({ email, ip: '198.51.100.1', known: again });
        if (email === emails[0]) await expect(further).rejects.toMatchObject({ code: 'RATE_LIMITED' });
        else expect(await further).toBe(0);
      }
    });

    it.each<[string, (cookie: string) => string, days: number]>([
      ['is 90 days old', (cookie) => cookie, 90],
      ['has a later expiry', (cookie) => cookie.replace(/\.\d+\./, '.9999999999999.'), 0],
      ['has another id', (cookie) => `${'A'.repeat(43)}${cookie.slice(43)}`, 0],
      ['has no MAC', (cookie) => cookie.replace(/\.[^.]*$/, '.'), 0],
      ['has another MAC', (cookie) => cookie.replace(/\.[^.]*$/, `.${'A'.repeat(43)}`), 0],
      ['is cut', (cookie) => cookie.slice(0, -1), 0],
      ['is text', () => 'known\u0000~~..~', 0],
      ['is long', (cookie) => `${'~'.repeat(100_000)}${cookie}`, 0],
    ])('takes a browser for another one whose cookie %s', async (_what, change, days) => {
      const { ask, known, clock } = await fresh();
      const cookie = change(known());
      clock.advance(days * DAY_MS);
      for (let i = 0; i < 5; i++) await ask();
      await expect(ask({ known: cookie })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    });

    it('knows a browser for its person in its environment only, until 90 days are over', async () => {
      const { ask, known, clock } = await fresh();
      const cookie = known();
      const others = [{ email: 'bob@example.test' }, { environmentId: 'env_prod' }];
      for (const other of others) {
        for (let i = 0; i < 5; i++) await ask(other);
        await expect(ask({ ...other, known: cookie })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      }
      clock.advance(90 * DAY_MS - 1);
      for (let i = 0; i < 5; i++) await ask();
      expect(await ask({ known: cookie })).toBe(0);
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
