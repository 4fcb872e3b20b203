/** The stand-in calendar by itself: what it refuses, what it prefers, and answers as the provider describes them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { readAnswerDescription } from './answer-description.ts';
import { standInClient } from './stand-in-client.ts';

const problemsOf = readAnswerDescription('mail-answers.json');

interface Body {
  id: string;
  value: Body[];
  error: { code: string; message: string };
  [member: string]: unknown;
}

let sandbox: Sandbox;
let token: string;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const scope = 'Calendars.ReadWrite User.Read';
  token = String((await standInClient(sandbox, 'mail').connect({ scope })).access_token);
});

afterAll(async () => {
  await sandbox?.close();
});

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${sandbox.url}/v1.0${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

const event = (more: object = {}): Record<string, unknown> => ({
  subject: 'Fitting',
  start: { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Berlin' },
  ...more,
});
const series = (pattern: object, range: object = {}): Record<string, unknown> =>
  event({
    recurrence: {
      pattern: { interval: 1, ...pattern },
      range: { type: 'noEnd', startDate: '2026-12-01', ...range },
    },
  });
const create = async (more: object = {}): Promise<Body> =>
  (await send('POST', '/me/events', event(more))).body;
const pathOf = ({ id }: Body): string => `/me/events/${encodeURIComponent(id)}`;

describe("mail stand-in: answers by the provider's description", () => {
  it('match the description for one event', async () => {
    const full = {
      body: { contentType: 'html', content: '<p>Bring the chart.</p>' },
      locations: [{ displayName: 'Quay', address: { city: 'Bergen' }, coordinates: { latitude: 60.4 } }],
      attendees: [{ emailAddress: { address: 'ole@marrowlight.example' }, type: 'optional' }],
      categories: ['Team'],
      isOnlineMeeting: true,
    };
    const created = await send('POST', '/me/events', event(full));
    expect(created.status).toBe(201);
    expect(problemsOf('event', created.body)).toEqual([]);
    expect(problemsOf('event', (await send('GET', pathOf(created.body))).body)).toEqual([]);
    expect(problemsOf('event', (await send('PATCH', pathOf(created.body), { subject: 'x' })).body)).toEqual(
      [],
    );
    expect(problemsOf('listEvents', (await send('GET', '/me/events?$top=2&$count=true')).body)).toEqual([]);
    expect(await send('DELETE', pathOf(created.body))).toEqual({ status: 204, body: {} });
    expect(problemsOf('error', (await send('GET', pathOf(created.body))).body)).toEqual([]);
  });

  it('match the description for a series', async () => {
    const { status, body } = await send(
      'POST',
      '/me/events',
      series({ type: 'weekly', daysOfWeek: ['tuesday'] }),
    );
    expect(status).toBe(201);
    expect(problemsOf('event', body)).toEqual([]);
    const single = await send('PATCH', pathOf(body), { recurrence: null });
    expect(single.body).toMatchObject({ type: 'singleInstance', recurrence: null });
    expect(problemsOf('event', single.body)).toEqual([]);
  });

  it('use the preferred time zone and body type', async () => {
    const made = await create({ body: { contentType: 'html', content: '<p>Bring &amp; take.</p>' } });
    const prefer = 'outlook.timezone="Pacific Standard Time", outlook.body-content-type="text"';
    expect((await send('GET', pathOf(made), undefined, { prefer })).body).toMatchObject({
      start: { dateTime: '2026-12-01T00:00:00.0000000', timeZone: 'Pacific Standard Time' },
      body: { contentType: 'text', content: 'Bring & take.' },
    });
  });

  it.each([
    ['2026-03-29T01:30:00', '2026-03-29T00:30:00.0000000'],
    ['2026-03-29T03:30:00', '2026-03-29T01:30:00.0000000'],
    ['2026-10-25T03:30:00', '2026-10-25T02:30:00.0000000'],
  ])('convert %s correctly around a change of the clocks', async (dateTime, expected) => {
    const time = { dateTime, timeZone: 'W. Europe Standard Time' };
    expect(await create({ start: time, end: time })).toMatchObject({ start: { dateTime: expected } });
  });

  it('link to the next page, which can be followed', async () => {
    const { body } = await send('GET', "/me/events?$top=1&$filter=sensitivity eq 'normal'&$orderby=subject");
    const [first] = body.value;
    const next = String(body['@odata.nextLink']).replace(`${sandbox.url}/v1.0`, '');
    const [second] = (await send('GET', next)).body.value;
    expect(String(first?.subject) < String(second?.subject)).toBe(true);
  });

  it('include the profile with the scope for it', async () => {
    expect((await send('GET', '/me')).body).toMatchObject({
      displayName: 'Robin Vale',
      mail: 'robin@northlight.example',
    });
  });
});

describe('mail stand-in: updates and retries', () => {
  it('creates an event once for one transaction id', async () => {
    const first = await create({ transactionId: 't-1' });
    expect((await create({ transactionId: 't-1' })).id).toBe(first.id);
    expect((await create({ transactionId: 't-2' })).id).not.toBe(first.id);
  });

  it('accepts a change only for the version that was read (If-Match)', async () => {
    const made = await create();
    const seen = { 'if-match': String(made['@odata.etag']) };
    expect((await send('PATCH', pathOf(made), { subject: 'a' }, seen)).status).toBe(200);
    expect(await send('PATCH', pathOf(made), { subject: 'b' }, seen)).toMatchObject({
      status: 412,
      body: { error: { code: 'ErrorIrresolvableConflict' } },
    });
  });

  it('ignores a change of the online meeting', async () => {
    const made = await create({ isOnlineMeeting: true });
    const { body } = await send('PATCH', pathOf(made), { isOnlineMeeting: false });
    expect(body).toMatchObject({ isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' });
  });

  it('keeps one location and the list of locations consistent', async () => {
    const made = await create({ location: { displayName: 'Quay' } });
    const { body } = await send('PATCH', pathOf(made), {
      locations: [{ displayName: 'Room 1' }, { displayName: 'Room 2' }],
    });
    expect(body).toMatchObject({ location: { displayName: 'Room 1; Room 2' } });
    const again = await send('PATCH', pathOf(made), { location: { displayName: 'Boat' } });
    expect(again.body.locations).toMatchObject([{ displayName: 'Boat' }]);
  });
});

describe('mail stand-in: errors', () => {
  it.each([
    ['no token', { authorization: '' }, 401, 'InvalidAuthenticationToken'],
    [
      'a token of somebody else',
      { authorization: 'Bearer mail-access-x' },
      401,
      'InvalidAuthenticationToken',
    ],
  ])('answers 401 to a request with %s', async (_, headers: Record<string, string>, status, code) => {
    expect(await send('POST', '/me/events', event(), headers)).toMatchObject({
      status,
      body: { error: { code } },
    });
  });

  it.each([
    ['no JSON', '{', 'BadRequest'],
    [
      'a time with an offset',
      event({ start: { dateTime: '2026-12-01T09:00:00+01:00', timeZone: 'UTC' } }),
      'RequestBodyRead',
    ],
    ['no start', { subject: 'x' }, 'ErrorPropertyValidationFailure'],
  ])('answers 400 to an event with %s', async (_, body, code) => {
    const answer = await send('POST', '/me/events', body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code } } });
    expect(problemsOf('error', answer.body)).toEqual([]);
  });

  it('repeats the request id of the client', async () => {
    const { body } = await send('GET', '/me/events/AAAAAAAAAAAAAAAAAAAAAAAA', undefined, {
      'client-request-id': 'mine',
    });
    expect(body.error).toMatchObject({
      code: 'ErrorItemNotFound',
      innerError: { 'client-request-id': 'mine', date: '2026-11-20T12:00:00' },
    });
  });
});
