/**
 * MCP requests from a seed: most are usual, many are strange in one or two respects. As texts, because JSON has
 * members that an object cannot hold (`__proto__`, one name twice) and numbers that it changes.
 */
import { Dice } from '../process/fuzz/bad-request.ts';

/** A POST to an MCP endpoint. Header names may repeat. */
export interface StrangeRequest {
  headers: [string, string][];
  body: string;
}

/** Members of a JSON object: name and text of the value. */
type Members = [string, string][];

const ACCEPT = 'application/json, text/event-stream';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const INFO_KEY = 'io.modelcontextprotocol/clientInfo';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
const TASK_KEY = 'io.modelcontextprotocol/related-task';

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
const STRANGE_VERSIONS = ['2026-07-28', '2024-01-01', '2025-11-25, 2025-11-25', '', '2026', '2025-11-25\t;'];
const STRANGE_ACCEPTS = [
  'application/json;q=0, text/event-stream;q=0',
  'application/jsonp, text/event-streams',
  'APPLICATION/JSON, TEXT/EVENT-STREAM',
  'application/json',
  'text/event-stream',
  'application/*, text/*',
  '*/*',
  '',
];
const STRANGE_TYPES = [
  'application/json; charset=utf-8',
  'application/json;',
  'application/json; charset=',
  'application/json, text/plain',
  'Application/JSON',
  ' application/json ',
  'application/jsonx;application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  '',
];

/** Values of every kind, some of which no member takes. */
const ANYTHING = [
  'null',
  'true',
  '0',
  '-0',
  '1.5',
  '1e400',
  '9007199254740993',
  '123456789012345678901234567890',
  '""',
  '"a"',
  '"\\ud800"',
  '"\\u0000"',
  '"Größe 大きさ 🙂"',
  '[]',
  '{}',
  '{"a":1}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
];
const STRANGE_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'extra',
  'then',
  'toJSON',
  '',
];
const QUERIES = [
  '"a"',
  '"a"',
  '"refuse"',
  '"connect"',
  '"crash"',
  '"large"',
  '"Größe 大きさ 🙂"',
  '"\\ud800"',
];
const TOOLS = [
  'web_search',
  'web_search',
  'web_search',
  'crm_list_people',
  'crm_create_task',
  'mail_list_messages',
];
const USUAL_METHODS = [...Array<string>(5).fill('tools/call'), 'tools/list', 'ping', 'initialize'];
const METHODS = [
  'prompts/list',
  'resources/read',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
  'tasks/get',
  'notifications/initialized',
  'notifications/cancelled',
  'elicitation/create',
  'tools/Call',
  ...STRANGE_NAMES,
];

/** The first `count` requests of a seed. */
export function strangeRequests(seed: number, count: number): StrangeRequest[] {
  const maker = new Maker(seed);
  return Array.from({ length: count }, () => maker.request());
}

