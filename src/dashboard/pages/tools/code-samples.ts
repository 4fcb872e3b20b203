/** Code samples that make the same call from other programs. Pure. */

/** The languages, in the order of their tabs. */
export const LANGUAGES = ['curl', 'typescript', 'python', 'mcp'] as const;

/** Name of a language. */
export type Language = (typeof LANGUAGES)[number];

/** A call as the samples show it. */
export interface SampleCall {
  /** Base URL of the environment. */
  baseUrl: string;
  toolName: string;
  /** '' if none is chosen yet. */
  accountId: string;
  input: Readonly<Record<string, unknown>>;
}

/** The code of each language; TOKEN stands for the caller's own secret. */
export function codeSamples({ baseUrl, toolName, accountId, input }: SampleCall): Record<Language, string> {
  const body = { tool_name: toolName, connected_account_id: accountId || 'ca_…', tool_input: input };
  const url = `${baseUrl}/api/v1/execute_tool`;
  const json = JSON.stringify(body, null, 2);
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: toolName, arguments: input },
  };
  return {
    curl: `curl ${shellText(url)} \\
  -H "Authorization: Bearer $TOKEN" -H "content-type: application/json" \\
  -d ${shellText(json)}`,
    typescript: `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.TOKEN}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indented(json, '  ')}),
});
const { data } = await response.json();`,
    python: `import json, os, urllib.request

call = ${pythonLiteral(body)}
request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps(call).encode(),
    headers={
        "authorization": f"Bearer {os.environ['TOKEN']}",
        "content-type": "application/json",
    },
)
data = json.load(urllib.request.urlopen(request))["data"]`,
    mcp: `POST ${baseUrl}/mcp
Authorization: Bearer $TOKEN

${JSON.stringify(message, null, 2)}`,
  };
}

/** A text in single quotes. A shell changes nothing in it, except that a single quote ends it. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A JSON value as Python code. JSON strings are valid Python strings. */
function pythonLiteral(value: unknown, by = ''): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${by}    `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`);
  if (members.length === 0) return `${open}${close}`;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${by}${close}`;
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}
