/** Loads things that a process may never need with their first use. */

/**
 * @param load makes the thing; called with the first use, and again after it failed
 * @returns a function that gives the same thing to every caller; rejects as `load` does
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return async () => {
    const mine = (loading ??= load());
    try {
      return await mine;
    } catch (error) {
      if (loading === mine) loading = undefined;
      throw error;
    }
  };
}
