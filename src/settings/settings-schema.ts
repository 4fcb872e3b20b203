/**
 * The shape of gatehouse.yaml: the only place that defines a setting's name, default, limits and meaning.
 *
 * Settings, environment variables, gatehouse.schema.json and docs/configuration.md all follow from it. Rules
 * that look at several settings are in rules.ts.
 */
import * as z from 'zod/mini';
import { ONE_LINE } from './declarations.ts';
import { environmentSchema, environmentShape } from './environment-schema.ts';
import { normalizeEmail } from '../core/email-address.ts';
import { isCidr, isHost, isHostPattern } from '../core/hosts.ts';
import {
  choice,
  duration,
  flag,
  integer,
  list,
  optional,
  required,
  size,
  switchOf,
  text,
  withDefault,
} from './values.ts';

/** True for one or more `id:base64(32 bytes)`. */
function isKeyList(value: string): boolean {
  const entries = value
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.length > 0 && entries.every((entry) => /^[\w.-]{1,64}:[\w+/-]{43}=?$/.test(entry));
}

/** True for an address alone, or after a name as in the head of a mail. */
function isSender(value: string): boolean {
  const named = /^(?:"[^"\p{Cc}]*" *|[^",;:<>\p{Cc}]*)<([^<>]*)>$/u.exec(value);
  return normalizeEmail(named?.[1] ?? value) !== undefined;
}

