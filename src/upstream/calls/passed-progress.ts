/**
 * Progress of a running call, as it is passed on to a caller who asked for it. Numbers only grow, messages are
 * cleaned and cut, and reports that come too often are left out.
 */
import { passedText, startOfText } from '../definitions/plain-text.ts';

/** How far a call has come. */
export interface Progress {
  /** Grows with each report. */
  progress: number;
  /** The value of `progress` at the end, if the server knows it. */
  total?: number | undefined;
  /** The current step, in the server's words. */
  message?: string | undefined;
}

/** Receives progress reports. */
export type OnProgress = (progress: Progress) => void;

/** Shortest time between two reports: at most four a second. */
const INTERVAL_MS = 250;

/** Longest message of a report, in characters. */
const MAX_MESSAGE = 200;

/**
 * Returns a function that receives the server's reports and passes on those that are allowed. A report that comes
 * too early is left out.
 *
 * @param options.scrub removes live credentials
 * @param options.now Unix milliseconds
 */
export function passedProgress(
  onProgress: OnProgress,
  { scrub, now }: { scrub: (text: string) => string; now: () => number },
): OnProgress {
  let last: { progress: number; at: number } | undefined;
  return ({ progress, total, message }) => {
    const at = now();
    if (!Number.isFinite(progress) || (last !== undefined && progress <= last.progress)) return;
    if (last !== undefined && at - last.at < INTERVAL_MS) return;
    last = { progress, at };
    const words = startOfText(scrub(passedText(message ?? '')), MAX_MESSAGE);
    onProgress({
      progress,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(words !== '' && { message: words }),
    });
  };
}
