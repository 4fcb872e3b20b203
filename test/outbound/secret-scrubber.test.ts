/** A provider that repeats our credentials does not get them to anybody. */
import { describe, expect, it } from 'vitest';
import { SecretScrubber } from '../../src/outbound/secret-scrubber.ts';

const SECRET = 'k3y+/with "odd" chars&more!~';

describe('secret scrubber of outbound answers', () => {
  const scrubber = new SecretScrubber([SECRET]);

  it.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify({ echo: SECRET })],
    ['in JSON with escaped slashes', JSON.stringify({ echo: SECRET }).replaceAll('/', '\\/')],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64url', Buffer.from(SECRET).toString('base64url')],
    ['in Basic credentials', `Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`],
    ['in Basic credentials of a longer user', `Basic ${Buffer.from(`user1:${SECRET}`).toString('base64')}`],
    [
      'in Basic credentials of a still longer user',
      `Basic ${Buffer.from(`user12:${SECRET}:`).toString('base64')}`,
    ],
    ['percent-encoded', encodeURIComponent(SECRET)],
    [
      'percent-encoded in lower case',
      encodeURIComponent(SECRET).replaceAll(/%../g, (code) => code.toLowerCase()),
    ],
    ['as a form', new URLSearchParams({ key: SECRET }).toString()],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ])('masks a secret %s', (_, text) => {
    const clean = scrubber.scrub(`before ${text} after`);
    expect(clean).toContain('[secret]');
    expect(clean).toMatch(/^before .* after$/);
    for (const part of ['k3y', 'odd', 'chars', 'b2Rk', '6f6464']) expect(clean).not.toContain(part);
  });

  it('masks every one of several secrets, the longer first', () => {
    expect(new SecretScrubber(['token-1', 'token-12']).scrub('token-12 token-1 token-12')).toBe(
      '[secret] [secret] [secret]',
    );
  });

  it('leaves other text, and secrets too short to recognize, unchanged', () => {
    expect(new SecretScrubber(['abc', '']).scrub('abc def')).toBe('abc def');
    expect(scrubber.scrub('nothing here')).toBe('nothing here');
  });
});
