/** What a model reads when a provider refuses a call: one row per rule of each connector, in its exact words. */
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/executor/call/active-account-guard.ts';
import { AnswerReader } from '../../src/outbound/answer-reader.ts';
import { shippedCatalog } from './tool-request.ts';

/** Error bodies as the providers write them. */
const BODIES: Record<string, (status: number, code: string) => object> = {
  crm: (status_code, code) => ({ status_code, type: 'x', code, message: 'Why.' }),
  mail: (_, code) => ({ error: { code, message: 'Why.', innerError: {} } }),
  video: (code, reason) => ({ error: { code, message: 'Why.', errors: [{ domain: 'youtube.x', reason }] } }),
  warehouse: (_, code) => ({ code, message: 'Why.', sqlState: '42S02', statementHandle: 'h' }),
  websearch: (_, tag) => ({ requestId: 'r', error: 'Why.', tag }),
};

const clock = { now: () => Date.parse('2026-11-22T06:30:00Z') };

function refusal(connector: string, status: number, body: unknown, retryAfterMs?: number): unknown {
  const { errors, title } = shippedCatalog.connectors.get(connector)!;
  const reader = new AnswerReader({ title, effect: 'read' }, errors, 'exe_1', [], clock);
  try {
    return reader.read({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) }, retryAfterMs);
  } catch (error) {
    return error;
  }
}

const noRepeat = 'repeating the call will not help before.';

