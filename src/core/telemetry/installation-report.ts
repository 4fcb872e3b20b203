/**
 * An installation's report for its operators: the settings in force, and the checks of `gatehouse doctor`. Types
 * only.
 */
import type { Caller } from '../caller.ts';

/** A setting as it is in force. */
export interface SettingInForce {
  /** As in gatehouse.yaml: `mcp.read_only`. */
  key: string;
  /** Text as in the file, a number, a flag or a list; null: none. A secret is only ever `set`. */
  value: string | number | boolean | string[] | null;
  from: 'file' | 'environment' | 'flag' | 'default';
}

/** One finding of the doctor. */
export interface DoctorCheck {
  name: string;
  status: 'ok' | 'warning' | 'problem';
  /** The finding, and the advice for it. */
  message: string;
}

/** Both, for the environment of a caller with `admin`. */
export interface InstallationReport {
  /** @throws ServiceError PERMISSION_DENIED without `admin` */
  settings(caller: Caller): readonly SettingInForce[];
  /** @throws ServiceError PERMISSION_DENIED without `admin` */
  doctor(caller: Caller): Promise<DoctorCheck[]>;
}
