/** What the tests of the warehouse tools share: requests as the SQL API takes them. */
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { get, post } from './tool-request.ts';

const headers = { 'X-Snowflake-Authorization-Token-Type': 'OAUTH' };

/** POST of a statement. */
export const submit = (body: object, query: [string, string][] = []): ProviderRequest => ({
  ...post('/api/v2/statements', body),
  query,
  headers,
});

/** GET of a statement or a part of its result. */
export const fetchResult = (path: string, query: [string, string][] = []): ProviderRequest => ({
  ...get(`/api/v2/statements/${path}`, query),
  headers,
});

/** POST without a body. */
export const cancel = (handle: string, query: [string, string][] = []): ProviderRequest => ({
  ...fetchResult(`${handle}/cancel`, query),
  method: 'POST',
});
