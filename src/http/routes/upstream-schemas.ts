/** Bodies of the routes of remote MCP servers. */
import { z } from '@hono/zod-openapi';
import { AUTHORIZATION_TYPE_NAMES } from '../../authorization-types/index.ts';
import { UPSTREAM_STATES } from '../../upstream/operators/upstream-view.ts';
import { shown, storedObject, text, timestamp } from '../api/schemas.ts';

const MAX_APPROVALS = 1_000;
const EFFECTS = ['read', 'create', 'update', 'delete'] as const;
const FORM_STATES = ['new', 'approved', 'held', 'gone'] as const;

const nameText = text(400, 'Name of the connection; of the connector where it has no other one.');
/** The name in the path. */
export const params = z.object({ name: nameText });

const connectorKeys = storedObject.openapi({
  description:
    'Further keys as in a connector.yaml: `auth`, `mcp`, `tools`, `limits` and others. Without `auth` the server says how people bring credentials.',
});
const trusted = z.boolean().openapi({
  description: 'true: tools and their changes are published without a person. For servers of your own.',
});
const title = text(60, 'What people call it. Default: made from the name.');

const issuer = text(2_048, 'The issuer that was looked at; another one is not taken.');
const origins = z
  .array(text(2_048, 'One of them.'))
  .max(8)
  .openapi({ description: 'The origins that were looked at; others are not taken.' });

/** The request of a look or an addition. */
export const createBody = z.strictObject({
  name: text(30, 'Of connector and connection. Default: made from the address.').optional(),
  url: text(
    2_048,
    'Address of the MCP server. Left out: that of the public server of this name, as lists have it.',
  ).optional(),
  title: title.optional(),
  auth: text(
    200,
    'How people bring credentials: `oauth`, `bearer`, `none`, or `header:` with the name of a header. Default: the server says it.',
  ).optional(),
  connector: connectorKeys.optional(),
  trusted: trusted.optional(),
  confirm: z
    .boolean()
    .optional()
    .openapi({ description: 'Left out or false: only looks at the server, and stores nothing.' }),
  seen: z
    .strictObject({
      authorization_type: z
        .enum(AUTHORIZATION_TYPE_NAMES)
        .openapi({ description: 'The type that was looked at; another one is not taken.' }),
      issuer: issuer.nullable(),
      origins,
    })
    .optional()
    .openapi({
      description:
        'With `confirm`: these members of the look before. Needed where people consent; what has changed since is refused.',
    }),
});

/** A change of an added server. */
export const patchBody = z.strictObject({
  title: title.optional(),
  connector: connectorKeys
    .optional()
    .openapi({ description: 'Keys as in a connector.yaml that change; null removes one.' }),
  trusted: trusted.optional(),
});

/** Forms to publish. */
export const approveBody = z.strictObject({
  tools: z
    .array(
      z.strictObject({
        tool: text(1_000, 'As the answer that was looked at shows it.'),
        hash: text(64, 'Of the form that was looked at.'),
        effect: z
          .enum(EFFECTS)
          .optional()
          .openapi({ description: 'What it does. Default: what its hints and its name stand for.' }),
        name: text(60, 'Name under which it is published. Default: the one that was shown.').optional(),
      }),
    )
    .min(1)
    .max(MAX_APPROVALS)
    .openapi({ description: 'The forms that are published from now on.' }),
});

/** The change that the operator has seen. */
export const acceptBody = z.strictObject({ issuer, origins });

const counts = z.object({
  approved: z.number().int().openapi({ description: 'Published.' }),
  new: z.number().int().openapi({ description: 'Of tools that nobody has approved yet.' }),
  held: z.number().int().openapi({ description: 'Changed since the approval, or not publishable.' }),
  gone: z.number().int().openapi({ description: 'Approved, and in no list any more.' }),
  waiting: z.number().int().openapi({ description: 'Of new and held, those that can be approved.' }),
});

const finding = z.object({
  severity: z
    .enum(['error', 'warning', 'info'])
    .openapi({ description: 'error: it is not added, because accounts or calls would fail.' }),
  field: shown('What it is about: a member of the request or of this answer.'),
  message: shown('What was found and what to do.'),
});

