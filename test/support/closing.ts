/**
 * What is closed after the tests of a file. Files share the modules of their worker, so a hook of a module that several
 * files import would belong to the first of them.
 */
const closing: (() => Promise<void>)[] = [];

/** Closes it after the last test of the file that runs now. */
export function closeAfterFile(close: () => Promise<void>): void {
  closing.push(close);
}

/** Called by close-after-file.ts, which every file loads anew. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}
