/** What a connector says about requests without a tool: which host a path belongs to, and which headers pass. */
import { describe, expect, it } from 'vitest';
import { hostOfPath } from '../../../src/catalog/model/path-prefixes.ts';
import { loadCatalog } from '../../../src/catalog/load/load.ts';
import { problemsOf } from '../files.ts';
import { join } from 'node:path';

const SHOP = `name: books
title: Book shop
description: Finds books.
hosts:
  - url: https://api.books.example
    path_prefixes: [/v1, /v1/files]
  - url: https://media.books.example
proxy_headers: [Books-Version]
auth:
  - type: API_KEY
    fields:
      - name: api_key
        label: Key
    attach:
      in: header
      name: x-books-key
      field: api_key
`;

const problems = (text: string): string[] =>
  problemsOf({ 'books/connector.yaml': text }).map((line) => line.replace('books/connector.yaml:', ''));

describe('proxy path prefixes of a connector', () => {
  it('may stand next to headers of the provider', () => {
    expect(problems(SHOP)).toEqual([]);
  });

  it.each([
    [
      '  - url: https://media.books.example',
      '  - url: https://media.books.example\n  - url: https://third.books.example',
      '8 hosts.2: needs path_prefixes: only one host can take the paths that no other declares',
    ],
    ['[/v1, /v1/files]', '[/v1, /v1]', '6 hosts.0.path_prefixes.1: /v1 is declared twice'],
    [
      '[/v1, /v1/files]',
      '[v1]',
      expect.stringContaining('6 hosts.0.path_prefixes.0: must be the beginning of a path'),
    ],
    ['[/v1, /v1/files]', '[/v1/]', expect.stringContaining('must be the beginning of a path')],
    ['[/v1, /v1/files]', '[/]', expect.stringContaining('must be the beginning of a path')],
    [
      '\n  - url: https://media.books.example',
      '',
      '6 hosts.0.path_prefixes.0: has no effect: there is only one host. Remove it',
    ],
  ])('refuses invalid proxy prefixes: %j as %j', (from, to, problem) => {
    expect(problems(SHOP.replace(from, to))).toContainEqual(problem);
  });
});

describe('headers that the proxy passes on', () => {
  it.each([
    'Authorization',
    'cookie',
    'Host',
    'X-Forwarded-Host',
    'forwarded',
    'Proxy-Authorization',
    'transfer-encoding',
    'X-HTTP-Method-Override',
    'X-Original-URL',
    'Sec-Fetch-Site',
  ])('refuse to pass the header %s to the provider', (name) => {
    expect(problems(SHOP.replace('Books-Version', name))).toEqual([
      `8 proxy_headers.0: ${name} never passes: it steers the connection or says who asks`,
    ]);
  });

  it('never include the header of the credential', () => {
    expect(problems(SHOP.replace('Books-Version', 'X-Books-Key'))).toEqual([
      '8 proxy_headers.0: X-Books-Key carries the credential',
    ]);
  });
});

describe('placeholders of a connector', () => {
  it.each(['rate_limit', 'timeout', 'endpoint'])(
    'refuse the reserved name %s, which every account may set',
    (name) => {
      const text = SHOP.replace(
        'https://media.books.example',
        `https://{${name}}.books.example\n    placeholders:\n      ${name}: '[a-z]+'`,
      );
      expect(problems(text)).toEqual([
        `9 hosts.1.placeholders.${name}: ${name} is a setting of every account: take another name`,
      ]);
    },
  );
});

describe('proxy host of a path', () => {
  const hosts = [
    { url: 'https://a', placeholders: {}, path_prefixes: ['/v1'] },
    { url: 'https://b', placeholders: {}, path_prefixes: ['/v1/files', '/v2'] },
    { url: 'https://c', placeholders: {} },
  ];

  it.each([
    ['/v1', 0],
    ['/v1/x', 0],
    ['/v1/files', 1],
    ['/v1/files/1', 1],
    ['/v1/filesystem', 0],
    ['/v2/x', 1],
    ['/v10', 2],
    ['/', 2],
    ['/V1/x', 2],
    ['/%76%31/x', 2],
  ])('chooses for %s the host with the longest prefix by whole segments', (path, host) => {
    expect(hostOfPath({ title: 'T', hosts }, path)).toBe(host);
  });

  it('defaults to the first host where none declares prefixes', () => {
    const plain = hosts.map(({ url, placeholders }) => ({ url, placeholders }));
    expect(hostOfPath({ title: 'T', hosts: plain }, '/v2/x')).toBe(0);
  });

  it('refuses a path where every host declares other prefixes, and names them', () => {
    expect(() => hostOfPath({ title: 'T', hosts: hosts.slice(0, 2) }, '/v3')).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('/v1, /v1/files, /v2'),
        details: { field_violations: [expect.objectContaining({ field: 'path', constraint: 'prefix' })] },
      }),
    );
  });

  it('selects the matching one of the three YouTube hosts', () => {
    const video = loadCatalog([join(import.meta.dirname, '../../../catalogs')]).connectors.get('video');
    if (video === undefined) throw new Error('no video');
    const host = (path: string) => video.hosts[hostOfPath(video, path)]?.url;
    expect(host('/youtube/v3/videos')).toBe('https://www.googleapis.com');
    expect(host('/upload/youtube/v3/videos')).toBe('https://www.googleapis.com');
    expect(host('/v2/reports')).toBe('https://youtubeanalytics.googleapis.com');
    expect(host('/v1/media/CHANNEL/x')).toBe('https://youtubereporting.googleapis.com');
    expect(() => host('/drive/v3/files')).toThrow('begins with one of');
  });
});

describe('headers of a connector', () => {
  it('refuses headers that the client, the credential or a caller sets, or that nobody fills', () => {
    const headers = `headers:
  Books-Version: '{version}'
  Api-Version: v2
  api-version: v3
  Host: books.example
  X-Books-Key: mine
`;
    expect(problems(SHOP.replace('proxy_headers', `${headers}proxy_headers`))).toEqual([
      '9 headers.Books-Version: has the placeholder {version}, which no host and no metadata describes',
      '9 headers.Books-Version: says whose data is meant: remove Books-Version from proxy_headers',
      '11 headers.api-version: api-version is declared twice',
      '12 headers.Host: is set by Gatehouse: remove it',
      '13 headers.X-Books-Key: carries the credential',
    ]);
  });
});
