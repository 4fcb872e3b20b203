/** `gatehouse init --client`: the files and forms of docs/clients.md, and what happens to a file that is there. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyFolder, fakeAdmin, gatehouse, type CommandResult } from '../cli-support.ts';

const made = { created: true, clientId: 'gh_1', clientSecret: 'hush' };
const { openAdmin } = fakeAdmin({ credentials: { ensureFirst: async () => made } });

let folder: string;
let settingsFile: string;

beforeEach(() => {
  folder = emptyFolder();
  settingsFile = join(folder, 'work/gatehouse.yaml');
});

async function init(
  flags: readonly string[],
  terminal: { platform?: NodeJS.Platform; env?: Record<string, string> } = {},
): Promise<CommandResult> {
  return gatehouse(['init', '--client', ...flags], { app: { openAdmin }, folder, terminal });
}

/** Writes a file of a client below the home folder, and returns its path. */
function given(path: string, text: string): string {
  const file = join(folder, 'home', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const start = () => ({
  command: '/opt/node',
  args: ['/opt/gatehouse/bin/gatehouse.js', 'mcp', '--config', settingsFile],
});

describe('client', () => {
  it.each([
    ['claude-desktop', 'linux', '.config/Claude/claude_desktop_config.json', 'mcpServers', {}],
    [
      'claude-desktop',
      'darwin',
      'Library/Application Support/Claude/claude_desktop_config.json',
      'mcpServers',
      {},
    ],
    ['claude-code', 'linux', '.claude.json', 'mcpServers', { type: 'stdio' }],
    ['cursor', 'linux', '.cursor/mcp.json', 'mcpServers', {}],
    ['vscode', 'linux', '.config/Code/User/mcp.json', 'servers', { type: 'stdio' }],
    ['vscode', 'darwin', 'Library/Application Support/Code/User/mcp.json', 'servers', { type: 'stdio' }],
    ['zed', 'linux', '.config/zed/settings.json', 'context_servers', {}],
    ['zed', 'darwin', '.config/zed/settings.json', 'context_servers', {}],
    ['inspector', 'linux', '.mcp-inspector/mcp.json', 'mcpServers', { type: 'stdio' }],
  ] as const)('%s on %s gets its entry in %s', async (name, platform, path, section, form) => {
    const { code } = await init([name, '--write'], { platform });
    expect(code).toBe(0);
    const file = join(folder, 'home', path);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      [section]: { gatehouse: { ...form, ...start() } },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  it('codex gets a table in its file, which may be elsewhere', async () => {
    await init(['codex', '--write'], { env: { CODEX_HOME: join(folder, 'elsewhere') } });
    expect(readFileSync(join(folder, 'elsewhere/config.toml'), 'utf8')).toBe(`[mcp_servers.gatehouse]
command = "/opt/node"
args = [ "/opt/gatehouse/bin/gatehouse.js", "mcp", "--config", "${settingsFile}" ]
`);
  });

  it('prints the same text without touching a file', async () => {
    const { stdout, stderr } = await init(['vscode']);
    expect(JSON.parse(stdout)).toEqual({ servers: { gatehouse: { type: 'stdio', ...start() } } });
    expect(stderr).toContain(join(folder, 'home/.config/Code/User/mcp.json'));
    expect(readdirSync(join(folder, 'home'))).toEqual([]);
  });

  it('keeps comments, order, other servers and members of its own entry, and a copy of the file', async () => {
    const text = `// mine
{
\t"theme": "One", // light
\t"context_servers": {
\t\t/* theirs */
\t\t"other": { "command": "x" },
\t\t"gatehouse": {
\t\t\t// moved
\t\t\t"command": "/old/node",
\t\t\t"env": { "A": "1" },
\t\t},
\t},
}
`;
    const file = given('.config/zed/settings.json', text);
    chmodSync(file, 0o640);
    const { stdout } = await init(['zed', '--write']);
    const after = readFileSync(file, 'utf8');
    for (const kept of [
      '// mine\n',
      '"theme": "One", // light\n',
      '/* theirs */',
      '"x"',
      '// moved',
      '"A": "1"',
    ])
      expect(after).toContain(kept);
    expect(after).toContain('\t\t\t"command": "/opt/node",');
    expect(after).not.toContain('/old/node');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const [, backup = ''] = /as it was: (.*)\n/.exec(stdout) ?? [];
    expect(readFileSync(backup, 'utf8')).toBe(text);
    expect((await init(['zed', '--write'])).stdout).toContain('has this entry already');
    expect(readFileSync(file, 'utf8')).toBe(after);
  });

  it('replaces its own table of a TOML file and leaves all others alone', async () => {
    const file = given(
      '.codex/config.toml',
      `model = "o" # best

[mcp_servers.gatehouse]
command = "/old/node"
args = [
  "[odd]",
]
startup_timeout_sec = 20

[mcp_servers.gatehouse.env]
A = "1"

# theirs
[mcp_servers.other]
command = "x"
`,
    );
    await init(['codex', '--write']);
    expect(readFileSync(file, 'utf8')).toBe(`model = "o" # best

[mcp_servers.gatehouse]
command = "/opt/node"
args = [ "/opt/gatehouse/bin/gatehouse.js", "mcp", "--config", "${settingsFile}" ]
startup_timeout_sec = 20

[mcp_servers.gatehouse.env]
A = "1"

# theirs
[mcp_servers.other]
command = "x"
`);
  });

  it.each([
    ['cursor', '.cursor/mcp.json', '{"mcpServers": {', 'is not valid JSON (line 1)'],
    ['cursor', '.cursor/mcp.json', '{"mcpServers": []}', 'has something other than an object at mcpServers'],
    ['cursor', '.cursor/mcp.json', '[]', 'holds something other than a JSON object'],
    ['codex', '.codex/config.toml', 'model = ', 'is not valid TOML (line 1)'],
    [
      'codex',
      '.codex/config.toml',
      'mcp_servers = {}\n',
      'has mcp_servers in a form that cannot be changed safely',
    ],
  ])('%s: changes nothing where %s is %j, and prints what to paste', async (name, path, text, reason) => {
    const file = given(path, text);
    const { code, stderr } = await init([name, '--write']);
    expect(code).toBe(1);
    expect(stderr).toContain(`${file} ${reason}, so nothing was changed. Correct it, or add this by hand:\n`);
    expect(stderr).toContain('/opt/gatehouse/bin/gatehouse.js');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  it('replaces the file behind a link, and keeps the link', async () => {
    const file = given('dotfiles/mcp.json', '{}\n');
    mkdirSync(join(folder, 'home/.cursor'));
    symlinkSync(file, join(folder, 'home/.cursor/mcp.json'));
    await init(['cursor', '--write']);
    expect(readFileSync(file, 'utf8')).toContain('"gatehouse"');
    expect(readdirSync(join(folder, 'home/.cursor'), { withFileTypes: true })[0]?.isSymbolicLink()).toBe(
      true,
    );
  });

  it('starts Gatehouse with settings that are there, and makes them only where there are none', async () => {
    writeFileSync(settingsFile, 'port: 3100\n');
    expect((await init(['cursor'])).code).toBe(0);
    expect(readFileSync(settingsFile, 'utf8')).toBe('port: 3100\n');
    expect(existsSync(join(folder, 'work/data'))).toBe(false);
  });

  it.each([
    [
      ['emacs'],
      'there is no "emacs". Known: claude-desktop, claude-code, cursor, vscode, codex, zed, inspector.',
    ],
  ])('refuses %j with what there is', async (flags, reason) => {
    expect(await init(flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });

  it('asks whose file to write', async () => {
    expect(await gatehouse(['init', '--write'], { folder })).toMatchObject({
      code: 2,
      stderr: 'gatehouse: --write needs --client, which says whose file to change.\n',
    });
  });
});
