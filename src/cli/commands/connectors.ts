/** `gatehouse connectors`: the providers that the catalog knows, with those that were added to a database that exists. */
import { nearest } from '../../core/text.ts';
import { command, commandGroup } from '../terminal/command.ts';
import { UsageError } from '../terminal/failure.ts';
import { readSettings, type CommonOptions } from '../terminal/options.ts';
import type { Terminal } from '../terminal/terminal.ts';

const list = command({
  name: 'list',
  description: 'Lists connectors of the catalog.',
  example: 'gatehouse connectors list',
  run: async ({ terminal, options, out }) => {
    const connectors = await connectorsOf(terminal, options);
    out.list({
      answer: { connectors },
      rows: connectors.map(({ authorization_types: types, ...connector }) => ({
        ...connector,
        authorization_types: types.map(({ type }) => type).join(', '),
      })),
      columns: ['name', 'title', 'authorization_types', 'toolsets'],
      empty: 'The catalog has no connector.',
    });
  },
});

const show = command({
  name: 'show',
  description: 'Shows a connector: how accounts connect, which scopes it knows, where it calls.',
  args: { name: 'name of the connector' },
  example: 'gatehouse connectors show crm',
  run: async ({ terminal, args: { name }, options, out }) => {
    const connectors = await connectorsOf(terminal, options);
    const found = connectors.find((connector) => connector.name === name);
    if (found !== undefined) return out.fields(found);
    const close = nearest(
      name,
      connectors.map((connector) => connector.name),
    );
    const hint = close === undefined ? '' : ` Did you mean ${close}?`;
    throw new UsageError(`There is no connector ${name}.${hint} "gatehouse connectors list" shows all.`);
  },
});

/** The command `connectors` with its subcommands. */
export const connectorsCommand = commandGroup({
  name: 'connectors',
  description: 'Lists and shows the providers that the catalog knows.',
  commands: [list, show],
});

async function connectorsOf(terminal: Terminal, options: CommonOptions) {
  const { settings, environment } = readSettings(terminal, options);
  return terminal.app.loadConnectors(settings, environment.name);
}
