/** The connector crm as a whole: how it is authorized, and what is the same for all its tools. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ToolPublisher } from '../../src/mcp/published-tools.ts';
import { AnswerReader } from '../../src/outbound/answer-reader.ts';
import { shippedCatalog } from './tool-request.ts';

const crmTools = [...shippedCatalog.tools.values()].filter(({ connector }) => connector === 'crm');

describe('connector crm', () => {
  const { auth, ...crm } = shippedCatalog.connectors.get('crm')!;

  it('describes Attio, needs an app of the operator, and names its conflicts and missing scopes', () => {
    const { result: _, ...described } = crm;
    expect(described).toEqual({
      name: 'crm',
      title: 'Attio CRM',
      description:
        'Reads and writes people, companies, deals, lists, tasks, notes and comments of an Attio workspace.',
      hosts: [{ url: 'https://api.attio.com', placeholders: {} }],
      errors: {
        message: ['message'],
        code: ['code'],
        reconnect: [401],
        conflicts: ['uniqueness_conflict', 'slug_conflict'],
        missing_scope: { statuses: [403], except: ['billing_error'] },
        refused_answer: { active: false },
        advice: expect.any(Array) as unknown,
      },
      limits: {},
      prompts: expect.any(Array) as unknown,
      search_words: expect.any(Object) as unknown,
      needsNoOperator: false,
    });
  });

  it('uses OAuth without PKCE, scope parameter and refresh tokens', () => {
    expect(auth.map((entry) => ({ ...entry, scopes: undefined }))).toEqual([
      {
        type: 'OAUTH',
        fields: [],
        oauth: {
          authorization_url: 'https://app.attio.com/authorize',
          token_url: 'https://app.attio.com/oauth/token',
          pkce: false,
          authorize_parameters: {},
          scope_parameter: false,
          scope_separator: ' ',
          client_authentication: 'post',
          refresh_tokens: false,
          revocation: 'none',
        },
        who: {
          host: 0,
          path: '/v2/self',
          headers: {},
          query: {},
          name: ['workspace_name'],
          me: ['authorized_by_workspace_member_id'],
        },
      },
    ]);
  });

  it.each([
    'record_permission:read',
    'record_permission:read-write',
    'object_configuration:read',
    'list_configuration:read',
    'list_entry:read',
    'list_entry:read-write',
    'note:read',
    'note:read-write',
    'task:read-write',
    'comment:read-write',
    'webhook:read-write',
    'user_management:read',
    // Attio wants these too, for single tools.
    'object_configuration:read-write',
    'list_configuration:read-write',
    'meeting:read',
    'task:read',
    'comment:read',
    'webhook:read',
    'call_recording:read',
    'call_recording:read-write',
    'file:read',
    'file:read-write',
  ])('has the scope %s, and explains what it allows', (scope) => {
    expect(auth[0]!.scopes![scope]).toMatch(/^Read[ ,].*\.$/);
    expect(Object.keys(auth[0]!.scopes!)).toHaveLength(22);
  });
});

describe('CRM tools: defaults', () => {
  it('equal this table, parameter by parameter', () => {
    const found = [...shippedCatalog.tools.values()]
      .filter(({ connector }) => connector === 'crm')
      .flatMap(({ name, parameters }) =>
        Object.entries(parameters)
          .filter(([, parameter]) => parameter.default !== undefined)
          .map(([parameter, { default: value }]) => `${name} ${parameter} ${String(value)}`),
      );
    expect(found).toEqual([
      'crm_aggregate_records count true',
      'crm_create_list parent_object people',
      'crm_create_note format plaintext',
      'crm_create_task is_completed false',
      'crm_list_call_recordings limit 20',
      'crm_list_companies limit 500',
      'crm_list_companies offset 0',
      'crm_list_deals limit 500',
      'crm_list_deals offset 0',
      'crm_list_files limit 20',
      'crm_list_notes limit 10',
      'crm_list_notes offset 0',
      'crm_list_people limit 500',
      'crm_list_people offset 0',
      'crm_list_records limit 500',
      'crm_list_records offset 0',
      'crm_list_tasks limit 20',
      'crm_list_tasks offset 0',
      'crm_search_everything objects people,companies,deals',
      'crm_search_everything limit 10',
      'crm_search_records limit 20',
      'crm_search_records offset 0',
      'crm_update_company multiselect add',
      'crm_update_deal multiselect add',
      'crm_update_list_entry multiselect add',
      'crm_update_note format plaintext',
      'crm_update_person multiselect add',
      'crm_update_record multiselect add',
      'crm_update_user_record multiselect add',
      'crm_update_workspace_record multiselect add',
      'crm_upsert_company matching_attribute domains',
      'crm_upsert_person matching_attribute email_addresses',
      'crm_upsert_user_record matching_attribute user_id',
      'crm_upsert_workspace_record matching_attribute workspace_id',
    ]);
  });
});

describe('CRM tools: effects', () => {
  it('follow from the names of the tools', () => {
    const wrong = crmTools.filter(({ name, effect }) => {
      const verb = name.split('_')[1]!;
      const expected = {
        get: 'read',
        list: 'read',
        search: 'read',
        aggregate: 'read',
        create: 'create',
        add: 'create',
        update: 'update',
        upsert: 'update',
      }[verb];
      return effect !== (expected ?? 'delete');
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('mention in the description what cannot be undone', () => {
    const silent = crmTools.filter(
      ({ effect, description }) => effect === 'delete' && !/cannot be undone|permanently/.test(description),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

describe('error answers of Attio', () => {
  it.each([
    [400, 'uniqueness_conflict', 409],
    [409, 'slug_conflict', 409],
    [400, 'value_not_found', 502],
    [401, 'unauthorized', 502],
    [403, 'billing_error', 403],
    [404, 'not_found', 404],
    [429, 'rate_limit_exceeded', 429],
  ])('%i %s becomes %i, with its code and message', (status, code, expected) => {
    const { errors, title } = shippedCatalog.connectors.get('crm')!;
    const reader = new AnswerReader({ title, effect: 'create' }, errors, 'exe_1', []);
    const body = Buffer.from(JSON.stringify({ status_code: status, type: 'x', code, message: 'Why.' }));
    const error = caught(() => reader.read({ status, headers: {}, body }, undefined));
    expect(error).toMatchObject({ status: expected, toolError: { code, message: 'Why.' } });
  });
});

describe('default tool list', () => {
  const { base } = new ToolPublisher(shippedCatalog, { readOnly: false, discovery: 'off' });
  const connectors = (inUse: string[]) => [
    ...new Set(base.listed(new Set(inUse)).map(({ connector }) => connector)),
  ];

  it('contains no CRM tools for web search alone, and only these for the CRM alone', () => {
    expect(connectors(['websearch'])).toEqual(['websearch']);
    expect(connectors(['crm'])).toEqual(['crm']);
    expect(connectors([])).toEqual(['crm', 'mail', 'video', 'warehouse', 'websearch']);
  });
});

describe('request tables of the CRM tools', () => {
  it('have a valid and an invalid row for every tool', () => {
    const folder = new URL('./', import.meta.url);
    const files = readdirSync(folder).filter((file) => /^crm-(?!connector).*\.test\.ts$/.test(file));
    const source = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
    const lacking = crmTools.filter(({ name }) => source.split(`'${name}'`).length < 3);
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