const path = () => text(ONE_LINE, 'the path of a file or folder');
const owner = () => text(/^\P{Cc}{1,64}$/u, 'text of at most 64 characters');
const header = () => text(/^[A-Za-z0-9-]{1,64}$/, 'the name of an HTTP header');
const names = (expected: string) => list(/^[A-Za-z0-9][A-Za-z0-9 _:.-]{0,399}$/, expected, 1);
/** The whole file. After parsing, every group exists, with its defaults. */
export const fileSchema = z.strictObject({
  data_dir: optional(path(), {
    meaning:
      'Folder of the database and the key file, created with mode 0700. Relative: from the folder of gatehouse.yaml.',
    default: '`./data` in a checkout or where it exists, else `~/.local/share/gatehouse`',
  }),
  database_url: optional(text(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'sqlite:PATH or postgres://…'), {
    meaning: '`sqlite:` and a path, or a `postgres://` URL.',
    default: '`sqlite:<data_dir>/gatehouse.db`',
  }),
  database: z.prefault(
    z.strictObject({
      pool_size: withDefault(integer(1, 1_000), 10, {
        meaning: 'Postgres: most connections of one process.',
      }),
    }),
    {},
  ),
  host: withDefault(text(isHost, 'an IP address or a host name'), '127.0.0.1', {
    meaning: 'Address the listener binds. On `0.0.0.0` or `::` a `base_url` is needed.',
  }),
  port: withDefault(integer(0, 65_535), 3000, { meaning: 'Port of the listener; 0 picks a free one.' }),
  keys: z.prefault(
    z.strictObject({
      master_key: optional(
        text(isKeyList, 'a list of id:base64(32 bytes), separated by commas or newlines'),
        {
          variable: 'GATEHOUSE_MASTER_KEY',
          isSecret: true,
          meaning:
            'List of `id:base64(32 bytes)`, separated by commas or newlines; the first encrypts, all decrypt.',
          default: 'none: the key file',
        },
      ),
      master_key_file: optional(path(), {
        variable: 'GATEHOUSE_MASTER_KEY_FILE',
        meaning: 'File with the same list, created with mode 0600 on first start.',
        default: '`<data_dir>/master.key`',
      }),
    }),
    {},
  ),
  log_level: withDefault(choice(['debug', 'info', 'warn', 'error']), 'info', {
    meaning: 'JSON lines on stderr from this level up. Secrets, links and bodies are never logged.',
  }),
  log_requests: withDefault(flag(), true, {
    meaning:
      'One line at `info` for each tool call and each other request: who, tool, account id, status, milliseconds.',
  }),
  docs: withDefault(flag(), true, {
    meaning: 'Show the REST API in a browser at `/docs`. `/openapi.json` is there either way.',
  }),
  metrics: z.prefault(
    z.strictObject({
      port: optional(integer(1, 65_535), {
        meaning:
          'Port of a second listener of `serve` with `/metrics` alone, without a token. Let only your monitoring reach it.',
        default: 'none',
      }),
      host: withDefault(text(isHost, 'an IP address or a host name'), '127.0.0.1', {
        meaning: 'Address that listener binds.',
      }),
    }),
    {},
  ),
  ...environmentShape,
  lifetimes: z.prefault(
    z.strictObject({
      token: withDefault(duration('1s', '30d'), '1h', {
        meaning: 'How long an access token to Gatehouse is valid.',
      }),
      link: withDefault(duration('1s', '30d'), '1h', { meaning: 'How long a link may be opened.' }),
      state: withDefault(duration('1s', '1d'), '10m', {
        meaning: 'How long a provider may take to send the browser back.',
      }),
      pending_verification: withDefault(duration('1s', '1d'), '10m', {
        meaning: 'How long new credentials wait for verification before they are erased.',
      }),
      session: withDefault(duration('1s', '90d'), '1h', { meaning: 'How long a person stays signed in.' }),
    }),
    {},
  ),
  refresh: z.prefault(
    z.strictObject({
      margin: withDefault(duration('0s', '1h'), '60s', {
        meaning: 'How long before its expiry a token is renewed; never over 10 % of its lifetime.',
      }),
      lease: withDefault(duration('100ms', '10m'), '10s', {
        meaning: 'How long a refresh by a process that died keeps others waiting.',
      }),
      deadline: withDefault(duration('100ms', '10m'), '60s', { meaning: 'How long one refresh may take.' }),
    }),
    {},
  ),
  outbound: z.prefault(
    z.strictObject({
      allow_private_hosts: optional(list(isHostPattern, 'a host, host:port or CIDR'), {
        variable: 'GATEHOUSE_ALLOW_PRIVATE_HOSTS',
        meaning:
          'Hosts, `host:port`s or CIDRs that outbound calls may reach although they are private; also permits `http:` to them. Printed at start.',
        default: 'none',
      }),
      ca_file: optional(path(), {
        variable: 'GATEHOUSE_CA_FILE',
        meaning: 'PEM file with further certificate authorities for outbound calls.',
        default: "the system's",
      }),
      connect_timeout: withDefault(duration('1ms', '55s'), '5s', {
        meaning: 'Provider calls: until connected.',
      }),
      headers_timeout: withDefault(duration('1ms', '55s'), '20s', {
        meaning: 'Provider calls: until the answer begins.',
      }),
      timeout: withDefault(duration('1ms', '55s'), '30s', {
        meaning: 'Provider calls: in all. A tool may declare more in the catalog, at most 55 s.',
      }),
      max_response_bytes: withDefault(size('1 kB', '1 GB'), '10 MB', {
        meaning: 'Longest answer of a provider, decoded.',
      }),
      connections_per_origin: withDefault(integer(1, 10_000), 64, {
        meaning:
          'Open connections of a process to one address, such as `https://api.example.com`. One account holds at most four fifths of them, so that the calls of others need not wait for it.',
      }),
    }),
    {},
  ),
  inbound: z.prefault(
    z.strictObject({
      max_body_bytes: withDefault(size('1 kB', '100 MB'), '1 MB', {
        meaning: 'Longest body of a request to Gatehouse.',
      }),
      max_connections: withDefault(integer(1, 1_000_000), 2048, {
        meaning: 'Open connections at the listener.',
      }),
      keep_alive: withDefault(duration('1s', '1h'), '65s', {
        meaning:
          'How long a connection may stay open between requests. Longer than the idle time of a load balancer in front.',
      }),
      drain_delay: withDefault(duration('0s', '10m'), '0s', {
        meaning:
          'After SIGTERM, how long `/readyz` answers 503 while everything else goes on, before the listener closes: the time in which a load balancer notices.',
      }),
    }),
    {},
  ),
  executions: z.prefault(
    z.strictObject({
      required: withDefault(flag(), false, {
        meaning:
          'Store the record of a call before the call is sent, and refuse the call if that fails. Costs a commit for each call.',
      }),
    }),
    {},
  ),
  mcp: z.prefault(
    z.strictObject({
      connectors: optional(names('the name of a connector'), {
        meaning: 'Publish tools of these connectors only.',
        default: 'those that are set up or have an account; all if there are none',
      }),
      toolsets: optional(names('a toolset such as websearch.search, or default, core or all'), {
        meaning:
          'Publish tools of these toolsets only. `default` stands for the everyday tools of each connector, `core` for the most needed of them, `all` for every tool.',
        default: 'all tools but the unlisted',
      }),
      tools: optional(names('the name of a tool'), { meaning: 'Publish these tools only.', default: 'all' }),
      read_only: withDefault(flag(), false, {
        meaning: 'Publish and run only tools that read. Wins over everything.',
      }),
      discovery: withDefault(switchOf(['off', 'on', 'auto', 'core'], { true: 'on', false: 'off' }), 'off', {
        meaning:
          'Publish tools that find, describe and run the others: `on` instead of these, `auto` only where their list has more than 20,000 tokens, `core` beside the most needed ones.',
      }),
      own_tools: withDefault(flag(), true, {
        meaning:
          'Publish `gatehouse_accounts` and `gatehouse_connect` with the toolsets `default`, `core` and `all`, with discovery, and where they are named.',
      }),
      max_result_bytes: withDefault(size('1 kB', '10 MB'), '32 kB', {
        meaning: 'Longer results are cut at a record boundary. More than 60 kB counts as 60 kB.',
      }),
      user_id: optional(owner(), {
        meaning: 'The user whose accounts a stdio session uses.',
        default: '`local`; with `mcp.organization_id` there is no user',
      }),
      organization_id: optional(owner(), {
        meaning: 'The organization whose accounts a stdio session uses, instead of a user.',
        default: 'none',
      }),
    }),
    {},
  ),
  retention: z.prefault(
    z.strictObject({
      executions: withDefault(duration('1h', '3650d'), '30d', {
        meaning: 'How long records of tool calls are kept.',
      }),
      summaries: withDefault(duration('1d', '3650d'), '400d', {
        meaning: 'How long the hourly sums of tool calls are kept.',
      }),
      interceptor_logs: withDefault(duration('1h', '3650d'), '30d', {
        meaning: 'How long records of interceptor calls are kept.',
      }),
      webhook_deliveries: withDefault(duration('1h', '3650d'), '7d', {
        meaning: 'How long records of deliveries are kept.',
      }),
    }),
    {},
  ),
  // A key with a dot, because `webhooks` is the list of webhooks.
  'webhooks.give_up_after': withDefault(duration('1s', '365d'), '3d', {
    meaning:
      'Age of an event after which it is not sent to a webhook again. In the file it is one key with a dot, at the top: `webhooks` is the list.',
  }),
  smtp: z.exactOptional(
    z.strictObject({
      url: required(text(/^smtps?:\/\/\S{1,2000}$/, 'an smtp:// or smtps:// URL'), {
        meaning: 'Mail server.',
        isSecret: true,
      }),
      from: required(text(isSender, 'an e-mail address, alone or as Name <address>'), {
        meaning: 'Sender of mails: an address, or `Name <address>`.',
      }),
    }),
  ),
  request_info: z.exactOptional(
    z.strictObject({
      trusted_proxies: optional(list(isCidr, 'a CIDR such as 10.0.0.0/8'), {
        meaning: 'Networks of proxies whose headers are trusted.',
        default: 'none',
      }),
      ip_header: optional(header(), { meaning: "Header with the caller's address.", default: 'none' }),
      region_header: optional(header(), { meaning: "Header with the caller's region.", default: 'none' }),
      city_header: optional(header(), { meaning: "Header with the caller's city.", default: 'none' }),
    }),
  ),
  catalog_dirs: optional(list(ONE_LINE, 'the path of a folder'), {
    meaning: 'Folders of your own catalog files, in addition to the shipped ones.',
    default: 'only the shipped `catalogs/`',
  }),
  environments: z
    .exactOptional(z.array(environmentSchema))
    .check(z.describe('Environments in addition to `development`, which is the top level of the file.')),
});

/** The file after parsing: defaults filled in, durations in milliseconds, sizes in bytes. */
export type FileSettings = z.output<typeof fileSchema>;
