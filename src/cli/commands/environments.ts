/** `gatehouse environments`: the environments of an installation. Settings declare them. */
import { toEnvironmentView } from '../../core/environment.ts';
import { adminCommand, commandGroup } from '../terminal/command.ts';

const list = adminCommand({
  name: 'list',
  description: 'Lists environments.',
  example: 'gatehouse environments list',
  run: async ({ admin, out }) => {
    const environments = admin.environments.all.map(toEnvironmentView);
    out.list({
      answer: { environments },
      rows: environments,
      columns: ['id', 'name', 'base_url'],
      empty: 'There is no environment.',
    });
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows an environment.',
  args: { name: 'such as production' },
  example: 'gatehouse environments show production',
  run: async ({ admin, args: { name }, out }) =>
    out.fields(toEnvironmentView(admin.environments.byName(name))),
});

/** The command `environments` with its subcommands. */
export const environmentsCommand = commandGroup({
  name: 'environments',
  description: 'Lists the environments that gatehouse.yaml declares.',
  commands: [list, show],
});
