/** Logs what a database says about its version, for an operator who runs programs of several versions. */
import type { Log } from '../../core/log.ts';

/** @returns a function that logs a sentence, unless it is the last one again */
export function schemaNotice(log: Log): (message: string) => void {
  let said: string | undefined;
  return (message) => {
    if (message !== said) log.warn('database_version', { message });
    said = message;
  };
}
