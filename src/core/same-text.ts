/** Compares secrets without revealing through timing where they differ. */
import { timingSafeEqual } from 'node:crypto';

/** Takes the same time wherever the texts differ. Their lengths are not secret. */
export function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