class Maker {
  readonly #dice: Dice;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
  }

  request(): StrangeRequest {
    const version = this.#oneIn(8) ? this.#dice.pick(STRANGE_VERSIONS) : this.#dice.pick(VERSIONS);
    const headers: [string, string][] = [
      ['accept', this.#oneIn(12) ? this.#dice.pick(STRANGE_ACCEPTS) : ACCEPT],
      ['content-type', this.#oneIn(12) ? this.#dice.pick(STRANGE_TYPES) : 'application/json'],
    ];
    if (!this.#oneIn(5)) headers.push(['mcp-protocol-version', version]);
    if (this.#oneIn(30)) headers.push(['mcp-protocol-version', this.#dice.pick(VERSIONS)]);
    if (this.#oneIn(30)) headers.push(['accept', this.#dice.pick(STRANGE_ACCEPTS)]);
    if (this.#oneIn(4)) headers.push(['mcp-method', this.#dice.pick(['tools/call', 'tools/list', 'x'])]);
    if (this.#oneIn(4)) headers.push(['mcp-name', this.#dice.pick([...TOOLS, 'x', '=?base64?!?='])]);
    if (this.#oneIn(10)) headers.push(['mcp-session-id', 'session']);
    if (this.#oneIn(20)) headers.splice(this.#dice.below(headers.length), 1);
    return { headers, body: this.#body() };
  }

  #body(): string {
    if (this.#oneIn(40)) return this.#dice.pick(ANYTHING);
    if (this.#oneIn(40))
      return this.#dice.pick(['', '{', '{"jsonrpc":"2.0","id":1,"method":"ping"}}', 'NaN']);
    if (!this.#oneIn(25)) return this.#message();
    return `[${Array.from({ length: this.#dice.below(4) }, () => this.#message()).join()}]`;
  }

  #message(): string {
    const method = this.#method();
    const members: Members = [
      ['jsonrpc', this.#oneIn(40) ? this.#dice.pick(['"1.0"', '2.0', 'null', '""']) : '"2.0"'],
      ['id', this.#oneIn(12) ? this.#dice.pick(ANYTHING) : this.#dice.pick(['1', '7', '"a"'])],
      ['method', this.#oneIn(60) ? this.#dice.pick(ANYTHING) : JSON.stringify(method)],
    ];
    if (this.#oneIn(25)) members.splice(1, 1);
    if (method === 'tools/call' || method === 'initialize' || !this.#oneIn(3)) {
      members.push(['params', this.#oneIn(25) ? this.#dice.pick(ANYTHING) : this.#params(method)]);
    }
    if (this.#oneIn(30)) members.push(this.#strangeMember());
    if (this.#oneIn(25)) members.push([this.#dice.pick(['result', 'error']), this.#outcome()]);
    if (this.#oneIn(40)) members.push(['id', this.#dice.pick(ANYTHING)]);
    if (this.#oneIn(10)) members.reverse();
    return written(members);
  }

  #method(): string {
    if (this.#oneIn(8)) return this.#dice.pick(METHODS);
    return this.#dice.pick(USUAL_METHODS);
  }

  #params(method: string): string {
    const members: Members = [];
    if (method === 'tools/call') members.push(...this.#call());
    if (method === 'initialize') members.push(...this.#handshake());
    if (this.#oneIn(12)) members.push(['cursor', this.#dice.pick(ANYTHING)]);
    if (this.#oneIn(12))
      members.push([this.#dice.pick(['requestState', 'inputResponses', 'task']), this.#dice.pick(ANYTHING)]);
    if (this.#oneIn(12)) members.push(this.#strangeMember());
    if (this.#oneIn(3))
      members.push(['_meta', this.#oneIn(8) ? this.#dice.pick(ANYTHING) : written(this.#meta())]);
    if (this.#oneIn(40))
      members.push(['__proto__', written([['_meta', written(this.#meta())], ...this.#call()])]);
    return written(members);
  }

  #call(): Members {
    const members: Members = [
      ['name', this.#oneIn(12) ? this.#name() : JSON.stringify(this.#dice.pick(TOOLS))],
      ['arguments', this.#oneIn(12) ? this.#dice.pick(ANYTHING) : written(this.#input())],
    ];
    if (this.#oneIn(12)) members.splice(this.#dice.below(2), 1);
    return members;
  }

  #name(): string {
    return this.#oneIn(2) ? this.#dice.pick(ANYTHING) : JSON.stringify(this.#dice.pick(STRANGE_NAMES));
  }

  #input(): Members {
    const members: Members = [['query', this.#dice.pick(QUERIES)]];
    if (this.#oneIn(5)) members.push(['account', this.#dice.pick(ANYTHING)]);
    if (this.#oneIn(5)) members.push(this.#strangeMember());
    if (this.#oneIn(20)) members.push(['deep', `${'['.repeat(60)}1${']'.repeat(60)}`]);
    return members;
  }

  #handshake(): Members {
    const members: Members = [
      ['protocolVersion', this.#oneIn(6) ? this.#dice.pick(ANYTHING) : JSON.stringify(this.#version())],
      ['capabilities', this.#oneIn(6) ? this.#dice.pick(ANYTHING) : '{"elicitation":{"url":{}}}'],
      ['clientInfo', this.#oneIn(6) ? this.#dice.pick(ANYTHING) : '{"name":"a","version":"1"}'],
    ];
    if (this.#oneIn(12)) members.splice(this.#dice.below(3), 1);
    return members;
  }

  #version(): string {
    return this.#dice.pick([...VERSIONS, ...STRANGE_VERSIONS]);
  }

  #meta(): Members {
    const members: Members = [];
    if (this.#oneIn(3)) members.push(['progressToken', this.#dice.pick([...ANYTHING, '0', '7', '"seven"'])]);
    if (this.#oneIn(3)) members.push(...this.#envelope());
    if (this.#oneIn(4)) members.push(this.#strangeMember());
    if (this.#oneIn(6)) members.push([TASK_KEY, this.#dice.pick([...ANYTHING, '{"taskId":"a"}'])]);
    if (this.#oneIn(6))
      members.push(['__proto__', this.#dice.pick(['{"progressToken":1}', written(this.#envelope())])]);
    return members;
  }

  #envelope(): Members {
    const version = this.#oneIn(3) ? this.#version() : '2026-07-28';
    const whole: Members = [
      [VERSION_KEY, this.#oneIn(8) ? this.#dice.pick(ANYTHING) : JSON.stringify(version)],
      [CAPABILITIES_KEY, this.#oneIn(8) ? this.#dice.pick(ANYTHING) : '{}'],
      [INFO_KEY, this.#oneIn(8) ? this.#dice.pick(ANYTHING) : '{"name":"a","version":"1"}'],
    ];
    if (this.#oneIn(3)) whole.push([LOG_LEVEL_KEY, this.#dice.pick([...ANYTHING, '"debug"'])]);
    if (this.#oneIn(2)) whole.splice(this.#dice.below(whole.length), 1);
    return whole;
  }

  #strangeMember(): [string, string] {
    return [this.#dice.pick(STRANGE_NAMES), this.#dice.pick(ANYTHING)];
  }

  #outcome(): string {
    return this.#dice.pick([...ANYTHING, '{"code":1,"message":"a"}']);
  }

  #oneIn(chances: number): boolean {
    return this.#dice.below(chances) === 0;
  }
}

function written(members: Members): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}
