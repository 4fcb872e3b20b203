/** Bodies that are built from flat parameters, and messages from lists and maps, with the example planner. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemsOf, toolsetFile, BOOKS_CONNECTOR } from '../../catalog/files.ts';
import { refusal, startExampleServer, type ExampleServer } from '../../support/example-server.ts';
import { startStandIn, type StandIn } from '../../support/stand-in.ts';

let provider: StandIn;
let server: ExampleServer;

beforeAll(async () => {
  provider = await startStandIn(({ body }) => ({ json: JSON.parse(body) as unknown }));
  const overrides = { base_url: provider.origin };
  server = await startExampleServer({ connections: [{ connector: 'planner', overrides }] });
  await server.create('planner', 'ada', { static_auth: { details: { token: 'token-0001' } } });
});
afterAll(async () => {
  await server.close();
  await provider.close();
});

const invite = async (input: Record<string, unknown>) =>
  server.call('planner_invite', { subject: 'Tea', ...input }, 'ada');
const meeting = (more: object) => ({ requests: [{ kind: 'meeting', meeting: { subject: 'Tea', ...more } }] });

describe('lists in the body of a request', () => {
  it.each<[string, Record<string, unknown>, object]>([
    ['nothing', {}, {}],
    [
      'two addresses',
      { emails: ['a@x.example', 'b@x.example'] },
      { people: [{ email: 'a@x.example' }, { email: 'b@x.example' }] },
    ],
    ['no address', { emails: [] }, { people: [] }],
    ['both places', { room: '7', link: 'l' }, { places: [{ room: '7' }, { link: 'l' }] }],
    ['the second place alone', { link: 'l' }, { places: [{ link: 'l' }] }],
  ])('hold what was given for %s', async (_, input, expected) => {
    expect(await invite(input)).toEqual(meeting(expected));
  });

  it.each([
    ['text', 'body.list[].a', 'string', 'makes an entry of each item, and the parameter has no items'],
    ['a list twice', 'body.list[].a[].b', 'array', 'can have [] only once'],
    ['a list with fixed entries', 'body.fixed[].a', 'array', 'makes a list where fixed body.fixed[0].a goes'],
    ['a key of prototypes', 'body.constructor[0].a', 'string', 'has a key that is not a plain member'],
  ])('cannot be built from %s', (_, to, type, message) => {
    const items = type === 'array' ? '\n    items: {type: string}' : '';
    const tool = toolsetFile(`
parameters:
  names:
    type: ${type}${items}
    to: ${to}
    description: Some names.
request:
  method: POST
  path: /books
  fixed:
    body.fixed[0].a: x`);
    expect(problemsOf({ 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': tool })).toEqual([
      expect.stringContaining(`parameters.names.to: ${message}`),
    ]);
  });
});

describe('value of a body that may be emptied', () => {
  it.each([{ room: '7' }, { room: null }])('arrives at the provider as it was given: %j', async (input) => {
    expect(await server.call('planner_move', { meeting_id: 'm-1', ...input }, 'ada')).toEqual(input);
    expect(provider.requests.at(-1)).toMatchObject({ method: 'PATCH', path: '/v1/meetings/m-1' });
  });
});

describe('message of a failed answer', () => {
  it.each([
    ['a list', { errors: [{ message: 'One.' }, { code: 2 }, { message: 'Two.' }] }, 'One.; Two.'],
    [
      'a map, with its keys',
      { errors: [], fields: { room: 'is taken', link: 'is bad' } },
      'room: is taken; link: is bad',
    ],
    ['neither', { message: 'No.' }, 'No.'],
    [
      'a long list, up to a limit',
      { errors: Array.from({ length: 100 }, () => ({ message: 'x' })) },
      Array(20).fill('x').join('; '),
    ],
  ])('joins the texts out of %s', async (_, json, message) => {
    const echo = provider.answer;
    provider.answer = () => ({ status: 400, json });
    const error = await refusal(invite({}));
    provider.answer = echo;
    expect(error.details).toMatchObject({ tool_error: { message } });
  });
});
