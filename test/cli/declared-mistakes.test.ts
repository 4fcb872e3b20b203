/** Mistakes in the settings that only the catalog shows: reported together with those that were found before. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { app } from '../../src/cli/terminal/app.ts';
import { emptyFolder, gatehouse } from './cli-support.ts';

function folderWithMistakes(): { folder: string; file: string } {
  const folder = emptyFolder();
  const file = join(folder, 'work', 'gatehouse.yaml');
  writeFileSync(file, 'connections:\n  - connector: nosuch\nbogus: 1\n');
  return { folder, file };
}

const UNKNOWN = 'The catalog has no connector nosuch. It has: crm, mail, video, warehouse, websearch.';

it.each([[['serve']], [['mcp']], [['tools', 'list']]])(
  'prints all mistakes of gatehouse %s, one per line, with file and line',
  async (argv) => {
    const { folder, file } = folderWithMistakes();
    const { code, stdout, stderr } = await gatehouse(argv, { app, folder });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      [
        'gatehouse: The settings are not valid:',
        `  ${file}:2: connections[0].connector: ${UNKNOWN}`,
        `  ${file}:3: bogus: is not a setting`,
        '',
      ].join('\n'),
    );
  },
);

it('prints each declared mistake as a finding of gatehouse doctor', async () => {
  const { folder, file } = folderWithMistakes();
  const { code, stdout } = await gatehouse(['doctor'], { app, folder });
  expect([code, stdout]).toEqual([
    1,
    `PROBLEM settings: ${file}:2: connections[0].connector: ${UNKNOWN}\nPROBLEM settings: ${file}:3: bogus: is not a setting\n`,
  ]);
});
