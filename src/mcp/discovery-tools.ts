/** The tools that find, describe and run others, as published (`--discovery`). Pure. */
import type { Tool as McpTool } from '@modelcontextprotocol/server';

/** Hits of a search that names no number, and below the most that a search can name. */
export const DEFAULT_HITS = 8;
export const MAX_HITS = 30;

/** Most tools of one describe_tool. */
export const MAX_DESCRIBED = 10;

const LOOKUP = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const READING = { ...LOOKUP, openWorldHint: true };
const CHANGING = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

const TOOL_NAME = { type: 'string', description: 'Name of a tool, as search_tools gives it.' };

const CALL_SCHEMA = {
  type: 'object',
  properties: {
    name: TOOL_NAME,
    arguments: {
      type: 'object',
      additionalProperties: true,
      description: 'Arguments of the tool, `account` among them where describe_tool lists it.',
    },
  },
  required: ['name'],
  additionalProperties: false,
} satisfies McpTool['inputSchema'];

const LOOKUPS: readonly McpTool[] = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by words of their names, descriptions and parameters, best match first, each with its parameters. ' +
      'Start here, then run one with call_tool. Without query: the parameters of all tools, one line each.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'What to do and to what, in a few words: "list open tasks".',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_HITS,
          default: DEFAULT_HITS,
          description: 'Maximum number of tools.',
        },
      },
      required: [],
      additionalProperties: false,
    },
    annotations: LOOKUP,
  },
  {
    name: 'describe_tool',
    title: 'Describe tools',
    description:
      'Full descriptions and input schemas of tools. Read it before call_tool where a signature does not say enough.',
    inputSchema: {
      type: 'object',
      properties: {
        names: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: MAX_DESCRIBED,
          description: 'Names of tools, as search_tools gives them.',
        },
      },
      required: ['names'],
      additionalProperties: false,
    },
    annotations: LOOKUP,
  },
];

const CALL_TOOL: McpTool = {
  name: 'call_tool',
  title: 'Call a tool',
  description: 'Runs a tool found with search_tools, with arguments as describe_tool shows them.',
  inputSchema: CALL_SCHEMA,
  annotations: CHANGING,
};

/**
 * The tools by what the selection allows. call_tool has the hints of the most dangerous tool that it can run. So if
 * some tools change something, call_read_tool runs the others, and a client can approve it separately.
 */
export const DISCOVERY_TOOLS: Readonly<Record<'all' | 'readOnly', readonly McpTool[]>> = {
  all: Object.freeze([
    ...LOOKUPS,
    {
      name: 'call_read_tool',
      title: 'Call a tool that reads',
      description: 'Runs a tool like call_tool, if it changes nothing; refuses any other.',
      inputSchema: CALL_SCHEMA,
      annotations: READING,
    },
    CALL_TOOL,
  ]),
  readOnly: Object.freeze([...LOOKUPS, { ...CALL_TOOL, annotations: READING }]),
};
