/** Shows progress on stderr: a spinner on a terminal, otherwise a line. */
import { say, type Terminal } from './terminal.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;

/**
 * Runs `work` and shows a spinner until it ends; without a terminal, prints one line before.
 *
 * @param work may change the text by calling its argument
 */
export async function withProgress<T>(
  terminal: Terminal,
  what: string,
  work: (now: (what: string) => void) => Promise<T>,
): Promise<T> {
  if (!terminal.messagesAreTerminal) {
    const report = (now: string): void => say(terminal, `${now} …`);
    report(what);
    return work(report);
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
