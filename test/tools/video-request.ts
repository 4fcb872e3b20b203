/** Requests of the YouTube tools as tests write them, and the check that they go to the host of their API. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { shippedCatalog } from './tool-request.ts';

const description = readProviderDescription('video');
const file = new URL('../provider-descriptions/video.json', import.meta.url);
const { servers, paths } = JSON.parse(readFileSync(file, 'utf8')) as {
  servers: { url: string }[];
  paths: Record<string, { servers?: { url: string }[] }>;
};

type Method = ProviderRequest['method'];

const on =
  (host: number, root: string) =>
  (
    method: Method,
    path: string,
    query: Readonly<Record<string, string>> = {},
    body?: object,
  ): ProviderRequest => ({
    method,
    host,
    path: root + path,
    query: Object.entries(query),
    headers: {},
    ...(body === undefined ? {} : { body }),
  });

/** A request of the Data API. */
export const data = on(0, '/youtube/v3');

/** A request of the Analytics API. */
export const analytics = on(1, '/v2');

/** A request of the Reporting API. */
export const reporting = on(2, '/v1');

/** Fails unless the description of its API has the request, at its host. */
export function expectYouTubeRequest(request: ProviderRequest): void {
  expectRequestMatches(description, request);
  const [, root] = request.path.split('/');
  const path = Object.keys(paths).find((known) => known.split('/')[1] === root)!;
  const [server] = paths[path]!.servers ?? servers;
  expect(shippedCatalog.connectors.get('video')!.hosts[request.host]).toMatchObject({ url: server!.url });
}