/** A server in answers. */
export const upstream = z
  .object({
    name: nameText,
    connector: shown('Name of its connector.'),
    title: shown('What people call it.'),
    url: shown('Its address; may have placeholders such as {workspace}.'),
    connection_id: z.string().nullable().openapi({ description: 'Its connection; null: none yet.' }),
    added_at: timestamp
      .nullable()
      .openapi({ description: 'When it was added; null: a file of the catalog declares it.' }),
    authorization_type: z
      .enum(AUTHORIZATION_TYPE_NAMES)
      .nullable()
      .openapi({ description: 'How people bring credentials; null without a connection.' }),
    approval: z
      .enum(['manual', 'first', 'trusted'])
      .openapi({ description: 'Who approves tools: a person, the first list, or nobody.' }),
    state: z.enum(UPSTREAM_STATES).openapi({ description: 'What an operator has to look at first.' }),
    era: z
      .enum(['legacy', 'modern'])
      .nullable()
      .openapi({ description: 'Protocol with or without `initialize`; null: not known yet.' }),
    server: z
      .object({
        name: z.string().nullable().openapi({ description: 'As the server says.' }),
        version: z.string().nullable().openapi({ description: 'As the server says.' }),
        instructions: z
          .string()
          .nullable()
          .openapi({ description: 'As the server says; no model reads it.' }),
      })
      .nullable()
      .openapi({ description: 'What the server says of itself, with invisible characters made visible.' }),
    issuer: z
      .string()
      .nullable()
      .openapi({ description: 'Who asks people for consent; null: not known, or there is no consent.' }),
    origins: z
      .array(z.string())
      .openapi({ description: 'Where people and secrets are sent; none without an issuer.' }),
    authorization_server_change: z
      .object({
        issuer: shown('The new issuer.'),
        origins: z.array(z.string()).openapi({ description: 'Where people and secrets would be sent.' }),
        found_at: timestamp.nullable().openapi({ description: 'When it was first seen.' }),
      })
      .nullable()
      .openapi({ description: 'A change that waits for `:accept`.' }),
    registration: z
      .object({
        way: z
          .enum(['static', 'document', 'dynamic'])
          .nullable()
          .openapi({ description: 'null: register a client there and enter it in the connection.' }),
        client_id: z.string().nullable().openapi({ description: 'Our client there; null: none yet.' }),
        registered_at: timestamp.nullable().openapi({ description: 'Age of a registered client.' }),
      })
      .nullable()
      .openapi({ description: 'How Gatehouse is a client of the authorization server.' }),
    redirect_uri: z
      .string()
      .nullable()
      .openapi({ description: 'The redirect URI of that client; null where there is no consent.' }),
    scopes: z.array(z.string()).openapi({ description: 'Scopes that a consent asks for.' }),
    findings: z.array(finding).openapi({ description: 'What to know, and what would fail.' }),
    tools: counts.openapi({ description: 'Forms of its tools by state.' }),
    listed_at: timestamp.nullable().openapi({ description: 'When a list last had something new.' }),
    accounts: z.number().int().openapi({ description: 'Accounts of its connection, whatever their status.' }),
    unavailable_until: timestamp.nullable().openapi({
      description: 'This process makes no call until then, because the server failed several times in a row.',
    }),
    unavailable_since: timestamp.nullable().openapi({
      description: 'Since when it fails, whichever process saw it; null while it works.',
    }),
  })
  .openapi('Upstream', { description: 'A remote MCP server, whose tools are published beside others.' });

const formShape = {
  tool: shown('As the server writes it, with each character beyond ASCII as its code point.'),
  hash: shown('Fingerprint of this form.'),
  state: z.enum(FORM_STATES).openapi({ description: 'What has become of this form.' }),
  name: z
    .string()
    .nullable()
    .openapi({ description: 'Under which it is or would be published; null: none can be made.' }),
  effect: z
    .enum(EFFECTS)
    .openapi({ description: 'Approved, or else what its hints and its name stand for.' }),
  obstacle: z.string().nullable().openapi({ description: 'Why it cannot be published.' }),
  findings: z
    .array(
      z.object({
        field: shown('Where it was found.'),
        kind: shown('What was found, as a word.'),
        shown: shown('The text around it.'),
      }),
    )
    .openapi({
      description: 'Hits of the text check. A hit proves nothing, and none proves nothing either.',
    }),
  decided_by: z.string().nullable().openapi({ description: 'Who approved it.' }),
  decided_at: timestamp.nullable().openapi({ description: 'When it was approved.' }),
};

/** One form of one tool. */
export const form = z
  .object(formShape)
  .openapi('UpstreamTool', { description: 'One form of a tool of an upstream.' });

/** A form that waits, with its differences. */
export const diff = z
  .object({
    ...formShape,
    approved_hash: z.string().nullable().openapi({ description: 'The approved form; null: none.' }),
    approved_effect: z.enum(EFFECTS).nullable().openapi({ description: 'Effect of the approved form.' }),
    changes: z
      .array(
        z.object({
          field: shown('Path of the text or value.'),
          before: z.string().nullable().openapi({ description: 'In the approved form; null: not there.' }),
          after: z.string().nullable().openapi({ description: 'In this form; null: not there.' }),
        }),
      )
      .openapi({ description: 'What differs from the approved form.' }),
  })
  .openapi('UpstreamToolDiff', { description: 'A form that waits for a person, beside the approved one.' });
