import { expect, it } from 'vitest';
import { deviceTypeOf, tellSession } from '../../src/interceptors/interceptor-body.ts';
import { session } from './interceptor-questions.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  ['Desktop', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/143.0 Safari/537.36'],
  [
    'Desktop',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15',
  ],
  ['Desktop', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['Desktop', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/143.0.0.0 Safari/537.36`],
  [
    'Mobile',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1',
  ],
  ['Mobile', `Mozilla/5.0 (Linux; Android 16; Pixel 10) ${WEBKIT} Chrome/143.0 Mobile Safari/537.36`],
  ['Mobile', 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'],
  [
    'Tablet',
    'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
  ],
  ['Tablet', `Mozilla/5.0 (Linux; Android 15; SM-X710) ${WEBKIT} Chrome/143.0 Safari/537.36`],
  ['Tablet', 'Mozilla/5.0 (Android 15; Tablet; rv:140.0) Gecko/140.0 Firefox/140.0'],
  ['Unknown', `Mozilla/5.0 (Linux; Android 12; BRAVIA 4K TV) ${WEBKIT} Chrome/143.0 Safari/537.36`],
  ['Unknown', `Mozilla/5.0 (Web0S; Linux/SmartTV) ${WEBKIT} Chrome/108.0 Safari/537.36`],
  ['Unknown', 'Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example.test)'],
  ['Unknown', 'job/1.0'],
  ['Unknown', 'curl/8.5.0'],
  ['Unknown', 'python-requests/2.32 (Linux)'],
  ['Unknown', 'node'],
  ['Unknown', ''],
])('gives the device type %s for the user agent %s', (expected, userAgent) => {
  expect(deviceTypeOf(userAgent)).toBe(expected);
});

it('reads the longest user agent without delay', () => {
  expect(deviceTypeOf(`Mozilla/5.0 (${'Android '.repeat(127)}`)).toBe('Tablet');
});

it('names a code by e-mail with an id, also in sessions that were made without one', () => {
  const connectionDetails = [{ id: '', type: 'PASSWORDLESS' as const, provider: 'EMAIL' }];
  const told = tellSession({ ...session, connectionDetails })(0, { claims: {} });
  expect(told.interceptor_context['connection_details']).toEqual([
    { id: 'conn_email', type: 'PASSWORDLESS', provider: 'EMAIL' },
  ]);
});
