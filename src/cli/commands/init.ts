/**
 * `gatehouse init`: writes gatehouse.yaml, makes data folder, keys and API credential, and shows how clients connect.
 * With `--client` it keeps a settings file that is there, and prints or writes the entry for one client.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { resolveBaseUrl, SettingsError, type Settings } from '../../settings/settings.ts';
import { writeEntry } from '../clients/client-file.ts';
import { CLIENTS, serverEntry, type McpClient } from '../clients/clients.ts';
import { entryText } from '../clients/merge-entry.ts';
import { ask } from '../terminal/ask.ts';
import { CommandFailed, UsageError } from '../terminal/failure.ts';
import { command } from '../terminal/command.ts';
import {
  commandLog,
  readSettings,
  type CommonOptions,
  type OptionSpecs,
  type OptionValues,
} from '../terminal/options.ts';
import { handOverCredential } from '../terminal/first-credential.ts';
import type { Output } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

const OPTIONS = {
  '--client <name>': {
    about: `print the entry for one client (${Object.keys(CLIENTS).join(', ')}); keeps settings that are there`,
    parse: knownClient,
  },
  '--write': 'with --client: merge the entry into the file of the client, which is backed up first',
  '--config <file>': { about: 'where to write the settings', fallback: 'gatehouse.yaml' },
  '--environment <name>': { about: 'the environment of the first credential', fallback: 'development' },
  '--force': 'replace an existing file',
  '--port <number>': 'port of the listener',
  '--data-dir <folder>': 'folder of the database and the key file, from the folder of the settings file',
  '--base-url <origin>': 'public address; without one only programs on this machine can connect',
  '--user-verify-url <url>': 'page of your app that confirms accounts',
} satisfies OptionSpecs;

type InitOptions = OptionValues<typeof OPTIONS> & CommonOptions;

/** The command `init`. */
export const initCommand = command({
  name: 'init',
  description:
    'Writes gatehouse.yaml and makes the data folder, the key file and the first API credential. Prints the snippet for desktop clients ' +
    'and the URL for remote ones. Asks on a terminal; elsewhere the flags and defaults decide.',
  options: OPTIONS,
  example: [
    'gatehouse init --config ~/gatehouse/gatehouse.yaml --port 3100',
    'gatehouse init --client claude-desktop --write',
  ],
  run: async ({ terminal, options, out }) => init(terminal, options, out),
});

async function init(terminal: Terminal, options: InitOptions, out: Output): Promise<void> {
  const path = resolve(terminal.cwd, options.config);
  const { client } = options;
  if (options.write === true && client === undefined)
    throw new UsageError('--write needs --client, which says whose file to change.');
  if (client !== undefined && existsSync(path) && options.force !== true) {
    readSettings(terminal, { ...options, config: path });
    out.say(`The settings in ${path} are used as they are; --force replaces them.`);
    return showClient(terminal, out, options, client, path);
  }
  if (existsSync(path) && statSync(path).isDirectory())
    throw new CommandFailed(`${path} is a folder. Name a file with --config.`);
  if (existsSync(path) && options.force !== true)
    throw new CommandFailed(
      `${path} exists already. Use --force to replace it, or --config to write elsewhere.`,
    );
  const { settings, environment } = writeSettings(terminal, path, options, await askAll(terminal, options));
  const first = await withProgress(terminal, 'Making data folder, keys and database', async () => {
    const admin = await terminal.app.openAdmin({ settings, log: commandLog(settings) });
    try {
      return await admin.credentials.ensureFirst(await admin.environmentId(environment.name), environment);
    } finally {
      await admin.close();
    }
  });
  const { clientId, clientSecret } = first;
  if (clientSecret !== undefined)
    handOverCredential(terminal, settings.dataDir, { environment: environment.name, clientId, clientSecret });
  if (client !== undefined) return showClient(terminal, out, options, client, path);
  show(terminal, out, { path, settings, baseUrl: resolveBaseUrl(settings, environment, settings.port) });
}

/** Prints the entry of one client, or writes it. */
function showClient(
  terminal: Terminal,
  out: Output,
  { write }: InitOptions,
  client: McpClient,
  settingsFile: string,
): void {
  warnOfTemporaryProgram(terminal, out);
  const file = client.file(terminal);
  const entry = serverEntry(client, terminal, settingsFile);
  const written = write === true ? writeEntry(file, client, entry, new Date()) : undefined;
  if (out.isJson)
    return out.json({
      file,
      section: client.section,
      entry,
      written: written?.isChanged ?? false,
      backup: written?.backup ?? null,
    });
  if (written === undefined) {
    out.say(`For ${client.title}, in ${file} (--write puts it there):\n`);
    return out.print(entryText(client, entry).trimEnd());
  }
  if (!written.isChanged) return out.print(`${file} has this entry already.`);
  out.print(`Wrote the entry to ${file}.`);
  if (written.backup !== undefined) out.print(`The file as it was: ${written.backup}`);
  out.print(client.afterwards);
}

function knownClient(name: string): McpClient {
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client === undefined)
    throw new UsageError(`--client: there is no "${name}". Known: ${Object.keys(CLIENTS).join(', ')}.`);
  return client;
}

