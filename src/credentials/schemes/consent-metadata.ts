/**
 * Values of an account that its provider states while it is connected: in the token reply, in the callback, or in
 * the answer to a first request (`metadata` of an OAUTH entry). They are stored in api_config, where they fill
 * placeholders.
 */
import { completeValue, neededPlaceholders, pathOf } from '../../connections/placeholders.ts';
import type { AuthOf, OAuthRules } from '../../catalog/model/types.ts';
import { isList, valueAt } from '../../core/json.ts';
import { parseJsonAnswer, UnreadableAnswer } from '../../outbound/json-answer.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { ConsentSubject } from './consent-step.ts';
import type { SchemeServices } from './renewal.ts';
import type { Attachment } from './scheme.ts';

/** Time for the first request, while somebody waits for the page. */
const TIMEOUT_MS = 15_000;

/** Largest answer; the answer of a cheap read is far smaller. */
const MAX_ANSWER_BYTES = 1_000_000;

/** Longest value that is kept, in characters. */
const MAX_CHARACTERS = 255;

/** Most entries that a message lists. */
const MAX_NAMED = 10;

/** Values, by their names in the catalog. */
type Values = Readonly<Record<string, string>>;

/**
 * The provider does not state a value that an account needs, or its answer is about several accounts.
 *
 * `choices`: the possible values, in the provider's words; empty if it names none.
 */
export class MetadataFailure extends Error {
  override readonly name = 'MetadataFailure';
  readonly choices: readonly string[];

  constructor(message: string, choices: readonly string[] = [], cause?: unknown) {
    super(message, { cause });
    this.choices = choices;
  }
}

/** Facts that the provider has stated by the end of a consent. */
interface Said {
  /** Members of the token reply, by their dotted paths. */
  token: Values | undefined;
  callback: URLSearchParams;
  /** The new credential, for the first request. */
  attachment: Attachment;
}

/**
 * The values that the rules name. Those that fill a placeholder are required, in the connector's form.
 *
 * @throws MetadataFailure
 */
export async function readMetadata(
  subject: ConsentSubject<AuthOf<'OAUTH'>>,
  { token = {}, callback, attachment }: Said,
  http: SchemeServices['http'],
): Promise<Values> {
  const { metadata } = subject.auth.oauth;
  if (metadata === undefined) return {};
  const { request } = metadata;
  const found = new Map<string, unknown>();
  for (const [name, path] of Object.entries(metadata.token ?? {})) found.set(name, token[path]);
  for (const [name, parameter] of Object.entries(metadata.callback ?? {})) {
    const [value, ...others] = callback.getAll(parameter);
    found.set(name, others.length > 0 ? undefined : value);
  }
  if (request !== undefined) {
    const record = onlyRecord(request, await answerTo(subject, request, attachment, http), subject);
    for (const [name, path] of Object.entries(request.values)) found.set(name, valueIn(record, path));
  }
  return completeValues(subject, found);
}

type FirstRequest = NonNullable<NonNullable<OAuthRules['metadata']>['request']>;

async function answerTo(
  { connection, fill }: ConsentSubject,
  request: FirstRequest,
  attachment: Attachment,
  http: SchemeServices['http'],
): Promise<unknown> {
  const written = new URL(fill(request.url));
  const { base_url: base } = connection.overrides;
  const url = base === undefined ? written : new URL(pathOf(written.href), base);
  for (const [name, value] of attachment.query) url.searchParams.append(name, value);
  try {
    const { status, body } = await http.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json', ...request.headers, ...attachment.headers },
      headersTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    if (status !== 200) throw new MetadataFailure(`The first request was answered ${status}.`);
    return parseJsonAnswer(body.toString('utf8'));
  } catch (cause) {
    if (!(cause instanceof OutboundFailure) && !(cause instanceof UnreadableAnswer)) throw cause;
    throw new MetadataFailure('The first request got no usable answer.', [], cause);
  }
}

/** The entry about the account; of several, the one that the account already uses. @throws MetadataFailure */
function onlyRecord(
  { list, where = {}, values }: FirstRequest,
  answer: unknown,
  { apiConfig }: ConsentSubject,
): unknown {
  if (list === undefined) return answer;
  const entries = list === '.' ? answer : valueIn(answer, list);
  const fitting = (isList(entries) ? entries : []).filter((entry) =>
    Object.entries(where).every(([path, value]) => valueIn(entry, path) === value),
  );
  if (fitting.length <= 1) return fitting[0];
  const known = fitting.filter((entry) =>
    Object.entries(values).every(
      ([name, path]) => !Object.hasOwn(apiConfig, name) || textOf(valueIn(entry, path)) === apiConfig[name],
    ),
  );
  if (known.length === 1) return known[0];
  const choices = fitting.slice(0, MAX_NAMED).map((entry) =>
    Object.entries(values)
      .map(([name, path]) => `${name} ${textOf(valueIn(entry, path)) ?? '?'}`)
      .join(', '),
  );
  throw new MetadataFailure(`The consent is for ${fitting.length} entries at once.`, choices);
}

function completeValues(
  { connector, auth, connection }: ConsentSubject,
  found: ReadonlyMap<string, unknown>,
): Values {
  const { overrides } = connection;
  const [, ...others] = overrides.base_url === undefined ? connector.hosts : [];
  const needed = Object.assign(
    neededPlaceholders(connector, auth, overrides),
    ...others.map(({ placeholders }) => placeholders),
  ) as Readonly<Record<string, string>>;
  const out: Record<string, string> = {};
  for (const [name, value] of found) {
    const text = textOf(value);
    const pattern = needed[name];
    if (pattern === undefined) {
      if (text !== undefined && text.length <= MAX_CHARACTERS) out[name] = text;
      continue;
    }
    const whole = completeValue(text, pattern, connector.settings?.[name]);
    if (whole === undefined)
      throw new MetadataFailure(`The provider says no ${name} in the form ${pattern}.`);
    out[name] = whole;
  }
  return out;
}

function valueIn(value: unknown, path: string): unknown {
  return valueAt(value, ...path.split('.'));
}

/** A text or number. For an https address its host, because placeholders stand for hosts. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  if (!text.startsWith('https://') || !URL.canParse(text)) return text;
  const { host, username, password } = new URL(text);
  return username === '' && password === '' ? host : undefined;
}
