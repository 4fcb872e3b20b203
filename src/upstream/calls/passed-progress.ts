/**
 * What a server says of a call that is running, as it is passed on to a caller who asked for it: numbers that grow, words
 * that are cut and stripped, and not too often.
 */
import { passedText, startOfText } from '../definitions/plain-text.ts';

/** How far a call is. */
export interface Progress {
  /** Grows with each report. */
  progress: number;
  /** Where it ends, if the server knows it. */
  total?: number | undefined;
  /** What is being done, in the server's words. */
  message?: string | undefined;
}

/** Told of progress. */
export type OnProgress = (progress: Progress) => void;

/** Four reports a second at most. */
const INTERVAL_MS = 250;

/** Of the words of a report, in characters. */
const MAX_MESSAGE = 200;

/**
 * Takes what a server reports and passes on what may be. A report that comes too early is left out.
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
