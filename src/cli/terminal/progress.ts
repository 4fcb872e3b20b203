/** Shows on stderr that something is under way: a spinner for people, one line for a log. */
import { say, type Terminal } from './terminal.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;

/**
 * Runs `work` under a spinner that is gone when it ends; without a terminal, says once what is being done.
 *
 * @param work may say by its argument that something else is being done now
 */
export async function withProgress<T>(
  terminal: Terminal,
  what: string,
  work: (now: (what: string) => void) => Promise<T>,
): Promise<T> {
  if (!terminal.messagesAreTerminal) {
    const tell = (now: string): void => say(terminal, `${now} …`);
    tell(what);
    return work(tell);
  }
  let current = what;
  let frame = 0;
  const draw = (): void => {
    terminal.messages.write(`\r\u001b[K${FRAMES[frame++ % FRAMES.length]} ${current} …`);
  };
  draw();
  const timer = setInterval(draw, FRAME_MS);
  try {
    return await work((now) => {
      current = now;
      draw();
    });
  } finally {
    clearInterval(timer);
    terminal.messages.write('\r\u001b[K');
  }
}
