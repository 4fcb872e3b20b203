import { describe, expect, it } from 'vitest';
import { command, commandGroup, type CommandBuilder } from '../../../src/cli/terminal/command.ts';
import { COMMON_OPTIONS, positiveInteger } from '../../../src/cli/terminal/options.ts';
import { processTerminal } from '../../../src/cli/terminal/terminal.ts';

const plain = { name: 'show', description: 'Shows a thing.', example: 'gatehouse things show 1' };
const run = async (): Promise<void> => {};

function optionsOf(build: CommandBuilder): (string | undefined)[] {
  return build(processTerminal()).options.map(({ long }) => long);
}

describe('options of a command', () => {
  it('come before the common options in the help', () => {
    const options = { '--mine <x>': 'mine' };
    expect(optionsOf(command({ ...plain, options, run }))).toEqual([
      '--mine',
      '--environment',
      '--config',
      '--json',
    ]);
  });

  it('follow the common options that the command names itself', () => {
    const options = { '--first': 'first', ...COMMON_OPTIONS, '--last': 'last' };
    expect(optionsOf(command({ ...plain, options, json: false, run }))).toEqual([
      '--first',
      '--environment',
      '--config',
      '--last',
    ]);
  });

  it('may give a common option another text and fallback', () => {
    const options = { '--config <file>': { about: 'where to write', fallback: 'a.yaml' } };
    const [first] = command({ ...plain, options, run })(processTerminal()).options;
    expect(first).toMatchObject({ long: '--config', description: 'where to write', defaultValue: 'a.yaml' });
  });
});

describe('parsed arguments of a command', () => {
  it('contain positional arguments, rest and options by name, converted', async () => {
    const seen: unknown[] = [];
    const built = command({
      ...plain,
      args: { id: 'an id', 'others...': 'more ids' },
      options: {
        '--page-size <n>': { about: 'how many', parse: positiveInteger },
        '--no-color': 'without colors',
        '--color': 'with colors',
      },
      run: async ({ args, options, out }) => {
        seen.push(args, options.pageSize, options.color, options.environment, out.isJson);
      },
    })(processTerminal());
    await built.parseAsync(['1', '2', '3', '--page-size', '7', '--no-color', '--json'], { from: 'user' });
    expect(seen).toEqual([{ id: '1', others: ['2', '3'] }, 7, false, 'development', true]);
  });
});

describe('group of commands', () => {
  it('lists its commands in the given order, with descriptions or summaries', () => {
    const commands = [
      command({ ...plain, run }),
      command({ ...plain, name: 'check', summary: 'check things', run }),
    ];
    const help = commandGroup({ name: 'things', description: 'Manages things.', commands })(
      processTerminal(),
    ).helpInformation();
    expect(help).toMatch(/show \[options\] +Shows a thing\.\n +check \[options\] +check things\n/);
  });
});
