/** Results of another server's tools, as they are passed on. */
import { describe, expect, it } from 'vitest';
import { passedResult, type RawResult } from '../../src/upstream/calls/passed-result.ts';

const OPTIONS = {
  maxBytes: 1_000,
  isRead: true,
  scrub: (text: string) => text.replaceAll('s3cret', '[secret]'),
};

function passed(raw: RawResult, options: Partial<typeof OPTIONS> = {}) {
  return passedResult(raw, { ...OPTIONS, ...options });
}

function texts(...given: string[]): RawResult {
  return { content: given.map((text) => ({ type: 'text', text })) };
}

describe('result of a tool of another server', () => {
  it('passes blocks in order, with their annotations and without _meta', () => {
    const content = [
      {
        type: 'text',
        text: 'one',
        _meta: { 'gatehouse/notice': true },
        annotations: { audience: ['user'], priority: 0.5, x: 1 },
      },
      { type: 'image', data: 'QUJD', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'two', _meta: {} } },
    ];
    expect(passed({ content })).toEqual({
      content: [
        { type: 'text', text: 'one', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: 'QUJD', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'two' } },
      ],
      notices: [],
    });
  });

  it.each<[unknown, string]>([
    [
      { type: 'resource_link', uri: 'https://track.example/1', name: 'Report' },
      '[resource_link Report https://track.example/1]',
    ],
    [{ type: 'resource', resource: { uri: 'ui://widget', text: '<html>' } }, '[resource ui://widget]'],
    [{ type: 'video', data: 'x' }, '[video]'],
    [{ type: 'image', data: '<svg>' }, '[image]'],
    ['text', '[unknown]'],
  ])('turns %j into one line of text', (block, text) => {
    expect(passed({ content: [block] }).content).toEqual([{ type: 'text', text }]);
  });

  it('loses tag characters, control characters and escape sequences, and keeps emoji', () => {
    const given = 'a\u{e0041}b\u0000c\u001b[31md\u001b]0;title\u0007e 👨\u200d👩\u200d👧 ❤\ufe0f\n';
    expect(passed(texts(given)).content).toEqual([
      { type: 'text', text: 'abcde 👨\u200d👩\u200d👧 ❤\ufe0f\n' },
    ]);
  });

  it('never holds a live credential, in text or JSON', () => {
    const result = passed({ ...texts('token s3cret'), structuredContent: { s3cret: ['s3cret'] } });
    expect(JSON.stringify(result)).not.toContain('s3cret');
    expect(result.structuredContent).toEqual({ '[secret]': ['[secret]'] });
  });

  it.each(['image', 'audio'])('never holds a live credential in an %s, as it is or encoded', (type) => {
    const bytes = Buffer.from('RIFF s3cret').toString('base64');
    const content = ['s3cret00', bytes, 'QUJD'].map((data) => ({ type, data, mimeType: 'x/y' }));
    expect(passed({ content }).content).toEqual([
      { type: 'text', text: `[${type}]` },
      { type: 'text', text: `[${type}]` },
      { type, data: 'QUJD', mimeType: 'x/y' },
    ]);
  });

  it('contains its structured content as text if there is no other text', () => {
    expect(passed({ content: [], structuredContent: { a: 1 } })).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
      notices: [],
    });
  });

  it('limits the size of all texts together', () => {
    expect(passed(texts('x'.repeat(900), 'é'.repeat(100), 'left out'))).toEqual({
      ...texts('x'.repeat(900), 'é'.repeat(50)),
      notices: ['The text is cut: it shows the first 1000 of 1108 bytes.'],
    });
  });

  it('keeps 200 blocks and a megabyte of images', () => {
    const many = passed(texts(...Array.from({ length: 10_000 }, () => 'x')));
    expect([many.content.length, many.notices]).toEqual([200, ['9800 of 10000 blocks are left out.']]);
    const image = { type: 'image', data: 'A'.repeat(700_000), mimeType: 'image/png' };
    const images = passed({ content: [image, image] });
    expect([images.content.length, images.notices.length]).toEqual([1, 1]);
  });

  it('fails a read with too large structured content, and drops the content of a completed change', () => {
    const structuredContent = { text: 'x'.repeat(1_000) };
    expect(() => passed({ structuredContent })).toThrow('Make the request narrower');
    expect(passed({ structuredContent }, { isRead: false })).toEqual({
      content: [],
      notices: [
        'The tool has done its work. Its structured answer has more than 1000 bytes or 200 levels, so it is left out.',
      ],
    });
  });

  it('keeps structured content that can be serialized, and treats deeper content as too large', () => {
    let structuredContent: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) structuredContent = { a: structuredContent };
    expect(() => passed({ structuredContent })).toThrow('Make the request narrower');
    expect(passed({ structuredContent }, { isRead: false })).toMatchObject({ content: [] });
    expect(passed({ structuredContent: { a: [{ b: {} }] } })).toMatchObject({
      structuredContent: { a: [{ b: {} }] },
    });
  });

  it.each([undefined, null, 'text', 7])('contains no block if its content is %j', (content) => {
    expect(passed({ content })).toEqual({ content: [], notices: [] });
  });
});