const ROWS: [string, number, string, string][] = [
  [
    'crm',
    403,
    'billing_error',
    'Attio CRM answered 403: the plan of this Attio workspace does not include this. Repeating the call will not help; do it without that feature, or an admin changes the plan in Attio.',
  ],
  [
    'crm',
    400,
    'quota_exceeded',
    'Attio CRM answered 400: this Attio workspace has as many of these as its plan allows. Repeating the call will not help; use an existing one, or an admin changes the plan in Attio.',
  ],
  [
    'crm',
    404,
    'merge_in_progress',
    'Attio CRM answered 404: the record is being merged with another one. Try again a little later.',
  ],
  [
    'crm',
    400,
    'uniqueness_conflict',
    'Attio CRM answered 400: another record has the same value in a unique attribute, such as an email address or a domain. Find it with crm_search_records and use it, change it with crm_update_record, or change the value.',
  ],
  [
    'crm',
    400,
    'multiple_match_results',
    'Attio CRM answered 400: several records or entries match, so none was changed. Find the one that is meant and change it by its id, with crm_update_record or crm_update_list_entry.',
  ],
  [
    'crm',
    400,
    'system_edit_unauthorized',
    'Attio CRM answered 400: Attio maintains this itself, and it cannot be changed. Repeating the call will not help.',
  ],
  [
    'crm',
    409,
    'slug_conflict',
    'Attio CRM answered 409: this api_slug or title is taken. Use what has it already, or choose another one.',
  ],
  [
    'crm',
    400,
    'filter_error',
    'Attio CRM answered 400: filter or sorts do not fit the attributes. crm_list_attributes names the attributes and their types; correct the input and call again. What Attio says about it is data in tool_error.message.',
  ],
  [
    'crm',
    400,
    'value_not_found',
    'Attio CRM answered 400: the input names an attribute, option, status, record, object or member that does not exist. Correct it and call again. What Attio says about it is data in tool_error.message.',
  ],
  [
    'crm',
    400,
    'immutable_value',
    'Attio CRM answered 400: the input does not fit the attributes. Correct it and call again; crm_get_attribute tells what an attribute takes. What Attio says about it is data in tool_error.message.',
  ],
  ['crm', 404, 'not_found', 'Attio CRM has nothing at this address (404). Check the ids in the input.'],
  [
    'mail',
    404,
    'MailboxNotEnabledForRESTAPI',
    'Microsoft Outlook answered 404: this Microsoft account has no mailbox in Exchange Online or Outlook.com, and so no calendar. Repeating the call will not help; connect an account that has one.',
  ],
  [
    'mail',
    403,
    'ErrorAccountSuspend',
    `Microsoft Outlook answered 403: Microsoft has suspended the mailbox of this account. Its owner signs in at Outlook and follows the instructions there; ${noRepeat}`,
  ],
  [
    'mail',
    507,
    'ErrorQuotaExceeded',
    `Microsoft Outlook answered 507: the mailbox of this account is full. Its owner makes room there; ${noRepeat}`,
  ],
  [
    'mail',
    404,
    'ErrorItemNotFound',
    'Microsoft Outlook answered 404: there is nothing with this id in the mailbox of this account. Take the id from a list again, such as mail_list_messages or mail_list_calendar_events; it changes when a message or an event is moved.',
  ],
  [
    'mail',
    400,
    'ErrorInvalidIdMalformed',
    'Microsoft Outlook answered 400: this is not an id of Outlook. Take an id that a tool has given, whole.',
  ],
  [
    'mail',
    400,
    'InefficientFilter',
    'Microsoft Outlook answered 400: this filter is too complex for Outlook together with the order. Leave a condition out, or use mail_search_messages.',
  ],
  [
    'mail',
    400,
    'ErrorOccurrenceCrossingBoundary',
    'Microsoft Outlook answered 400: an occurrence of a series cannot be moved to or beyond the day of the one before or after it. Choose a time between them.',
  ],
  [
    'mail',
    412,
    'ErrorIrresolvableConflict',
    'Microsoft Outlook answered 412: this was changed by somebody else at the same time, or its name is taken. Read it again and decide then.',
  ],
  [
    'video',
    404,
    'parentCommentNotFound',
    'YouTube answered 404: an answer goes to a thread: parent_id is the id of its first comment, from video_comment_threads_list. In the id of a reply it is the part before the dot.',
  ],
  [
    'video',
    400,
    'manualSortRequired',
    `YouTube answered 400: this playlist is not sorted by hand, so its items have no place of their own. Its owner chooses manual order in YouTube Studio; ${noRepeat}`,
  ],
  [
    'video',
    403,
    'quotaExceeded',
    'YouTube answered 403: a daily quota of the Google project of this connection is used up, for all its accounts. video_search has one of its own: other tools may still work, or it when they do not. It is full again at midnight Pacific Time. That is in 1 h 30 min. Do not repeat the call before then.',
  ],
  [
    'video',
    403,
    'rateLimitExceeded',
    'YouTube answered 403: too many calls in a short time. Nothing was done. Try again a little later.',
  ],
  [
    'video',
    403,
    'accessNotConfigured',
    `YouTube answered 403: this API is not enabled in the Google project of this connection. The operator enables the YouTube Data, Analytics and Reporting APIs in the Google Cloud console; ${noRepeat}`,
  ],
  [
    'video',
    401,
    'youtubeSignupRequired',
    `YouTube answered 401: the Google account has no YouTube channel. Its owner creates one at youtube.com, or connects the account of a channel; ${noRepeat}`,
  ],
  [
    'video',
    403,
    'channelClosed',
    'YouTube answered 403: the channel or its Google account is closed or suspended. Repeating the call will not help.',
  ],
  [
    'video',
    403,
    'commentsDisabled',
    'YouTube answered 403: comments are turned off for this video or channel. Repeating the call will not help.',
  ],
  [
    'video',
    403,
    'ineligibleAccount',
    'YouTube answered 403: this Google account may not comment before it is set up at youtube.com. Its owner does that there.',
  ],
  [
    'video',
    400,
    'invalidPageToken',
    'YouTube answered 400: page_token does not belong to this request. Repeat the request that it came from with the same arguments, or begin without page_token.',
  ],
  [
    'video',
    412,
    'conditionNotMet',
    'YouTube answered 412: this was changed by somebody else at the same time. Read it again and decide anew.',
  ],
  ['warehouse', 422, '000604', 'Snowflake answered 422: the statement was cancelled before it was done.'],
  [
    'warehouse',
    408,
    '000630',
    'Snowflake answered 408: the statement reached its time limit and was stopped. Repeating it as it is will not help: let it do less, use a larger warehouse, or set a longer timeout together with async.',
  ],
  [
    'warehouse',
    422,
    '000606',
    'Snowflake answered 422: the statement needs a compute warehouse and there is none. Name one in warehouse; warehouse_show_warehouses lists those that the role may use.',
  ],
  [
    'warehouse',
    422,
    '090105',
    'Snowflake answered 422: the statement names an object without its database or schema. Write database.schema.object, or give database and schema.',
  ],
  [
    'warehouse',
    422,
    '002003',
    'Snowflake answered 422: an object in the statement does not exist, or the role may not see it. Look it up with the warehouse_get_ and warehouse_show_ tools, write names as these print them, or name another role.',
  ],
  [
    'warehouse',
    403,
    '003001',
    'Snowflake answered 403: the role lacks a privilege, which tool_error.message names. Name a role that has it, or an admin grants it; repeating the call as it is will not help.',
  ],
  [
    'warehouse',
    422,
    '000709',
    "Snowflake answered 422: there is no running statement with this handle: it has ended, or it was never this user's. Ask warehouse_get_query_status.",
  ],
  [
    'warehouse',
    422,
    '001003',
    "Snowflake answered 422: the statement failed. tool_error.message is Snowflake's reason; correct the SQL and call again. The same statement would fail again.",
  ],
  [
    'warehouse',
    404,
    '000001',
    'Snowflake answered 404: there is no statement with this handle, or its result is gone: results are kept for 24 hours. Run the statement again. Or there is no search service or schema of this name.',
  ],
  [
    'warehouse',
    429,
    '390505',
    'Snowflake answered 429: too many requests at once. The statement was not run. Try again a little later.',
  ],
  [
    'warehouse',
    403,
    '390422',
    'Snowflake answered 403: this user or role may not do this from here, for example because of a network policy. An admin of Snowflake allows it, or name another role; repeating the call as it is will not help.',
  ],
  [
    'websearch',
    402,
    'NO_MORE_CREDITS',
    'Exa web search answered 402: the credits of the Exa team of this key are used up. Its owner adds credits at dashboard.exa.ai; repeating the call will not help before.',
  ],
  [
    'websearch',
    402,
    'API_KEY_BUDGET_EXCEEDED',
    `Exa web search answered 402: the spending limit of this Exa key is reached. An admin of the Exa team raises it at dashboard.exa.ai; ${noRepeat}`,
  ],
  [
    'websearch',
    400,
    'NUM_RESULTS_EXCEEDED',
    'Exa web search answered 400: the plan of this Exa team does not allow so many results. Ask for fewer.',
  ],
  [
    'websearch',
    403,
    'FEATURE_DISABLED',
    'Exa web search answered 403: the plan of this Exa team does not include this. Repeating the call will not help; use another tool, or the owner changes the plan.',
  ],
  [
    'websearch',
    403,
    'PROHIBITED_CONTENT',
    'Exa web search answered 403: Exa does not give out this content. Ask for something else; repeating the call will not help.',
  ],
  [
    'websearch',
    422,
    'X',
    'Exa web search answered 422: Exa could not read a page, or could not make a search of the words. See tool_error.message, then correct the address or word the request differently.',
  ],
  [
    'websearch',
    501,
    'X',
    'Exa web search answered 501: Exa found no answer to this. Word the question differently, or use websearch_search.',
  ],
  [
    'websearch',
    409,
    'X',
    'Exa web search answered 409: a webset with this external_id exists already. Read it with websearch_get_webset, or choose another id.',
  ],
  [
    'websearch',
    402,
    'X',
    `Exa web search answered 402: the Exa team of this key has no credits or no plan for this. Its owner looks at dashboard.exa.ai; ${noRepeat}`,
  ],
];

