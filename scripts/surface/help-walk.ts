/**
 * Writes `--help` of every command as JSON, by the words of the command. It is a process of its own, because
 * it runs the program many times in one process. The entry point is loaded again for each command line, but
 * its imports are not, so that eighty command lines take the time of two.
 */
import { pathToFileURL } from 'node:url';
import { PROGRAM, ROOT } from './program.ts';

const ENTRY = pathToFileURL(`${ROOT}/src/main.ts`).href;
const write = process.stdout.write.bind(process.stdout);
const found: Record<string, string> = {};

const waiting: string[][] = [[]];
for (let words = waiting.shift(); words !== undefined; words = waiting.shift()) {
  const text = await helpOf(words);
  found[words.join(' ')] = text;
  for (const name of subcommandsIn(text)) waiting.push([...words, name]);
}
write(JSON.stringify(found));
process.exitCode = 0;

async function helpOf(words: readonly string[]): Promise<string> {
  let text = '';
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    text += String(chunk);
    return true;
  };
  process.argv = [process.execPath, PROGRAM, ...words, '--help'];
  await import(`${ENTRY}?${encodeURIComponent(words.join(' '))}`);
  process.stdout.write = write;
  return process.exitCode === 0 ? text : `${text}exit code ${process.exitCode}\n`;
}

/**
 * The names of the section `Commands:`, which ends at an empty line; a continued line is indented further.
 */
function subcommandsIn(help: string): string[] {
  const section = /^Commands:\n((?: .*\n)*)/m.exec(help)?.[1] ?? '';
  return [...section.matchAll(/^ {2}([a-z][\w-]*)/gm)].flatMap(([, name]) =>
    name === undefined || name === 'help' ? [] : [name],
  );
}
