/** CRM toolset comments: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, del, get, post, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('crm');

const ID = 'aa1dc1d9-93ac-4c6c-987e-16b6eea9aab2';
const MEMBER = '50cf242c-7fa3-4cad-87d0-75b1af71c57b';
const RECORD = '891dcbfc-9141-415d-9b2a-2238a6cc012d';
const ENTRY = '2e6e29ea-c4e0-4f44-842d-78a891f8c156';

const written = { author_actor_id: MEMBER, content: 'Hello' };
const sent = { format: 'plaintext', content: 'Hello', author: { type: 'workspace-member', id: MEMBER } };

describe('CRM tools for comments: requests', () => {
  it.each([
    [
      'crm_create_comment',
      { ...written, record_object: 'people', record_id: RECORD },
      post('/v2/comments', { data: { ...sent, record: { object: 'people', record_id: RECORD } } }),
    ],
    [
      'crm_create_comment',
      { ...written, list_id: 'sales', entry_id: ENTRY },
      post('/v2/comments', { data: { ...sent, entry: { list: 'sales', entry_id: ENTRY } } }),
    ],
    [
      'crm_create_comment',
      { ...written, thread_id: ID },
      post('/v2/comments', { data: { ...sent, thread_id: ID } }),
    ],
    // a thread goes before every other place, given whole or in part
    [
      'crm_create_comment',
      { ...written, thread_id: ID, record_object: 'people', record_id: RECORD },
      post('/v2/comments', { data: { ...sent, thread_id: ID } }),
    ],
    [
      'crm_create_comment',
      { ...written, thread_id: ID, entry_id: ENTRY },
      post('/v2/comments', { data: { ...sent, thread_id: ID } }),
    ],
    ['crm_get_comment', { comment_id: ID }, get(`/v2/comments/${ID}`)],
    ['crm_delete_comment', { comment_id: ID }, del(`/v2/comments/${ID}`)],
    [
      'crm_list_threads',
      { record_object: 'people', record_id: RECORD },
      get('/v2/threads', [
        ['object', 'people'],
        ['record_id', RECORD],
        ['limit', '50'],
        ['offset', '0'],
      ]),
    ],
    [
      'crm_list_threads',
      { list_id: 'sales', entry_id: ENTRY },
      get('/v2/threads', [
        ['list', 'sales'],
        ['entry_id', ENTRY],
        ['limit', '50'],
        ['offset', '0'],
      ]),
    ],
    [
      'crm_list_threads',
      {},
      get('/v2/threads', [
        ['limit', '50'],
        ['offset', '0'],
      ]),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for comments: invalid input', () => {
  it.each([
    [
      'crm_create_comment',
      ['author_actor_id required', 'content required', 'record_object at_least_one_of'],
      {},
    ],
    ['crm_create_comment', ['record_object at_least_one_of'], { ...written, record_id: RECORD }],
    ['crm_create_comment', ['entry_id at_least_one_of'], { ...written, list_id: 'sales' }],
    [
      'crm_create_comment',
      ['list_id at_most_one_of'],
      { ...written, record_object: 'people', record_id: RECORD, list_id: 'sales', entry_id: ENTRY },
    ],
    [
      'crm_create_comment',
      ['entry_id at_most_one_of'],
      { ...written, record_object: 'people', record_id: RECORD, entry_id: ENTRY },
    ],
    ['crm_create_comment', ['author_actor_id format'], { ...written, author_actor_id: 'ada', thread_id: ID }],
    ['crm_get_comment', ['comment_id required'], {}],
    ['crm_delete_comment', ['comment_id format'], { comment_id: 'x' }],
    ['crm_list_threads', ['record_object together'], { record_id: RECORD }],
    ['crm_list_threads', ['entry_id together'], { list_id: 'sales' }],
    [
      'crm_list_threads',
      ['list_id at_most_one_of'],
      { record_object: 'people', record_id: RECORD, list_id: 'sales', entry_id: ENTRY },
    ],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('tool crm_list_threads', () => {
  const threads = (count: number) => Array.from({ length: count }, (_, i) => ({ comments: [i] }));
  const place = { record_object: 'people', record_id: RECORD };

  it('reads page after page until a page is not full', async () => {
    const pages = [threads(50), threads(50), threads(7)];
    const { requests, data } = await callTool('crm_list_threads', place, () => ({ data: pages.shift() }));
    expect(requests.map(({ query }) => query.slice(2))).toEqual([
      [
        ['limit', '50'],
        ['offset', '0'],
      ],
      [
        ['limit', '50'],
        ['offset', '50'],
      ],
      [
        ['limit', '50'],
        ['offset', '100'],
      ],
    ]);
    expect(data).toEqual({ data: [...threads(50), ...threads(50), ...threads(7)] });
    for (const request of requests) expectRequestMatches(description, request);
  });

  it('stops after ten pages and says so', async () => {
    const { requests, data } = await callTool('crm_list_threads', place, { data: threads(50) });
    expect(requests).toHaveLength(10);
    expect(data).toMatchObject({ notice: 'Only the first 500 threads were read.' });
    expect((data as { data: unknown[] }).data).toHaveLength(500);
  });

  it.each([1, 2])('passes on a failure of page %i', async (failing) => {
    const failure = new Error('broken');
    let page = 0;
    const call = callTool('crm_list_threads', place, () => {
      page += 1;
      if (page === failing) throw failure;
      return { data: threads(50) };
    });
    await expect(call).rejects.toBe(failure);
  });
});
