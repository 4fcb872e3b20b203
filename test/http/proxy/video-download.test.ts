/** The file of a YouTube report: the path that the tool names is read through the proxy. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFaultServer, type FaultServer } from '../../support/fault-server.ts';
import { startShopServer, type ShopServer } from '../../support/shop-server.ts';

const CSV = `date,views\n${'2026-11-20,7\n'.repeat(20_000)}`;
const PATH = '/v1/media/CHANNEL/c/basic/1/report?alt=media';

let youtube: FaultServer;
let server: ShopServer;

beforeAll(async () => {
  youtube = await startFaultServer();
  server = await startShopServer({
    hosts: { main: youtube.origin, files: youtube.origin },
    settings: {
      connections: [
        {
          name: 'video',
          connector: 'video',
          client_id: 'client',
          client_secret: 'a-secret',
          overrides: { base_url: youtube.origin },
        },
      ],
    },
  });
  const { status } = await server.api('POST', '/connected_accounts', {
    connector: 'video',
    identifier: 'ada',
    user_id: 'ada',
    connected_account: { authorization_details: { oauth_token: { access_token: 'the-access-token' } } },
  });
  expect(status).toBe(201);
});

afterAll(async () => {
  await server.close();
  await youtube.close();
});

it('downloads a report whole by its download_path', async () => {
  const reports = [
    { id: 'r1', downloadUrl: `https://youtubereporting.googleapis.com${PATH}` },
    { id: 'r2', downloadUrl: 'https://evil.test/v1/media/x' },
  ];
  youtube.queue({ json: { reports } }, { headers: { 'content-type': 'text/csv' }, body: CSV });
  const listed = await server.api('POST', '/execute_tool', {
    tool_name: 'video_reporting_list_reports',
    tool_input: { job_id: 'j' },
    user_id: 'ada',
  });
  const { data } = (await listed.json()) as { data: { reports: { download_path?: string }[] } };
  expect(data.reports.map(({ download_path }) => download_path)).toEqual([PATH, undefined]);

  const response = await fetch(`${server.baseUrl}/proxy${data.reports[0]?.download_path}`, {
    headers: { authorization: `Bearer ${server.token}`, 'connection-name': 'video', 'user-id': 'ada' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/csv');
  expect(await response.text()).toBe(CSV);
  expect(youtube.requests[1]).toMatchObject({
    target: PATH,
    headers: { authorization: 'Bearer the-access-token' },
  });
});
