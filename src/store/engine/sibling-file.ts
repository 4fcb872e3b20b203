/**
 * The file of a thread or process that a module starts: next to it, a source in a checkout and JavaScript in the
 * package. scripts/build.ts builds each of them under its own name.
 */
export function siblingFile(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}
