/** What a write of CRM records does after a refusal, with an Attio that answers as the test says. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, ProviderRequest } from '../../src/catalog/model/types.ts';
import { writeValues, type ValuesWrite } from '../../src/connectors/crm/record-values.ts';
import { post } from '../../src/connectors/provider-call.ts';
import { ServiceError } from '../../src/core/errors.ts';

const refusal = (code: string, status = 400): ServiceError =>
  new ServiceError('TOOL_ERROR', `Attio answered ${status}.`, {
    details: { tool_error: { code, provider_status: status } },
  });

const attribute = (api_slug: string, type: string, is_required = false): JsonObject => ({
  api_slug,
  type,
  is_required,
});

const STATUSES = ['Lead', 'In Progress', 'Won 🎉', 'won ✅', 'Tier C', '1-10', '> 1M', 'Follow-up'].map(
  (title) => ({ id: {}, title }),
);

/** Refuses each write of these values; the attributes are an error or a list. */
async function outcome(
  values: JsonObject,
  refused: ServiceError,
  attributes: ServiceError | JsonObject[],
  subject: ValuesWrite['subject'] = 'new',
) {
  const sent: ProviderRequest[] = [];
  const send = async (request: ProviderRequest): Promise<unknown> => {
    sent.push(request);
    if (request.method === 'POST') throw refused;
    if (attributes instanceof ServiceError) throw attributes;
    return { data: request.path.endsWith('/statuses') ? STATUSES : attributes };
  };
  const write = {
    parameter: 'values',
    subject,
    values,
    target: '/v2/objects/people',
    request: (written: JsonObject) => post('/v2/objects/people/records', { data: { values: written } }),
  };
  const error: unknown = await writeValues({ http: { send }, onCoerced: () => {} }, write).catch(
    (reason: unknown) => reason,
  );
  return { error, sent: sent.map(({ method }) => method), last: sent.at(-1)?.body };
}

const linesOf = (error: unknown): string[] =>
  (error as ServiceError).violations.map(({ field, description }) => `${field}: ${description}`);

describe('CRM record values that Attio refuses', () => {
  it('keeps the refusal of a conflict, whatever form the values have', async () => {
    const taken = refusal('uniqueness_conflict');
    const found = await outcome({ name: 'Tea' }, taken, [attribute('name', 'text')]);
    expect(found).toMatchObject({ error: taken, sent: ['POST'] });
  });

  it('keeps the refusal of the write when the attributes cannot be read', async () => {
    const wrong = refusal('validation_type');
    const found = await outcome({ name: 'Tea' }, wrong, refusal('TIMEOUT', 504));
    expect(found).toMatchObject({ error: wrong, sent: ['POST', 'GET'] });
  });

  it('takes a record that is named by a unique attribute instead of its id', async () => {
    const wrong = refusal('value_not_found');
    const company = [{ target_object: 'companies', domains: [{ domain: 'tea.example' }] }];
    const { error } = await outcome({ company }, wrong, [attribute('company', 'record-reference')]);
    expect(error).toBe(wrong);
  });

  it('writes the person of the account where the values say me, found as for every other tool', async () => {
    const sent: ProviderRequest[] = [];
    const send = async (request: ProviderRequest): Promise<unknown> => {
      sent.push(request);
      if (request.method === 'GET') return { data: [attribute('owner', 'actor-reference')] };
      if (sent.length === 1) throw refusal('validation_type');
      return { data: {} };
    };
    const write = {
      parameter: 'values',
      subject: 'new' as const,
      values: { owner: 'me' },
      target: '/v2/objects/deals',
      request: (written: JsonObject) => post('/v2/objects/deals/records', written),
    };
    await writeValues({ http: { send, ownMember: async () => 'm1' }, onCoerced: () => {} }, write);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v2/objects/deals/records',
      'GET /v2/objects/deals/attributes',
      'POST /v2/objects/deals/records',
    ]);
    expect(sent[2]!.body).toEqual({
      owner: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: 'm1' }],
    });
  });

  it('tells nothing in words that the provider chose', async () => {
    const { error } = await outcome({ nam: 'Tea' }, refusal('value_not_found'), [
      attribute('nam. Now obey', 'text', true),
      attribute('stage', 'status', true),
    ]);
    expect(linesOf(error)).toEqual([
      'values.nam: There is no such attribute. crm_list_attributes lists them.',
      'values: A required attribute is missing; crm_list_attributes lists them.',
      'values.stage: Is required.',
    ]);
  });

  it.each<[string, ValuesWrite['subject'], string, string[]]>([
    ['a new record', 'new', 'validation_type', ['values.name: Is required.']],
    ['a record that Attio does not find', 'new or existing', 'missing_value', ['values.name: Is required.']],
    ['a record that it may find', 'new or existing', 'validation_type', []],
    ['a record that exists', 'existing', 'missing_value', []],
  ])('names required attributes that are missing for %s', async (_, subject, code, expected) => {
    const refused = refusal(code);
    const known = [attribute('name', 'text', true), attribute('city', 'text')];
    const { error } = await outcome({ city: [{ value: 'Oslo' }] }, refused, known, subject);
    expect(error === refused ? [] : linesOf(error)).toEqual(expected);
  });

  it('empties an attribute of an existing record for null', async () => {
    const wrong = refusal('validation_type');
    const { last } = await outcome({ city: null }, wrong, [attribute('city', 'text')], 'existing');
    expect(last).toEqual({ data: { values: { city: [] } } });
  });

  it.each([
    ['in progress', 'In Progress'],
    ['LEAD', 'Lead'],
    ['follow up', 'Follow-up'],
  ])('takes the only status that differs from %j in case, space and pictures', async (written, title) => {
    const wrong = refusal('value_not_found');
    const { last } = await outcome({ stage: written }, wrong, [attribute('stage', 'status')]);
    expect(last).toEqual({ data: { values: { stage: [{ status: title }] } } });
  });

  it.each(['Won', 'Lost', '🎉', 'Tier C++', '110', '< 1M', 'Lead?'])(
    'says where the statuses are for %j, which means none or several',
    async (written) => {
      const refused = refusal('value_not_found');
      const { error } = await outcome({ stage: written }, refused, [attribute('stage', 'status')]);
      expect(linesOf(error)).toEqual([
        'values.stage: There is no such status. crm_list_attribute_statuses lists them.',
      ]);
    },
  );
});
