import { describe, expect, it } from 'vitest';
import { withOwner } from '../../src/mcp/transports/owner-headers.ts';
import { machine } from '../support/services.ts';

const bound = { ...machine, boundOrganizationId: 'org_a' };

describe('owner headers of an MCP request', () => {
  it('gives the user or organization that the header names', () => {
    expect(withOwner(machine, { 'gatehouse-user-id': 'ada' }).owner).toEqual({
      userId: 'ada',
      organizationId: '',
    });
    expect(withOwner(machine, { 'gatehouse-organization-id': 'org_a' }).owner).toEqual({
      userId: '',
      organizationId: 'org_a',
    });
    expect(withOwner(machine, {}).owner).toBeUndefined();
  });

  it('gives the organization of a token that is bound to one', () => {
    const own = { userId: '', organizationId: 'org_a' };
    expect(withOwner(bound, {}).owner).toEqual(own);
    expect(withOwner(bound, { 'gatehouse-organization-id': 'org_a' }).owner).toEqual(own);
  });

  it.each([{ 'gatehouse-user-id': 'victim' }, { 'gatehouse-organization-id': 'org_b' }])(
    'refuses another owner for a token bound to an organization: %j',
    (headers) => {
      expect(() => withOwner(bound, headers)).toThrow('of one organization only');
    },
  );

  it.each([
    [{ 'gatehouse-user-id': 'a', 'gatehouse-organization-id': 'b' }, 'gatehouse-organization-id'],
    [{ 'gatehouse-user-id': '' }, 'gatehouse-user-id'],
    [{ 'gatehouse-user-id': 'x'.repeat(65) }, 'gatehouse-user-id'],
    [{ 'gatehouse-organization-id': 'a\u0001b' }, 'gatehouse-organization-id'],
  ])('refuses the headers %j for %s', (headers, field) => {
    expect(() => withOwner(machine, headers)).toThrow(field);
  });
});
