import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { openMetricsListener } from '../../../src/app/serve/metrics-listener.ts';
import { Environments } from '../../../src/core/environment.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { Listener } from '../../../src/http/listener/listener.ts';
import { Metrics } from '../../../src/http/listener/metrics.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { freePort } from '../../support/free-port.ts';
import { development } from '../../http/rest-api.ts';

const opened: Listener[] = [];
afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close();
});

async function open(variables: Record<string, string>): Promise<Listener | undefined> {
  const settings = loadSettings({ flags: {}, env: variables, cwd: '/', homeDir: '/' });
  const services = { settings, log: silentLog, environments: new Environments([development]) };
  const listener = await openMetricsListener(services, new Metrics());
  if (listener !== undefined) opened.push(listener);
  return listener;
}

/** @returns the port of a new listener */
async function listening(host = '127.0.0.1'): Promise<number> {
  const port = await freePort();
  await open({ GATEHOUSE_METRICS_PORT: String(port), GATEHOUSE_METRICS_HOST: host });
  return port;
}

/** Sends a request with headers that fetch does not let a caller choose. */
async function ask(
  port: number,
  { path = '/metrics', method = 'GET', ...headers }: Record<string, string> = {},
): Promise<{ status: number | undefined; text: string }> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers }).end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

describe('listener for metrics', () => {
  it('stays closed without metrics.port', async () => {
    expect(await open({})).toBeUndefined();
  });

  it('answers /metrics without a token, and nothing else', async () => {
    const port = await listening();
    const { status, text } = await ask(port);
    expect(status).toBe(200);
    expect(text).toContain('# TYPE gatehouse_http_requests_total counter');
    expect((await ask(port, { method: 'HEAD' })).status).toBe(200);
    for (const path of ['/', '/healthz', '/metrics/', '/api/v1/tools', '/mcp', '/oauth/token'])
      expect([path, (await ask(port, { path })).status]).toEqual([path, 404]);
    expect((await ask(port, { method: 'POST' })).status).toBe(405);
  });

  it.each([
    ['a foreign name', { host: 'evil.example' }],
    ['a foreign name with the port', { host: 'evil.example:9100' }],
    ['a name that begins with loopback', { host: '127.0.0.1.evil.example' }],
    ['an address that is not its own', { host: '192.0.2.1' }],
    ['a page of another site', { origin: 'https://evil.example' }],
  ])('refuses a request of %s', async (_name, headers) => {
    expect((await ask(await listening(), headers)).status).toBe(403);
  });

  it.each([
    [
      '127.0.0.1',
      (port: number) =>
        `Ask for /metrics at http://127.0.0.1:${port}: that is metrics.host and metrics.port.`,
    ],
    ['0.0.0.0', (port: number) => `Ask for /metrics by an IP address of this machine, with port ${port}.`],
  ])('tells a request with a foreign name the address of a listener on %s', async (address, advice) => {
    const port = await listening(address);
    const { text } = await ask(port, { host: 'evil.example' });
    expect(JSON.parse(text)).toMatchObject({ message: advice(port) });
  });

  it('answers to every address on all interfaces, and to no name', async () => {
    const port = await listening('0.0.0.0');
    for (const host of ['127.0.0.1', '10.1.2.3:9100', '[fd00::1]:9100', `0.0.0.0:${port}`])
      expect([host, (await ask(port, { host })).status]).toEqual([host, 200]);
    for (const host of ['evil.example', '10.1.2.3.evil.example', '10.1.2.3:9100.evil.example', 'a:b'])
      expect([host, (await ask(port, { host })).status]).toEqual([host, 403]);
  });

  it('fails by the name of its setting if the port is taken', async () => {
    const port = await listening();
    await expect(open({ GATEHOUSE_METRICS_PORT: String(port) })).rejects.toThrow(
      `Port ${port} of metrics.port is taken. Stop the program that has it, or set metrics.port (GATEHOUSE_METRICS_PORT) to a free one.`,
    );
  });
});
