import { describe, expect, it } from 'vitest';
import type { AccountView } from '../../src/accounts/account-views.ts';
import type { Tool } from '../../src/catalog/model/types.ts';
import { scopesCard } from '../../src/dashboard/pages/tools/tool-accounts.ts';
import { testCatalog } from '../support/test-catalog.ts';

const account: AccountView = {
  id: 'ca_1',
  connection_id: 'conn_1',
  connector: 'mailbox',
  provider: 'mailbox',
  identifier: 'ada',
  authorization_type: 'OAUTH',
  status: 'ACTIVE',
  token_expires_at: null,
  last_used_at: null,
  updated_at: '2026-11-20T12:00:00.000Z',
  organization_id: '',
  user_id: 'usr_1',
  api_config: {},
  authorization_details: { oauth_token: { scopes: ['mail.read', 'events.write'] } },
};

async function shown(scopes: Tool['scopes'], chosen: AccountView | undefined): Promise<string> {
  const tool = testCatalog.tools.get('mailbox_search');
  if (tool === undefined) throw new Error('the catalog of the tests has this tool');
  return String(await scopesCard({ ...tool, scopes }, testCatalog.connectors.get('mailbox'), chosen));
}

describe('dashboard: scopes that a tool needs', () => {
  it('show that one of each group is enough', async () => {
    const html = await shown([['mail.read', 'mail.all'], ['events.write']], account);
    expect(html).toContain('Enough for this tool');
    expect(html).toContain('<code>mail.read or mail.all</code>');
  });

  it('name what is missing', async () => {
    const html = await shown([['mail.read'], ['mail.send']], account);
    expect(html).toContain('Not enough for this tool');
    expect(html.match(/class="soft"\s*>(allowed|missing)</g)).toHaveLength(2);
  });

  it('leave open what is not known of an account, and hide the card where none are needed', async () => {
    const unknown = await shown([['mail.read']], { ...account, authorization_details: {} });
    expect(unknown).toContain('not known for this account');
    expect(unknown).not.toMatch(/nough for this tool/);
    expect(await shown([], account)).toBe('');
  });
});
