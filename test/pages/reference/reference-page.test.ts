import { describe, expect, it } from 'vitest';
import { referencePage } from '../../../src/pages/reference/reference-page.ts';
import { openApi, operations } from '../../http/openapi-document.ts';
import { policyOf, tagsOf } from '../support.ts';

const document = await openApi();

async function page(language = 'en', shown: object = document): Promise<string> {
  return (await referencePage(shown, language, { name: 'production' })).text();
}

const parts = new Map(
  (await page()).split('<details>').map((part) => [/<div id="([^"]+)">/.exec(part)?.[1], textOf(part)]),
);

/** What stands between tags, white space in one piece. */
function textOf(part: string): string {
  return part
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
}

/** The part of one operation. */
function partOf(operationId: string): string {
  return parts.get(operationId) ?? '';
}

describe('reference of the REST API', () => {
  it('has a part for every operation, with its scope, its members and its statuses', async () => {
    for (const { method, operation } of operations(document)) {
      const part = partOf(operation.operationId);
      expect(part).toContain(`${method} /`);
      for (const status of Object.keys(operation.responses)) expect(part).toContain(status);
      for (const parameter of operation.parameters ?? []) expect(part).toContain(parameter.name);
    }
    const part = partOf('executeTool');
    expect(part).toContain('Scope: tools:execute');
    expect(part).toContain('tool_name text, required, 1 to 128 characters');
    expect(part).toContain('dry_run true or false');
  });

  it('leads to every object that an operation names, and has no dead link', async () => {
    const shown = await page();
    const ids = new Set([...shown.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...shown.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(60);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
    for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(`object-${name}`);
  });

  it('shows requests with all that is required, for the shell', async () => {
    expect(partOf('executeTool')).toContain(
      `curl 'http://127.0.0.1:3000/api/v1/execute_tool' \\ -H "Authorization: Bearer $TOKEN" \\ -H 'content-type: application/json' \\ -d '{"tool_name":"TOOL_NAME"}'`,
    );
    expect(partOf('createToken')).toContain(
      `curl 'http://127.0.0.1:3000/oauth/token' \\ -u "$CLIENT_ID:$CLIENT_SECRET" \\ -d 'grant_type=client_credentials'`,
    );
    expect(partOf('deleteOrganizationMember')).toContain(
      `curl -X DELETE 'http://127.0.0.1:3000/api/v1/organizations/ID/members/USER_ID'`,
    );
    expect(partOf('getHealth')).not.toContain('Authorization');
  });

  it('says of routes for the machine itself that they need no token there', async () => {
    expect(partOf('getMetrics')).toContain('Scope: none on the machine itself | metrics:read | admin');
  });

  it('runs nothing, loads nothing and has no form', async () => {
    const response = await referencePage(document, 'en', { name: 'production' });
    expect(policyOf(response)).toMatchObject({
      'default-src': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
    expect(policyOf(response)).not.toHaveProperty('script-src');
    const shown = await response.text();
    const tags = tagsOf(shown);
    for (const tag of ['script', 'form', 'iframe', 'img', 'object']) expect(tags).not.toContain(tag);
    expect(shown).not.toMatch(/\son[a-z]+=/);
    expect([...shown.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, url]) => url).filter(isElsewhere)).toEqual(
      [],
    );
  });

  it('frames the English of the document in German', async () => {
    const shown = await page('de');
    expect(shown).toContain('<html lang="de">');
    expect(shown).toContain('Ablehnungen');
    expect(shown).toContain('<small lang="en">Execute a tool for a connected account.</small>');
  });

  it('escapes the texts of the document', async () => {
    const hostile = structuredClone(document);
    hostile.paths['/api/v1/execute_tool']!['post']!.summary = '<script>alert(1)</script>';
    const shown = await page('en', hostile);
    expect(shown).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(tagsOf(shown)).not.toContain('script');
  });
});

/** Whether an address leaves this page's host. The icon is part of the page. */
function isElsewhere(url = ''): boolean {
  return !url.startsWith('#') && !/^\/[^/]/.test(url) && !url.startsWith('data:image/svg+xml,');
}
