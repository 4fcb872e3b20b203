/** Sentences that go on where another one has begun. */

/** The text with its first letter in lower case. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
