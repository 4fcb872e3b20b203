/** Words of the page of settings and health. */
import type { DoctorCheck, SettingInForce } from '../../core/telemetry/installation-report.ts';

const STATUSES: Readonly<Record<DoctorCheck['status'], string>> = {
  ok: 'Good',
  warning: 'Warning',
  problem: 'Problem',
};

const SOURCES: Readonly<Record<SettingInForce['from'], string>> = {
  file: 'gatehouse.yaml',
  environment: 'Environment variable',
  flag: 'Flag of the command',
  default: 'Default',
};

/** Words and sentences. */
export const settings = {
  title: 'Settings and health',
  lead: 'As they are in force. Nothing is changed here: gatehouse.yaml stays the truth, and the next start reads it.',
  health: {
    heading: 'Health',
    allGood: 'All checks are good.',
    good: (count: number) => (count === 1 ? '1 check is good' : `${count} checks are good`),
    statuses: STATUSES,
  },
  program: {
    heading: 'Program and keys',
    version: 'Version',
    key: 'Key that seals',
    rotated: 'Last rotation of keys',
    never: 'The keys were not rotated yet.',
    backups: 'Backups',
    noBackups: 'Made outside of Gatehouse, which keeps no list of them.',
    howBackups:
      'gatehouse backup FILE copies an SQLite database while servers run; pg_dump copies one of Postgres.',
    how: 'gatehouse keys rotate makes a new key while servers run.',
  },
  list: {
    heading: 'Of this installation and this environment',
    columns: { key: 'Setting', value: 'Value', from: 'From', copy: 'As YAML' },
    search: 'Search',
    placeholder: 'Name or value',
    source: 'From',
    every: 'Everywhere',
    notDefault: 'Everything but defaults',
    sources: SOURCES,
    none: 'None',
    set: 'set, never shown',
    line: (key: string) => `the lines for ${key}`,
  },
} as const;
