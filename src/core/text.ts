/** Words and sentences for people: joining, quoting for a shell, suggesting the right spelling. Pure. */

/** The text with its first letter in lower case, to continue a sentence that has already begun. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Quotes the text as one word for a POSIX shell and zsh, in commands that people copy. */
export function shellWord(text: string): string {
  return /^[\w@.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The known word closest to a misspelt one, for "did you mean".
 *
 * @returns undefined when no word is close enough to have been meant
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const most = Math.min(bestDistance - 1, mostSlips(word, candidate));
    // The distance is at least the difference in length, and is much dearer to compute.
    if (Math.abs(candidate.length - word.length) > most) continue;
    const distance = editDistance(word, candidate);
    if (distance <= most) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/**
 * The most letters that may differ: a third of the word. A short word may differ in two letters if the first one is
 * right, which seldom is misspelt, and otherwise in one. Some letter has to be right.
 */
function mostSlips(word: string, candidate: string): number {
  const ofShort = candidate.startsWith(word.charAt(0)) ? 2 : 1;
  return Math.min(word.length - 1, Math.max(ofShort, Math.floor(word.length / 3)));
}

/** Levenshtein distance of two words, one row at a time. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
