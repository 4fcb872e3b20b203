/** The stand-in YouTube over time: its tokens, its quota, its reports. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { standInClient } from './stand-in-client.ts';
import { ALL_SCOPES, scopes, videoClient } from './video-client.ts';

const DATA = '/youtube/v3';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let clock: FixedClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = fixedClock();
  sandbox = await startSandbox({ clock, video: { quota: { unitsPerDay: 120, searchesPerDay: 2 } } });
});

afterEach(async () => {
  await sandbox.close();
});

const statusWith = async (accessToken: unknown): Promise<number> => {
  const headers = { authorization: `Bearer ${String(accessToken)}` };
  return (await fetch(`${sandbox.url}/v1/jobs`, { headers })).status;
};

describe('video stand-in: tokens', () => {
  it('expire after an hour and are refreshed by a refresh token that stays the same', async () => {
    const client = standInClient(sandbox, 'video');
    const answer = await client.connect({ scope: ALL_SCOPES, access_type: 'offline' });
    expect(answer).toMatchObject({ expires_in: 3600, scope: ALL_SCOPES, token_type: 'Bearer' });
    clock.advance(HOUR_MS);
    expect(await statusWith(answer.access_token)).toBe(401);
    const form = { grant_type: 'refresh_token', refresh_token: String(answer.refresh_token) };
    const [first, second] = [await client.token(form), await client.token(form)];
    expect(first.body).not.toHaveProperty('refresh_token');
    expect(await statusWith(first.body.access_token)).toBe(200);
    expect(await statusWith(second.body.access_token)).toBe(200);
  });

  it('come without a refresh token unless the app asks for offline access', async () => {
    const answer = await standInClient(sandbox, 'video').connect({ scope: ALL_SCOPES });
    expect(answer).not.toHaveProperty('refresh_token');
  });

  it('include the scopes that the same person allowed before', async () => {
    const client = standInClient(sandbox, 'video');
    await client.connect({ scope: scopes('youtube.readonly') });
    const later = await client.connect({ scope: scopes('yt-analytics.readonly') });
    expect(later.scope).toBe(scopes('youtube.readonly', 'yt-analytics.readonly'));
    const other = await client.connect({ scope: scopes('yt-analytics.readonly') }, 1);
    expect(other.scope).toBe(scopes('yt-analytics.readonly'));
  });

  it.each(['access_token', 'refresh_token'])(
    'end with all others of the person after revocation of one %s',
    async (kind) => {
      const client = standInClient(sandbox, 'video');
      const offline = { scope: ALL_SCOPES, access_type: 'offline' };
      const [first, second] = [await client.connect(offline), await client.connect(offline)];
      const other = await client.connect(offline, 1);
      const revoke = () =>
        fetch(sandbox.url + sandbox.providers.video.paths.revoke!, {
          method: 'POST',
          body: new URLSearchParams({ token: String(second[kind]) }),
        });
      expect((await revoke()).status).toBe(200);
      expect(await statusWith(first.access_token)).toBe(401);
      expect(await statusWith(second.access_token)).toBe(401);
      const form = { grant_type: 'refresh_token', refresh_token: String(first.refresh_token) };
      expect(await client.token(form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      const renewal = { grant_type: 'refresh_token', refresh_token: String(other.refresh_token) };
      expect((await client.token(renewal)).status).toBe(200);
      expect((await revoke()).status).toBe(400);
    },
  );

  it('require a scope that exists (invalid_scope)', async () => {
    const response = await standInClient(sandbox, 'video').authorize({ scope: scopes('everything') });
    const back = new URL(response.headers.get('location') ?? '');
    expect(back.searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('video stand-in: quota', () => {
  const used = { body: { error: { errors: [{ domain: 'youtube.quota', reason: 'quotaExceeded' }] } } };

  it('counts units, for all people together, until midnight in California', async () => {
    const call = await videoClient(sandbox);
    const other = await videoClient(sandbox, undefined, 1);
    const insert = () => call('POST', `${DATA}/playlists?part=snippet`, { snippet: { title: 'T' } });
    expect((await insert()).status).toBe(200);
    expect((await insert()).status).toBe(200);
    expect(await insert()).toMatchObject({ status: 403, ...used });
    const read = () => other('GET', `${DATA}/videos?part=id&chart=mostPopular`);
    for (let unit = 0; unit < 20; unit++) expect((await read()).status).toBe(200);
    expect(await read()).toMatchObject(used);
    expect((await call('GET', '/v1/jobs')).status).toBe(200);
    // 23:59 and midnight of 20 November in California
    clock.advance(19 * HOUR_MS + 59 * 60_000);
    const late = await videoClient(sandbox);
    expect(await late('GET', `${DATA}/videos?part=id&chart=mostPopular`)).toMatchObject(used);
    clock.advance(60_000);
    expect((await late('GET', `${DATA}/videos?part=id&chart=mostPopular`)).status).toBe(200);
  });

  it('counts searches in a quota of their own', async () => {
    const call = await videoClient(sandbox);
    const search = () => call('GET', `${DATA}/search?part=snippet&q=tide`);
    expect((await search()).status).toBe(200);
    expect((await search()).status).toBe(200);
    expect(await search()).toMatchObject({ status: 403, ...used });
    expect((await call('GET', `${DATA}/videos?part=id&chart=mostPopular`)).status).toBe(200);
  });
});

describe('video stand-in: reports', () => {
  interface Reports {
    reports?: { startTime: string; downloadUrl: string }[];
    nextPageToken?: string;
  }

  it('come a day after their job for the month before it, and daily from then on', async () => {
    const list = async (job: unknown, query = ''): Promise<Reports> =>
      (await (await videoClient(sandbox))('GET', `/v1/jobs/${String(job)}/reports${query}`)).body;
    const create = await videoClient(sandbox);
    const { id } = (await create('POST', '/v1/jobs', { name: 'D', reportTypeId: 'channel_device_os_a2' }))
      .body;
    expect(await list(id)).toEqual({});
    clock.advance(DAY_MS);
    const month = (await list(id)).reports!;
    expect(month).toHaveLength(30);
    expect(month[0]!.startTime).toBe('2026-11-19T08:00:00Z');
    clock.advance(2 * DAY_MS);
    expect((await list(id, '?startTimeAtOrAfter=2026-11-20T00:00:00Z')).reports).toHaveLength(2);
    const page = await list(id, '?pageSize=30');
    expect((await list(id, `?pageSize=30&pageToken=${page.nextPageToken}`)).reports).toHaveLength(2);
    clock.advance(29 * DAY_MS);
    expect((await list(id, '?startTimeBefore=2026-11-20T00:00:00Z')).reports).toBeUndefined();
  });

  it('have a file that only the account itself reads', async () => {
    const call = await videoClient(sandbox);
    const { jobs } = (await call('GET', '/v1/jobs')).body as unknown as { jobs: { id: string }[] };
    const { reports } = (await call('GET', `/v1/jobs/${jobs[0]!.id}/reports`)).body as Reports;
    const { access_token } = await standInClient(sandbox, 'video').connect({ scope: ALL_SCOPES });
    const url = reports![0]!.downloadUrl;
    const response = await fetch(url, { headers: { authorization: `Bearer ${access_token}` } });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', row = ''] = (await response.text()).split('\n');
    expect(head.split(',').slice(0, 7).join()).toBe(
      'date,channel_id,video_id,live_or_on_demand,subscribed_status,country_code,views',
    );
    expect(row.split(',')).toHaveLength(head.split(',').length);
    expect((await fetch(url)).status).toBe(401);
    const other = await videoClient(sandbox, undefined, 1);
    expect((await other('GET', new URL(url).pathname)).status).toBe(401);
  });
});
