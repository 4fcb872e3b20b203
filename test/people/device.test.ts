import { describe, expect, it } from 'vitest';
import { deviceOf } from '../../src/people/device.ts';
import { NO_VISITOR } from '../../src/core/caller.ts';

const of = (userAgent: string) => deviceOf({ ...NO_VISITOR, userAgent });

describe('device of a session', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36', 'Chrome', 'Linux'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0', 'Edge', 'Windows'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
      'Safari',
      'macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) CriOS/142.0 Mobile Safari/604.1',
      'Chrome',
      'iOS',
    ],
    ['Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox', 'Android'],
    [
      'Mozilla/5.0 (Linux; Android 15) SamsungBrowser/28.0 Chrome/130.0 Mobile',
      'Samsung Internet',
      'Android',
    ],
    ['Mozilla/5.0 (X11; CrOS x86_64) Chrome/142.0 Safari/537.36 OPR/110.0', 'Opera', 'ChromeOS'],
  ])('comes from the User-Agent: %s', (userAgent, browser, system) => {
    expect(of(userAgent)).toEqual({ browser, system });
  });

  it.each(['', 'curl/8.5.0', '<script>alert(1)</script>', 'x'.repeat(1024)])(
    'contains nothing unknown: %s',
    (userAgent) => {
      expect(of(userAgent)).toEqual({});
    },
  );

  it('keeps the place of the operator’s proxy, and no region of another form', () => {
    expect(deviceOf({ ...NO_VISITOR, city: 'Berlin', region: 'DE' })).toEqual({
      city: 'Berlin',
      region: 'DE',
    });
    expect(deviceOf({ ...NO_VISITOR, city: 'B'.repeat(200), region: 'Germany' })).toEqual({
      city: 'B'.repeat(100),
    });
  });
});
