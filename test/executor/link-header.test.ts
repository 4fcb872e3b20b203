/** The relation `next` of a `Link` header, with the examples of RFC 8288 and the headers that providers send. */
import { describe, expect, it } from 'vitest';
import { nextLinkIn } from '../../src/executor/link-header.ts';

describe('link with the relation next', () => {
  it.each<[string, string | null]>([
    // RFC 8288 section 3.5
    ['<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"', null],
    ['</>; rel="http://example.net/foo"', null],
    [
      '</TheBook/chapter2>; rel="previous"; title*=UTF-8\'de\'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; title*=UTF-8\'de\'n%c3%a4chstes%20Kapitel',
      '/TheBook/chapter4',
    ],
    ['<http://example.org/>; rel="start http://example.net/relation/other"', null],
    [
      '<https://a.example/p?page=1>; rel="prev", <https://a.example/p?page=3>; rel="next"',
      'https://a.example/p?page=3',
    ],
    ['<https://a.example/p?after=x>;rel=next', 'https://a.example/p?after=x'],
    [
      '<https://a.example/p?after=x>; results="true"; rel="next"; cursor="0:100:0"',
      'https://a.example/p?after=x',
    ],
    ['<https://a.example/p?ids=1,2;3>; REL = "last NEXT"', 'https://a.example/p?ids=1,2;3'],
    ['<a>; title="x\\", <evil>; rel=next"; rel="prev", <b>; rel="next"', 'b'],
    ['<a>; rel="prev"; rel="next"', null],
    ['<a>; title="next"', null],
    ['<a>; rev="next"', null],
    ['<a>; rel="nextish"', null],
    ['  , <a>; rel=next', 'a'],
    ['<a>; rel="next', null],
    ['rel=next', null],
    ['', null],
  ])('finds in the header %j the target %j', (header, expected) => {
    expect(nextLinkIn(header)).toBe(expected);
  });

  it.each([
    '<a>;' + ' '.repeat(50_000),
    '<a>' + ';a="'.repeat(20_000),
    '<'.repeat(50_000),
    '<a>,'.repeat(20_000),
  ])('reads a hostile header in linear time (%#)', (header) => {
    const started = performance.now();
    expect(nextLinkIn(header)).toBeNull();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
