import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { codeSamples } from '../../src/dashboard/pages/tools/code-samples.ts';

const call = {
  baseUrl: 'https://gate.example',
  toolName: 'library_add_book',
  accountId: 'ca_1',
  input: { title: `It's a "test" with $HOME, \`date\`\nand ünïcode` },
};

const body = {
  tool_name: 'library_add_book',
  connected_account_id: 'ca_1',
  tool_input: call.input,
};

describe('dashboard: code samples of a tool call', () => {
  it('give curl the body unchanged, whatever characters it has', () => {
    const { curl } = codeSamples(call);
    const script = `curl() { shift 6; printf %s "$1"; }\nTOKEN=t\n${curl}`;
    const { stdout, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect([status, JSON.parse(stdout)]).toEqual([0, body]);
  });

  it('give TypeScript the body as JSON', () => {
    const { typescript } = codeSamples(call);
    const inTypeScript = /JSON\.stringify\((\{[^]*\})\),\n\}\);/.exec(typescript)?.[1] ?? '';
    expect(JSON.parse(inTypeScript)).toEqual(body);
  });

  it('write the values of JSON as Python does', () => {
    const input = { deep: true, none: null, list: [1, false], empty: {}, text: 'true "x"\n' };
    const { python } = codeSamples({ ...call, input });
    expect(python.slice(python.indexOf('call = '), python.indexOf('request = '))).toBe(`call = {
    "tool_name": "library_add_book",
    "connected_account_id": "ca_1",
    "tool_input": {
        "deep": True,
        "none": None,
        "list": [
            1,
            False,
        ],
        "empty": {},
        "text": "true \\"x\\"\\n",
    },
}
`);
  });

  it('show the message of MCP with name and arguments', () => {
    const message = codeSamples(call).mcp.split('\n\n').slice(1).join('\n\n');
    expect(JSON.parse(message)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'library_add_book', arguments: call.input },
    });
  });
});
