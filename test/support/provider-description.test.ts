/** The yardstick itself: it has to find the mistakes it is for. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { readProviderDescription, requestFaults } from './provider-description.ts';

const description = readProviderDescription('websearch');

const request = (change: Partial<ProviderRequest>): ProviderRequest => ({
  method: 'POST',
  host: 0,
  path: '/search',
  query: [],
  headers: {},
  body: { query: 'q' },
  ...change,
});

const list = (query: [string, string][]): ProviderRequest => ({
  method: 'GET',
  host: 0,
  path: '/websets/v0/websets',
  query,
  headers: {},
});

describe('faults of a request against a provider description', () => {
  it('finds nothing in a valid request', () => {
    expect(
      requestFaults(description, request({ body: { query: 'q', contents: { text: { maxCharacters: 3 } } } })),
    ).toEqual([]);
    expect(requestFaults(description, list([['limit', '10']]))).toEqual([]);
  });

  it.each([
    ['an unknown path', request({ path: '/research' }), 'no operation POST /research'],
    ['an empty path segment', { ...list([]), path: '/websets/v0/websets/' }, 'no operation GET'],
    ['a content option at the top of a search', request({ body: { query: 'q', text: true } }), 'unevaluated'],
    [
      'contents nested in /contents',
      request({ path: '/contents', body: { urls: ['u'], contents: {} } }),
      'unevaluated',
    ],
    [
      'an unknown member deep inside',
      request({ body: { query: 'q', contents: { text: { max: 3 } } } }),
      'body/contents',
    ],
    ['a word outside a list', request({ body: { query: 'q', type: 'keyword' } }), 'body/type'],
    ['a number above the limit', request({ body: { query: 'q', numResults: 101 } }), 'body/numResults'],
    [
      'a time without zone',
      request({ body: { query: 'q', startPublishedDate: '2026-01-01' } }),
      'body/startPublishedDate',
    ],
    ['a missing body', { ...list([]), method: 'POST' as const }, 'body'],
    ['a body where none belongs', { ...list([]), body: {} }, 'body'],
    ['an unknown query parameter', list([['count', '10']]), 'query.count is unknown'],
    ['a query number out of range', list([['limit', '0']]), 'query.limit'],
  ])('finds a request with %s', (_, bad, expected) => {
    expect(requestFaults(description, bad).join('\n')).toContain(expected);
  });
});
