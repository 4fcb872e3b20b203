/** A desktop client of the real program, one JSON line at a time. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { toolResultOf, type RpcMessage, type ToolResult } from './messages.ts';
import { PROGRAM, type Project } from './real-processes.ts';

export class StdioSession {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything the server wrote to stdout. */
  readonly lines: string[] = [];
  readonly #waiting = new Map<number, (message: RpcMessage) => void>();
  #lastId = 0;

  constructor(project: Project) {
    this.child = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd: project.dir, env: project.env });
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.lines.push(line);
      const message = JSON.parse(line) as RpcMessage;
      if (typeof message.id === 'number') this.#waiting.get(message.id)?.(message);
    });
  }

  async request(method: string, params: Record<string, unknown>): Promise<RpcMessage> {
    const id = ++this.#lastId;
    const answer = new Promise<RpcMessage>((resolve) => this.#waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  async open(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'desktop', version: '1' },
    });
  }

  async search(query: string): Promise<ToolResult> {
    return toolResultOf(await this.request('tools/call', { name: 'websearch_search', arguments: { query } }));
  }

  /** Ends the input and resolves with the exit code. */
  async leave(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    const gone = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    this.child.stdin.end();
    return gone;
  }
}
