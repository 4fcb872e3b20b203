import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/core/log.ts';
import { Mailer } from '../../src/people/mailer.ts';

/** A mail as its server received it: the envelope, and the mail with its header. */
interface Taken {
  envelope: string[];
  data: string;
}

/** A mail server that speaks enough SMTP; `refuses` answers 550 to a command that begins so. */
function mailServer(taken: Taken[], refuses?: string): Server {
  return createServer((socket) => {
    let mail: Taken = { envelope: [], data: '' };
    let isData = false;
    let rest = '';
    const say = (line: string) => socket.write(`${line}\r\n`);
    say('220 mail.example.test');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (isData && line !== '.') mail.data += `${line}\n`;
        else if (isData) {
          isData = false;
          taken.push(mail);
          mail = { envelope: [], data: '' };
          say('250 taken');
        } else if (refuses !== undefined && line.startsWith(refuses)) say(`550 no: ${line}`);
        else if (line.startsWith('DATA')) {
          isData = true;
          say('354 go on');
        } else {
          if (/^(MAIL|RCPT)/.test(line)) mail.envelope.push(line);
          say(line.startsWith('QUIT') ? '221 bye' : '250 ok');
        }
      }
    });
    socket.on('error', () => {});
  });
}

describe('mail over SMTP', () => {
  let server: Server | undefined;
  let taken: Taken[];
  let logged: unknown[][];
  let now: number;

  beforeEach(() => {
    taken = [];
    logged = [];
    now = 1_000_000;
  });
  afterEach(async () => {
    server?.close();
    server = undefined;
  });

  async function mailer(refuses?: string): Promise<Mailer> {
    server = mailServer(taken, refuses).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return mailerAt(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  function mailerAt(url: string, sendMs?: number): Mailer {
    return new Mailer({
      ...(sendMs !== undefined && { sendMs }),
      smtp: { url, from: 'Gatehouse <gate@example.test>' },
      now: () => now,
      log: { ...silentLog, error: (event, fields) => void logged.push([event, fields]) },
    });
  }

  const mail = {
    environmentId: 'env_dev',
    to: 'ada@example.test',
    subject: 'Your code',
    text: 'It is 12345678.\n',
  };

  it('sends one mail to the server, for one address', async () => {
    const sender = await mailer();
    expect(await sender.send(mail)).toBe(true);
    expect(taken).toHaveLength(1);
    expect(taken[0]?.envelope).toEqual(['MAIL FROM:<gate@example.test>', 'RCPT TO:<ada@example.test>']);
    expect(taken[0]?.data).toContain('To: ada@example.test\n');
    expect(taken[0]?.data).toContain('Subject: Your code\n');
    expect(taken[0]?.data).toContain('It is 12345678.');
    expect(logged).toEqual([]);
    expect(sender.isFailing).toBe(false);
  });

  it.each([
    ['subject', { subject: 'Hello\r\nBcc: eve@example.test\r\n\r\nother text' }],
    ['receiver', { to: 'ada@example.test\r\nBcc: eve@example.test' }],
    ['receiver with a second address', { to: 'ada@example.test, eve@example.test' }],
  ])('lets nobody add a header or a receiver by the %s', async (_part, change) => {
    const sender = await mailer();
    expect(await sender.send({ ...mail, ...change })).toBe(true);
    expect(taken).toHaveLength(1);
    const [header = ''] = (taken[0]?.data ?? '').split('\n\n');
    expect(header).toContain('To: ');
    expect(header).not.toMatch(/^Bcc:/im);
    expect(taken[0]?.envelope.filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
    expect(taken.flatMap(({ envelope }) => envelope).join()).not.toContain('<eve@example.test>');
  });

  it('explains a refused RCPT in words, without the mail', async () => {
    const sender = await mailer('RCPT');
    expect(await sender.send(mail)).toBe(false);
    expect(sender.isFailing).toBe(true);
    const message = 'The mail server refuses the sender or the recipient. Check smtp.from.';
    expect(logged).toEqual([
      ['mail_failed', { environment_id: 'env_dev', error_code: 'EENVELOPE', message, status: 550 }],
    ]);
    expect(JSON.stringify(logged)).not.toMatch(/12345678|ada@/);
  });

  it('greets a server without EHLO by HELO', async () => {
    const sender = await mailer('EHLO');
    expect(await sender.send(mail)).toBe(true);
    expect(taken).toHaveLength(1);
    expect([sender.isFailing, logged]).toEqual([false, []]);
  });

  /** Takes connections and says nothing. */
  async function silentServer(): Promise<{ url: string; closed: Promise<unknown> }> {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const closed = once(server, 'connection').then(async ([socket]) => once(socket as Socket, 'close'));
    return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, closed };
  }

  const NO_ANSWER = [
    [
      'mail_failed',
      {
        environment_id: 'env_dev',
        error_code: 'ETIMEDOUT',
        message: 'The mail server did not answer in time.',
      },
    ],
  ];

  it('stops sending a mail after its time, and closes the connection to the server', async () => {
    const { url, closed } = await silentServer();
    expect(await mailerAt(url, 2_000).send(mail)).toBe(false);
    expect(logged).toEqual(NO_ANSWER);
    await closed;
  });

  it('stops sending at shutdown, so that the process can end', async () => {
    const { url, closed } = await silentServer();
    const sender = mailerAt(url);
    const sending = sender.send(mail);
    await once(server ?? createServer(), 'connection');
    sender.endBy(AbortSignal.abort());
    await sender.settled();
    expect(await sending).toBe(false);
    expect(logged).toEqual(NO_ANSWER);
    await closed;
  });

  it('reports its failure for five minutes, or until a mail is taken', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port } = unused.address() as AddressInfo;
    unused.close();
    await once(unused, 'close');
    const sender = mailerAt(`smtp://127.0.0.1:${port}`);
    expect(await sender.send(mail)).toBe(false);
    expect(logged).toMatchObject([
      ['mail_failed', { error_code: 'ESOCKET', message: expect.stringMatching(/cannot be reached/) }],
    ]);
    expect(sender.isFailing).toBe(true);
    now += 5 * 60_000;
    expect(sender.isFailing).toBe(false);
  });
});