async function askAll(terminal: Terminal, options: InitOptions): Promise<InitAnswers> {
  const { dataDir = './data' } = options;
  const problem = options.port === undefined ? undefined : portProblem(options.port);
  if (problem !== undefined) throw new UsageError(`--port: ${problem}`);
  const port =
    options.port ??
    (await ask(terminal, { message: 'Port on this machine', fallback: '3000', problem: portProblem }));
  const baseUrl =
    options.baseUrl ??
    (await ask(terminal, {
      message: 'Public address, such as https://gate.example.test (empty: this machine only)',
      fallback: '',
      problem: originProblem,
    }));
  const userVerifyUrl =
    options.userVerifyUrl ??
    (baseUrl === ''
      ? ''
      : await ask(terminal, {
          message: 'Page of your app that confirms accounts (empty: each link brings its own)',
          fallback: '',
          problem: urlProblem,
        }));
  return { dataDir, port, baseUrl, userVerifyUrl };
}

/** Writes the file only if it can be loaded: a faulty answer leaves no file behind. */
function writeSettings(
  terminal: Terminal,
  path: string,
  options: InitOptions,
  answers: InitAnswers,
): ReturnType<typeof readSettings> {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.new`;
  writeFileSync(draft, settingsText(answers, schemaPath(terminal)), { mode: 0o600 });
  try {
    readSettings(terminal, { ...options, config: draft });
  } catch (error) {
    rmSync(draft);
    if (!(error instanceof SettingsError)) throw error;
    throw new UsageError(error.problems.map(({ key, message }) => `${key}: ${message}`).join('\n'));
  }
  renameSync(draft, path);
  return readSettings(terminal, { ...options, config: path });
}

function show(
  terminal: Terminal,
  out: Output,
  { path, settings, baseUrl }: { path: string; settings: Settings; baseUrl: string },
): void {
  const snippet = {
    mcpServers: {
      gatehouse: { command: terminal.nodePath, args: [terminal.programPath, 'mcp', '--config', path] },
    },
  };
  const mcpUrl = `${baseUrl}/mcp`;
  if (out.isJson)
    return out.json({
      config_file: path,
      data_dir: settings.dataDir,
      mcp_url: mcpUrl,
      desktop_client: snippet,
    });
  out.say(`Wrote ${path}; data and keys are in ${settings.dataDir}.`);
  warnOfTemporaryProgram(terminal, out);
  out.print('Desktop clients (stdio): add this to their MCP settings.\n');
  out.json(snippet);
  const serve = [terminal.nodePath, terminal.programPath, 'serve', '--config', path].map(inShell).join(' ');
  out.print(`\nRemote clients (HTTP), while this runs: ${serve}\n\n${mcpUrl}`);
}

function warnOfTemporaryProgram({ programPath }: Terminal, out: Output): void {
  if (programPath.includes('/_npx/'))
    out.say(
      'This program lies in the cache of npx, which may be emptied. Run init again with a program that stays, such as that of a checkout.',
    );
}

/** A word of a command as a shell takes it. A checkout has no command `gatehouse`, so paths are printed whole. */
function inShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The JSON Schema for editors, in the folder above the program's. */
function schemaPath({ programPath }: Terminal): string {
  return join(dirname(dirname(programPath)), 'gatehouse.schema.json');
}

function portProblem(answer: string): string | undefined {
  return /^[1-9]\d{0,4}$/.test(answer) && Number(answer) <= 65_535
    ? undefined
    : 'It must be a whole number from 1 to 65535.';
}

function originProblem(answer: string): string | undefined {
  return answer === '' || (URL.canParse(answer) && new URL(answer).origin === answer)
    ? undefined
    : 'An origin such as https://gate.example.test, nothing after it.';
}

function urlProblem(answer: string): string | undefined {
  return answer === '' || URL.canParse(answer) ? undefined : 'A URL such as https://app.example.test/verify.';
}

/** Answers to questions, or values of flags; '' for none. */
interface InitAnswers {
  dataDir: string;
  port: string;
  baseUrl: string;
  userVerifyUrl: string;
}

/**
 * The first gatehouse.yaml: short, commented, everything else at its default.
 *
 * @param schemaPath absolute path of gatehouse.schema.json, for editors
 */
function settingsText({ dataDir, port, baseUrl, userVerifyUrl }: InitAnswers, schemaPath: string): string {
  const line = (key: string, value: string, example: string): string =>
    value === '' ? `# ${key}: ${example}` : `${key}: ${JSON.stringify(value)}`;
  return `# yaml-language-server: $schema=${schemaPath}
# Settings of Gatehouse. All of them: docs/configuration.md and gatehouse.example.yaml.
# \${NAME} stands for an environment variable; keep secrets out of this file.

data_dir: ${JSON.stringify(dataDir)} # database and key file; relative: from the folder of this file
port: ${/^\d+$/.test(port) ? port : JSON.stringify(port)}

# Public address, when other machines are to connect. Without it only programs on this machine can.
${line('base_url', baseUrl, 'https://gate.example.test')}
# Page of your app that confirms who an account belongs to.
${line('user_verify_url', userVerifyUrl, 'https://app.example.test/verify')}

# Tools for agents: those of everyday work. all: every tool; docs/mcp-servers.md has the other choices.
mcp:
  toolsets: [default]
  discovery: auto # tools that find and run the others, in place of a list of more than 20,000 tokens

# Connectors whose apps have to be registered are declared here; websearch needs nothing but its users' API keys.
# connections:
#   - connector: crm
#     id: conn_crm # fixed, so that the redirect URI to register is: <base_url>/sso/v1/oauth/conn_crm/callback
#     client_id: \${CRM_CLIENT_ID}
#     client_secret: \${CRM_CLIENT_SECRET}
`;
}
