/** Shows on stderr that something is under way: a spinner for people, one line for a log. */
import { say, type Terminal } from './terminal.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;

/** Runs `work` under a spinner that is gone when it ends; without a terminal, says once what is being done. */
export async function withProgress<T>(terminal: Terminal, what: string, work: () => Promise<T>): Promise<T> {
  if (!terminal.messagesAreTerminal) {
    say(terminal, `${what} …`);
    return work();
  }
  let frame = 0;
  const draw = (): void => {
    terminal.messages.write(`\r${FRAMES[frame++ % FRAMES.length]} ${what} …`);
  };
  draw();
  const timer = setInterval(draw, FRAME_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    terminal.messages.write('\r\u001b[K');
  }
}
