/** Plain messages are answered without the SDK; a client cannot tell (docs/decisions/0022-single-answers.md). */
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initializeResult, plainRequest, VERSIONS } from '../../src/mcp/transports/plain-message.ts';
import { FakeExecutor, listen, makeParts } from './fixtures.ts';
import { listenInJsonMode } from './sdk-endpoints.ts';

const INFO = { name: 'client', version: '1' };
const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: INFO };

let endpoints: { url: string; close: () => Promise<void> }[] = [];
beforeAll(async () => {
  const parts = makeParts(new FakeExecutor());
  endpoints = [await listen(parts), await listenInJsonMode(parts)];
});
afterAll(async () => {
  await Promise.all(endpoints.map(({ close }) => close()));
});

/** The answers of our endpoint and of the SDK's own. */
async function answers(method: string, params?: object): Promise<object[]> {
  return Promise.all(
    endpoints.map(async ({ url }) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 'a', method, ...(params && { params }) }),
      });
      return { status: response.status, body: (await response.json()) as object };
    }),
  );
}

const initialize = (params: object): object => ({ jsonrpc: '2.0', id: 1, method: 'initialize', params });

describe('MCP: plain messages', () => {
  it('know the protocol versions that the SDK knows of clients with a handshake', () => {
    expect(VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
    expect(VERSIONS[0]).toBe(LATEST_PROTOCOL_VERSION);
  });

  it.each([
    ['the least', HELLO],
    ['the oldest version', { ...HELLO, protocolVersion: '2024-10-07' }],
    ['a version that nobody knows', { ...HELLO, protocolVersion: '1999-01-01' }],
    ['a version without a handshake', { ...HELLO, protocolVersion: '2026-07-28' }],
    [
      'a client with a title',
      { ...HELLO, clientInfo: { ...INFO, title: 'Client', websiteUrl: 'https://a.example' } },
    ],
    [
      'roots, sampling and questions',
      { ...HELLO, capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } },
    ],
    [
      'forms, pages and tools',
      {
        ...HELLO,
        capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} } },
      },
    ],
    [
      'members that nobody knows',
      { ...HELLO, capabilities: { elicitation: { a: {} }, sampling: { a: {} } } },
    ],
  ])('begin a session as the SDK does, without it: %s', async (_, params) => {
    expect(plainRequest(initialize(params))).toMatchObject({ method: 'initialize' });
    const [own, sdk] = await answers('initialize', params);
    expect(own).toEqual(sdk);
    expect(own).toMatchObject({
      status: 200,
      body: { id: 'a', result: { serverInfo: { name: 'gatehouse' } } },
    });
  });

  it.each([
    ['no capabilities', { protocolVersion: '2025-06-18', clientInfo: INFO }],
    ['no client', { protocolVersion: '2025-06-18', capabilities: {} }],
    ['a version that is a number', { ...HELLO, protocolVersion: 1 }],
    ['a client whose version is missing', { ...HELLO, clientInfo: { name: 'client' } }],
    [
      'a client with icons',
      { ...HELLO, clientInfo: { ...INFO, icons: [{ src: 'https://a.example/i.png' }] } },
    ],
    ['capabilities of extensions', { ...HELLO, capabilities: { extensions: { 'a.example/b': {} } } }],
    ['capabilities in a list', { ...HELLO, capabilities: [] }],
    ['roots that are no object', { ...HELLO, capabilities: { roots: true } }],
    ['roots with another member', { ...HELLO, capabilities: { roots: { a: {} } } }],
    ['changes of roots that are no boolean', { ...HELLO, capabilities: { roots: { listChanged: 1 } } }],
    ['sampling that is no object', { ...HELLO, capabilities: { sampling: [] } }],
    ['forms with defaults', { ...HELLO, capabilities: { elicitation: { form: { applyDefaults: true } } } }],
    ['metadata', { ...HELLO, _meta: { a: 1 } }],
  ])('leave every other beginning to the SDK: %s', async (_, params) => {
    expect(plainRequest(initialize(params))).toBeUndefined();
    const [own, sdk] = await answers('initialize', params);
    expect(own).toEqual(sdk);
  });

  it.each([
    ['without parameters', undefined, true],
    ['with none', {}, true],
    ['with a cursor', { cursor: 'a' }, false],
    ['with metadata', { _meta: {} }, false],
  ])('list the tools as the SDK does: %s', async (_, params, isPlain) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', ...(params && { params }) };
    expect(plainRequest(message) !== undefined).toBe(isPlain);
    const [own, sdk] = await answers('tools/list', params);
    expect(own).toEqual(sdk);
  });

  it.each([
    ['a list of messages', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]],
    ['an id that is a fraction', { jsonrpc: '2.0', id: 1.5, method: 'tools/list' }],
    ['no id', { jsonrpc: '2.0', method: 'tools/list' }],
    ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'tools/list' }],
    ['a member that nobody knows', { jsonrpc: '2.0', id: 1, method: 'tools/list', a: 1 }],
    ['parameters in a list', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }],
    ['parameters that are null', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: null }],
    ['another method', { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ])('have one form: %s is left to the SDK', (_, message) => {
    expect(plainRequest(message)).toBeUndefined();
  });

  it('answer with the newest version if the one asked for is unknown', () => {
    const introduction = {
      serverInfo: { name: 'gatehouse', version: '1' },
      capabilities: {},
      instructions: 'a',
    };
    expect(initializeResult('1999-01-01', introduction)).toEqual({
      protocolVersion: '2025-11-25',
      ...introduction,
    });
  });
});
