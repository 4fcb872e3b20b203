/** Pieces of a body become one. */
import { describe, expect, it } from 'vitest';
import { JoinedBytes } from '../../src/core/joined-bytes.ts';

function joined(pieces: readonly Uint8Array[]): JoinedBytes {
  const bytes = new JoinedBytes();
  for (const piece of pieces) bytes.add(piece);
  return bytes;
}

describe('body received in pieces', () => {
  it('becomes an empty body when no piece came', () => {
    expect(joined([]).whole()).toEqual(Buffer.alloc(0));
  });

  it.each([
    ['one', ['whole'], 'whole'],
    ['several', ['a', 'bc', '', 'def'], 'abcdef'],
    ['an empty one at the beginning', ['', 'a', 'b'], 'ab'],
  ])('joins the pieces in their order: %s', (_, texts, text) => {
    const bytes = joined(texts.map((piece) => Buffer.from(piece)));
    expect(bytes.whole().toString()).toBe(text);
    expect(bytes.size).toBe(text.length);
  });

  it('joins pieces of any number and size', () => {
    const bytes = joined([
      ...Array.from({ length: 10_000 }, () => Buffer.from('x')),
      Buffer.alloc(100_000, 'y'),
      Buffer.from('z'),
    ]);
    expect(bytes.whole().toString()).toBe(`${'x'.repeat(10_000)}${'y'.repeat(100_000)}z`);
  });

  it('frees the memory of a refused body and accepts new pieces', () => {
    const bytes = joined([Buffer.from('a'), Buffer.alloc(10_000, 'b')]);
    const { buffer } = bytes.whole();
    bytes.discard();
    expect([bytes.size, buffer.byteLength]).toEqual([0, 0]);
    bytes.add(Buffer.from('c'));
    expect(bytes.whole().toString()).toBe('c');
  });

  it('leaves the buffers of the sender unchanged', () => {
    const slab = Buffer.from('abXX');
    joined([slab.subarray(0, 2), Buffer.from('cd')]);
    expect(slab.toString()).toBe('abXX');
  });
});
