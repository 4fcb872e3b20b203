/** The report of a running server about its settings and its health, for an operator of one environment. */
import { requireScope, type Caller } from '../../../core/caller.ts';
import type { DoctorCheck, InstallationReport } from '../../../core/telemetry/installation-report.ts';
import type { Services } from '../../services/services.ts';
import { installationChecks } from './installation-checks.ts';
import { keyFileCheck, settingsAdvice, settingsFound } from './settings-checks.ts';

/** Builds the report. Nothing is cached: each request runs all checks. */
export function installationReport(
  services: Pick<
    Services,
    'catalog' | 'db' | 'connections' | 'settings' | 'id' | 'upstreams' | 'environments'
  >,
): InstallationReport {
  const { settings, environments } = services;
  return {
    settings: (caller: Caller) => {
      requireScope(caller, 'admin');
      return settings.inForce(environments.get(caller.environmentId).name);
    },
    doctor: async (caller: Caller): Promise<DoctorCheck[]> => {
      requireScope(caller, 'admin');
      return [
        settingsFound(settings),
        ...settingsAdvice(settings),
        keyFileCheck(settings, false),
        ...(await installationChecks(services, [environments.get(caller.environmentId)])),
      ];
    },
  };
}
