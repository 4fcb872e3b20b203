import { describe, expect, it } from 'vitest';
import { routingPath, routingPattern } from '../../../src/http/api/verb-path.ts';

const verbs = new Set(['disconnect', 'delete']);

describe('custom verbs in paths', () => {
  it.each([
    ['/api/v1/x/{id}:disconnect', '/api/v1/x/:id/~disconnect'],
    ['/api/v1/x:delete', '/api/v1/x/~delete'],
    ['/api/v1/x/{id}/events', '/api/v1/x/:id/events'],
    ['/openapi.json', '/openapi.json'],
  ])('makes the verb a segment in the routing table: %s', (documented, pattern) => {
    expect(routingPattern(documented)).toBe(pattern);
  });

  it.each([
    ['/api/v1/x/ca_1:disconnect', '/api/v1/x/ca_1/~disconnect'],
    ['/api/v1/x:delete', '/api/v1/x/~delete'],
    ['/api/v1/x/crm:eu:disconnect', '/api/v1/x/crm:eu/~disconnect'],
    ['/api/v1/x/crm:eu', '/api/v1/x/crm:eu'],
    ['/api/v1/x/a:disconnect/events', '/api/v1/x/a:disconnect/events'],
    ['/api/v1/x/a:toString', '/api/v1/x/a:toString'],
    ['/api/v1/x/ca_1', '/api/v1/x/ca_1'],
  ])('splits the verb off the path of a request: %s', (path, routed) => {
    expect(routingPath(path, verbs)).toBe(routed);
  });

  it('answers no address that spells the verb as a segment', () => {
    expect(routingPath('/api/v1/x/ca_1/~disconnect', verbs)).toBe('/~');
  });
});
