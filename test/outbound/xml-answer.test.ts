import { describe, expect, it } from 'vitest';
import { parseXmlAnswer, textOfElement, UnreadableXml } from '../../src/outbound/xml-answer.ts';
import { cpuMs } from '../support/cpu-time.ts';

describe('XML answer of a provider', () => {
  it('reads declaration, attributes, entities and whitespace', () => {
    const root = parseXmlAnswer(
      '\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<a xmlns="x:y" b=\'1\'>\n <c>1 &lt; 2 &amp;amp; &#x20AC;&#33;</c> <d/>\n</a>\n',
    );
    expect(textOfElement(root, ['a', 'c'])).toBe('1 < 2 &amp; €!');
    expect(textOfElement(root, ['a', 'd'])).toBeUndefined();
  });

  it.each([
    ['another root', ['b', 'c']],
    ['a missing element', ['a', 'x']],
    ['an element that is there twice', ['a', 'c']],
    ['an element of elements', ['a', 'd']],
  ])('has no text at the path of %s', (_, path) => {
    const root = parseXmlAnswer('<a><c>1</c><c>2</c><d><e>3</e></d></a>');
    expect(textOfElement(root, path)).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['text', 'granted'],
    ['an element that does not end', '<a><b></b>'],
    ['ends in the wrong order', '<a><b></a></b>'],
    ['an end without a start', '</a>'],
    ['two roots', '<a/><b/>'],
    ['text beside the root', '<a/>x'],
    ['text among elements', '<a>x<b/></a>'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['a document type with an entity', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an unknown entity', '<a>&b;</a>'],
    ['a bare ampersand', '<a>b & c</a>'],
    ['a character that is none', '<a>&#0;</a>'],
    ['half a character', '<a>&#xD800;</a>'],
    ['a character beyond all', '<a>&#x110000;</a>'],
    ['a comment', '<a><!-- b --></a>'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['a processing instruction', '<a><?b c?></a>'],
    ['a declaration inside', '<a><?xml version="1.0"?></a>'],
    ['an attribute without quotes', '<a b=c/>'],
    ['33 levels', `${'<a>'.repeat(33)}${'</a>'.repeat(33)}`],
  ])('refuses an answer with %s', (_, text) => {
    expect(() => parseXmlAnswer(text)).toThrow(UnreadableXml);
  });

  it('parses in time proportional to the length (ReDoS)', async () => {
    const hostile = `<a ${'b="c" '.repeat(20_000)}`;
    const work = (): void => expect(() => parseXmlAnswer(hostile)).toThrow(UnreadableXml);
    expect(await cpuMs(work)).toBeLessThan(1_000);
  });
});
