/**
 * The OpenAPI description that the importing servers get: 25 resources of a shop, each with list, get, create,
 * update and delete. JSON, 125 operations, with parameters, bodies and components as such descriptions have them.
 */

const RESOURCES = (
  'account address asset book campaign cart category contract coupon customer delivery discount employee ' +
  'invoice label note offer order payment product refund review supplier task warehouse'
).split(' ');

/** Arguments of `listBooks`, the operation that is called. */
export const LIST_BOOKS = { query: 'q' };

/** @param server address of the API */
export function openApiDescription(server: string): string {
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Book shop', version: '1.0.0', description: 'A shop that sells books to other shops.' },
    servers: [{ url: server }],
    security: [{ key: [] }],
    paths: Object.fromEntries(RESOURCES.flatMap(pathsOf)),
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: Object.fromEntries(RESOURCES.flatMap(schemasOf)),
    },
  });
}

function pathsOf(noun: string): [string, object][] {
  const [title, many] = [titled(noun), plural(noun)];
  const tags = [many];
  const id = {
    name: `${noun}Id`,
    in: 'path',
    required: true,
    description: `Id of the ${noun}, as the list of ${many} gives it.`,
    schema: { type: 'string', maxLength: 40 },
  };
  const answer = (description: string, schema: object): object => ({
    200: { description, content: { 'application/json': { schema } } },
  });
  const one = { $ref: `#/components/schemas/${title}` };
  const body = (name: string): object => ({
    required: true,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  return [
    [
      `/${many}`,
      {
        get: {
          operationId: `list${titled(many)}`,
          tags,
          summary: `List ${many}`,
          description: `Finds ${many} whose title or text contains some words. Returns a page, newest first.`,
          parameters: listParameters(noun),
          responses: answer(`A page of ${many}.`, { type: 'array', items: one }),
        },
        post: {
          operationId: `create${title}`,
          tags,
          summary: `Create one ${noun}`,
          description: `Creates one ${noun} and returns it with its id.`,
          requestBody: body(`New${title}`),
          responses: answer(`The new ${noun}.`, one),
        },
      },
    ],
    [
      `/${many}/{${noun}Id}`,
      {
        get: {
          operationId: `get${title}`,
          tags,
          summary: `Get one ${noun}`,
          description: `Returns one ${noun} with everything that is known about it.`,
          parameters: [id],
          responses: answer(`The ${noun}.`, one),
        },
        patch: {
          operationId: `update${title}`,
          tags,
          summary: `Change one ${noun}`,
          description: `Changes the named fields of one ${noun}. Fields that are left out keep their value.`,
          parameters: [id],
          requestBody: body(`${title}Change`),
          responses: answer(`The changed ${noun}.`, one),
        },
        delete: {
          operationId: `delete${title}`,
          tags,
          summary: `Delete one ${noun}`,
          description: `Deletes one ${noun}. This cannot be undone.`,
          parameters: [id],
          responses: { 204: { description: `The ${noun} is deleted.` } },
        },
      },
    ],
  ];
}

function listParameters(noun: string): object[] {
  const parameter = (name: string, description: string, schema: object): object => ({
    name,
    in: 'query',
    description,
    schema,
  });
  return [
    parameter('query', `Words that the ${noun} contains.`, { type: 'string', maxLength: 200 }),
    parameter('status', `Only those with this status.`, {
      type: 'string',
      enum: ['draft', 'active', 'paused', 'closed'],
    }),
    parameter('createdAfter', 'Only those created after this time.', { type: 'string', format: 'date-time' }),
    parameter('limit', 'Size of the page.', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
    parameter('cursor', 'Where the page begins, from the page before.', { type: 'string' }),
  ];
}

function schemasOf(noun: string): [string, object][] {
  const title = titled(noun);
  const properties = {
    title: { type: 'string', maxLength: 200, description: `Title of the ${noun}.` },
    text: { type: 'string', maxLength: 5_000, description: `What people read about the ${noun}.` },
    status: {
      type: 'string',
      enum: ['draft', 'active', 'paused', 'closed'],
      description: 'Where it stands.',
    },
    amount: { type: 'number', minimum: 0, description: 'Amount in the currency of the shop.' },
    labels: {
      type: 'array',
      maxItems: 20,
      items: { type: 'string', maxLength: 40 },
      description: 'Labels to find it by.',
    },
    dueAt: { type: 'string', format: 'date-time', description: 'When it is due.' },
    contact: {
      type: 'object',
      description: 'Who answers questions about it.',
      properties: {
        name: { type: 'string', description: 'Name of the person.' },
        email: { type: 'string', format: 'email', description: 'Address for questions.' },
      },
    },
  };
  return [
    [title, { type: 'object', properties: { id: { type: 'string' }, ...properties } }],
    [`New${title}`, { type: 'object', required: ['title'], properties }],
    [`${title}Change`, { type: 'object', properties }],
  ];
}

function plural(noun: string): string {
  if (noun.endsWith('y')) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? `${noun}es` : `${noun}s`;
}

function titled(noun: string): string {
  return noun[0]?.toUpperCase() + noun.slice(1);
}