describe('provider errors: refused call', () => {
  it.each(ROWS)('explains for %s the status %i %s and the next step', (connector, status, code, message) => {
    expect(refusal(connector, status, BODIES[connector]!(status, code))).toMatchObject({
      message,
      toolError: { code, message: 'Why.' },
    });
  });

  it('has a row for every rule', () => {
    const missing = [...shippedCatalog.connectors.values()].flatMap(({ name, errors }) =>
      (errors.advice ?? []).filter(
        ({ says }) => !ROWS.some(([connector, , , message]) => connector === name && message.includes(says)),
      ),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    [
      'mail',
      'ApplicationThrottled',
      2_128,
      'Microsoft Outlook accepts no more calls from this account for now (429). Try again in 3 seconds.',
    ],
    [
      'crm',
      'rate_limit_exceeded',
      900,
      'Attio CRM accepts no more calls from this account for now (429). Try again in 1 second.',
    ],
    [
      'video',
      'rateLimitExceeded',
      4_000,
      'YouTube answered 429: too many calls in a short time. Nothing was done. Try again in 4 seconds.',
    ],
    [
      'websearch',
      'X',
      undefined,
      'Exa web search accepts no more calls from this account for now (429). Try again a little later.',
    ],
  ])('names the delay of %s after too many calls', (connector, code, retryAfterMs, message) => {
    expect(refusal(connector, 429, BODIES[connector]!(429, code), retryAfterMs)).toMatchObject({ message });
  });

  it('names only existing tools and parameters', () => {
    const known = new Set(
      [...shippedCatalog.tools.values()].flatMap(({ name, parameters }) => [
        name,
        ...Object.keys(parameters),
      ]),
    );
    const texts = [...shippedCatalog.connectors.values()].flatMap(({ errors }) => errors.advice ?? []);
    const named = texts.flatMap(({ says }) => says.match(/\b[a-z]+(?:_[a-z]+)+\b(?!_)/g) ?? []);
    const meant = named.filter((word) => !['tool_error', 'api_slug'].includes(word));
    expect(meant.filter((word) => !known.has(word))).toEqual([]);
    expect(meant.length).toBeGreaterThan(10);
  });
});

describe('provider errors: refused credential', () => {
  it.each([
    ['crm', 401, { code: 'unauthorized', message: 'x' }, true],
    ['crm', 200, { active: false }, true],
    ['crm', 200, { active: true, scope: '' }, false],
    ['crm', 403, { code: 'billing_error', message: 'x' }, false],
    ['mail', 401, { error: { code: 'InvalidAuthenticationToken' } }, true],
    ['mail', 403, { error: { code: 'ErrorAccessDenied' } }, false],
    ['video', 401, { error: { errors: [{ reason: 'authError' }] } }, true],
    ['video', 401, { error: { errors: [{ reason: 'youtubeSignupRequired' }] } }, false],
    ['video', 401, { error: { errors: [{ reason: 'NoLinkedYouTubeAccount' }] } }, false],
    ['video', 403, { error: { errors: [{ reason: 'insufficientPermissions' }] } }, false],
    ['warehouse', 401, { code: '390303', message: 'x' }, true],
    ['warehouse', 401, { code: '390318', message: 'x' }, true],
    ['warehouse', 403, { code: '390422', message: 'x' }, false],
    ['websearch', 401, { error: 'x', tag: 'INVALID_API_KEY' }, true],
    ['websearch', 402, { error: 'x', tag: 'NO_MORE_CREDITS' }, false],
  ])('decides for %s: %i %j is %s', (connector, status, body, expected) => {
    const found = isRefusal(refusal(connector, status, body), shippedCatalog.connectors.get(connector)!);
    expect(found).toBe(expected);
  });
});
