import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/cli/terminal/app.ts';
import { emptyFolder, gatehouse } from './cli-support.ts';

describe('gatehouse doctor', () => {
  const doctor = (status: 'ok' | 'warning' | 'problem'): { runDoctor: App['runDoctor'] } => ({
    runDoctor: async () => ({ checks: [{ name: 'key', status, message: 'seen' }] }),
  });

  it.each([
    ['ok', 0, 'ok      key: seen\n'],
    ['warning', 0, 'warning key: seen\n'],
    ['problem', 1, 'PROBLEM key: seen\n'],
  ] as const)('ends with a finding %s as exit code %d', async (status, code, line) => {
    const result = await gatehouse(['doctor'], { app: doctor(status) });
    expect([result.code, result.stdout, result.stderr]).toEqual([
      code,
      line,
      'Checking the installation …\n',
    ]);
  });

  it('shows invalid settings as findings', async () => {
    const { code, stdout } = await gatehouse(['doctor', '--json'], {
      terminal: { env: { GATEHOUSE_PROT: '1' } },
    });
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        checks: [
          {
            name: 'settings',
            status: 'problem',
            message: 'GATEHOUSE_PROT: is not a setting. Did you mean GATEHOUSE_PORT?',
          },
        ],
      },
    ]);
  });
});

describe('gatehouse catalog check', () => {
  const checking = (problems: { file: string; line: number; message: string }[]) => {
    const seen: (readonly string[])[] = [];
    const checkCatalogFiles: App['checkCatalogFiles'] = async (dirs) => {
      seen.push(dirs);
      const summary = [
        { connector: 'crm', toolset: 'notes', tools: 3, bytes: 1_200 },
        { connector: 'mine', toolset: 'all', tools: 1, bytes: 345 },
      ];
      return { problems, tools: [], summary };
    };
    return { seen, app: { checkCatalogFiles } };
  };

  it('checks the folders that the command names', async () => {
    const folder = emptyFolder();
    const { seen, app } = checking([]);
    const { code, stdout } = await gatehouse(['catalog', 'check', 'mine'], { app, folder });
    const said = 'The catalog is valid. A list of all 4 tools has 1545 bytes.\n';
    expect([code, stdout, seen]).toEqual([0, said, [[join(folder, 'work/mine')]]]);
  });

  it('prints every problem with file and line', async () => {
    const { app } = checking([{ file: 'crm/notes.yaml', line: 7, message: 'no title' }]);
    const { code, stdout } = await gatehouse(['catalog', 'check'], { app });
    expect([code, stdout]).toEqual([1, 'crm/notes.yaml:7: no title\n']);
  });
});
