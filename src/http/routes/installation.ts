/** The settings in force and the checks of the doctor over REST (docs/contract.md#bodies). Read only: the file stays the truth. */
import { z } from '@hono/zod-openapi';
import type { InstallationReport } from '../../core/telemetry/installation-report.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { shown } from '../api/schemas.ts';

const tag = 'Operation';

const setting = z
  .object({
    key: shown('As in gatehouse.yaml: `mcp.read_only`.'),
    value: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
      .nullable()
      .openapi({ description: 'As in the file; null: none. A secret is `set` and never shown.' }),
    from: z
      .enum(['file', 'environment', 'flag', 'default'])
      .openapi({ description: 'Where the value comes from.' }),
  })
  .openapi('Setting', { description: 'A setting as it is in force.' });

const check = z
  .object({
    name: shown('What was looked at.'),
    status: z.enum(['ok', 'warning', 'problem']).openapi({ description: 'What was found.' }),
    message: shown('The finding, and the advice for it.'),
  })
  .openapi('DoctorCheck', { description: 'A finding of the doctor.' });

export interface InstallationServices {
  installation: InstallationReport;
}

/** Adds the routes of the installation's report about itself. */
export function addInstallationRoutes(endpoints: Endpoints, { installation }: InstallationServices): void {
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/settings',
      operationId: 'getSettings',
      tag,
      summary: 'List the settings of the installation and of this environment as they are in force.',
      access: { unbound: 'admin' },
      answer: z.object({
        settings: z.array(setting).openapi({ description: 'In the order of the documentation.' }),
      }),
    },
    async ({ caller }) => ({ settings: [...installation.settings(caller)] }),
  );
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/doctor',
      operationId: 'runDoctor',
      tag,
      summary: 'Check settings, key, database, catalog, connections and listener.',
      access: { unbound: 'admin' },
      answer: z.object({
        checks: z.array(check).openapi({ description: 'In the order in which they were made.' }),
      }),
    },
    async ({ caller }) => ({ checks: await installation.doctor(caller) }),
  );
}
