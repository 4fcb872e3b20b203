/**
 * Finds and reads gatehouse.yaml: its possible locations, and the values of `${NAME}` in it. Checks no
 * setting.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '../core/errors.ts';
import type { SettingsProblem } from './types.ts';
import { dotted, type Path } from '../core/yaml/yaml-tree.ts';
import { parseStrictYaml, type ReadText, type StrictYaml } from '../core/yaml/strict-yaml.ts';

/** Name of the file in every location. */
const SETTINGS_FILE = 'gatehouse.yaml';

const NO_YAML: StrictYaml = { tree: undefined, problems: [], lineOf: () => undefined };

/** The file as read, or the reason why it could not be read. */
export interface SettingsFile {
  /** Absolute; `undefined` if there is no file. */
  path: string | undefined;
  /** Folder that relative paths start from: the file's, otherwise the working directory. */
  folder: string;
  /** Its tree is `undefined` if the file cannot be read or is not YAML. */
  yaml: StrictYaml;
  problems: SettingsProblem[];
}

/**
 * Looks in this order: `--config`, GATEHOUSE_CONFIG, the working directory, `~/.config/gatehouse/`.
 *
 * A named file has to exist; the other two places are optional.
 */
export function readSettingsFile(options: {
  flag: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  homeDir: string;
  /** Converts text that came from `${NAME}` into a setting's value, e.g. a number for `port`. */
  convert: (written: string, path: Path) => unknown;
}): SettingsFile {
  const { flag, env, cwd, homeDir } = options;
  const named = flag ?? (env['GATEHOUSE_CONFIG'] || undefined);
  const places = [join(cwd, SETTINGS_FILE), join(homeDir, '.config', 'gatehouse', SETTINGS_FILE)];
  const path = named === undefined ? places.find((place) => existsSync(place)) : resolve(cwd, named);
  if (path === undefined) return { path, folder: cwd, yaml: { ...NO_YAML, tree: {} }, problems: [] };

  const folder = dirname(path);
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    const [origin, key] =
      flag !== undefined ? (['flag', '--config'] as const) : (['env', 'GATEHOUSE_CONFIG'] as const);
    const message = `${path} ${readFailure(error)}`;
    const problem: SettingsProblem =
      named === undefined ? { source: 'file', key: '', message } : { source: origin, key, message };
    return { path, folder, yaml: NO_YAML, problems: [problem] };
  }
  const yaml = parseStrictYaml(source, expansion(env, options.convert));
  return {
    path,
    folder,
    yaml,
    problems: yaml.problems.map(({ line, path: at, message }) => ({
      source: 'file',
      file: path,
      line,
      key: dotted(at),
      message,
    })),
  };
}

/**
 * `${NAME}` is the variable, `$${` a literal `${`. Text that contained a variable is converted to the kind of
 * its setting.
 */
function expansion(
  env: Readonly<Record<string, string | undefined>>,
  convert: (written: string, path: Path) => unknown,
): ReadText {
  return (written, path) => {
    if (!written.includes('${')) return { value: written };
    const problems: string[] = [];
    let expanded = false;
    const value = written.replace(/\$\$\{|\$\{([^}]*)\}?/g, (match, name: string | undefined) => {
      if (match === '$${') return '${';
      expanded = true;
      const found =
        /^[A-Za-z_][A-Za-z0-9_]*$/.test(name ?? '') && match.endsWith('}') ? env[name ?? ''] : null;
      if (found === null) problems.push('has a ${…} that is not ${NAME}. Write $${ for a literal ${.');
      else if (found === undefined) problems.push(`needs the environment variable ${name}, which is not set`);
      return found ?? '';
    });
    if (problems.length > 0) return { problem: problems.join('; ') };
    return { value: expanded ? convert(value, path) : value };
  };
}

function readFailure(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return 'does not exist. Run "gatehouse init" to write one.';
  if (code === 'EISDIR') return 'is a folder. Name the file in it.';
  return `cannot be read (${code ?? 'unknown reason'}).`;
}
