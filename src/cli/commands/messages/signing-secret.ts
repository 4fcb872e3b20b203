/** `gatehouse signing-secret`: the secret that signs webhooks and interceptor requests of an environment. */
import { adminCommand, commandGroup } from '../../terminal/command.ts';

const show = adminCommand({
  name: 'show',
  description: 'Shows the secret. The audit log records that it was read.',
  example: 'gatehouse signing-secret show',
  run: async ({ admin, caller, out }) => out.fields(await admin.signingSecrets.show(caller)),
});

const rotate = adminCommand({
  name: 'rotate',
  description: 'Creates a new secret and prints it. The previous one also signs for 24 hours.',
  example: 'gatehouse signing-secret rotate',
  run: async ({ admin, caller, out }) => out.fields(await admin.signingSecrets.rotate(caller)),
});

/** The command `signing-secret` with its subcommands. */
export const signingSecretCommand = commandGroup({
  name: 'signing-secret',
  description: 'Shows and rotates the secret with which webhooks and interceptor requests are signed.',
  commands: [show, rotate],
});
