/** Shows the API credential that the first start of the program has made. */
import { writeFirstCredential } from '../../app/services/first-credential-file.ts';
import { say, type Terminal } from './terminal.ts';

/** Prints the secret on a terminal. Elsewhere stderr is a log, so it gets only the path of a file with the secret. */
export function handOverCredential(
  terminal: Terminal,
  dataDir: string,
  made: { environment: string; clientId: string; clientSecret: string },
): void {
  const { environment, clientId, clientSecret } = made;
  const whose = `API credential of ${environment}`;
  if (terminal.messagesAreTerminal)
    return say(terminal, `${whose}, shown only now: client id ${clientId}, client secret ${clientSecret}`);
  try {
    const path = writeFirstCredential(dataDir, environment, made);
    say(
      terminal,
      `${whose}: in ${path}. The file is removed when its secret first gets a token from POST /oauth/token.`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(
      terminal,
      `${whose}: client id ${clientId}. Its secret is lost, because the file for it could not be written (${reason}). "gatehouse credentials rotate ID" gives it another.`,
    );
  }
}
