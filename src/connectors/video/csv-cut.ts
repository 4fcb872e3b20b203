/** Cuts CSV to a size so that it stays CSV: records are kept or left out whole. Pure. */

/** What is left of a file. */
export interface CsvCut {
  text: string;
  /** Of `text`; a line break inside quotes ends none. */
  lines: number;
  totalLines: number;
}

/**
 * As many records from the start as fit.
 *
 * @param roomBytes for the text as it stands in JSON, in UTF-8, quotes included
 * @see RFC 4180
 */
export function cutCsv(csv: string, roomBytes: number): CsvCut {
  let used = 2;
  let end = 0;
  let lines = 0;
  let totalLines = 0;
  for (const record of records(csv)) {
    totalLines++;
    if (lines !== totalLines - 1) continue;
    used += Buffer.byteLength(JSON.stringify(record)) - 2;
    if (used > roomBytes) continue;
    end += record.length;
    lines++;
  }
  return { text: csv.slice(0, end), lines, totalLines };
}

/** Each with its line end. An odd number of quotes means that a record goes on in the next line. */
function* records(csv: string): Generator<string> {
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < csv.length; i++) {
    const char = csv.charCodeAt(i);
    if (char === 0x22) isQuoted = !isQuoted;
    else if (char === 0x0a && !isQuoted) {
      yield csv.slice(start, i + 1);
      start = i + 1;
    }
  }
  if (start < csv.length) yield csv.slice(start);
}
