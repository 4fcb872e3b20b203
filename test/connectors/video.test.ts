/** Parts of the YouTube handlers on their own: cutting CSV, and times in UTC. */
import { describe, expect, it } from 'vitest';
import { cutCsv, zuluTime } from '../../src/connectors/video/list-reports.ts';

describe('CSV answer of a video report', () => {
  it.each([
    ['a\nb\n', 8, { text: 'a\nb\n', lines: 2, totalLines: 2 }],
    ['a\nb\n', 7, { text: 'a\n', lines: 1, totalLines: 2 }],
    ['a\nb\n', 4, { text: '', lines: 0, totalLines: 2 }],
    ['a\nb\n', -5, { text: '', lines: 0, totalLines: 2 }],
    ['a\nb', 7, { text: 'a\nb', lines: 2, totalLines: 2 }],
    ['a\nb', 5, { text: 'a\n', lines: 1, totalLines: 2 }],
    ['', 2, { text: '', lines: 0, totalLines: 0 }],
    // two bytes of UTF-8, and characters that JSON escapes
    ['é\nb\n', 8, { text: 'é\n', lines: 1, totalLines: 2 }],
    ['"a"\nb\n', 9, { text: '"a"\n', lines: 1, totalLines: 2 }],
    // a record goes on where a line ends inside quotes
    ['"a\nb",c\nd\n', 15, { text: '"a\nb",c\n', lines: 1, totalLines: 2 }],
    ['"a\nb",c\nd\n', 13, { text: '', lines: 0, totalLines: 2 }],
    ['"a ""\n"" b"\nd\n', 100, { text: '"a ""\n"" b"\nd\n', lines: 2, totalLines: 2 }],
    // no short line after one that does not fit
    ['aaaaaaaaaa\nb\n', 8, { text: '', lines: 0, totalLines: 2 }],
    ['a\r\nb\r\n', 12, { text: 'a\r\nb\r\n', lines: 2, totalLines: 2 }],
  ])('cuts %j after a whole line within %i bytes', (csv, room, expected) => {
    expect(cutCsv(csv, room)).toEqual(expected);
    expect(expected.text === '' || Buffer.byteLength(JSON.stringify(expected.text)) <= room).toBe(true);
  });
});

describe('timestamps of a video report', () => {
  it.each([
    ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z'],
    ['2026-11-01T00:00:00.123456789Z', '2026-11-01T00:00:00.123456789Z'],
    ['2026-11-01T00:30:00+01:00', '2026-10-31T23:30:00Z'],
    ['2026-12-31T20:00:00.100-05:30', '2027-01-01T01:30:00.100Z'],
    ['2026-11-01T00:00:00.000001+00:00', '2026-11-01T00:00:00.000001Z'],
  ])('converts the timestamp %s to UTC as %s', (time, expected) => {
    expect(zuluTime(time)).toBe(expected);
  });
});
