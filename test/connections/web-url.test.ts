import { describe, expect, it } from 'vitest';
import { isWithinAllowed, webUrlProblem } from '../../src/connections/web-url.ts';

describe('link target: URL to send a browser to', () => {
  it.each([
    'https://app.example.test/verify?x=1',
    'http://localhost:3000/v',
    'http://127.0.0.1/v',
    'http://[::1]:8/v',
  ])('accepts the https or loopback URL %s', (url) => {
    expect(webUrlProblem(url)).toBeUndefined();
  });

  it.each([
    ['javascript:alert(1)', 'Must be an https URL; http is accepted on loopback only.'],
    ['data:text/html,x', 'Must be an https URL; http is accepted on loopback only.'],
    ['http://app.example.test/', 'Must be an https URL; http is accepted on loopback only.'],
    ['http://127.0.0.1.evil.test/', 'Must be an https URL; http is accepted on loopback only.'],
    ['https://user:pass@app.example.test/', 'Must not contain a user name or password.'],
    ['//evil.test/', 'Must be an absolute URL.'],
    ['/verify', 'Must be an absolute URL.'],
    ['https:\\\\evil.test', 'Must be an absolute URL.'],
    ['https://app.example.test/ x', 'Must be an absolute URL.'],
    ['', 'Must be an absolute URL.'],
  ])('refuses the URL %j', (url, problem) => {
    expect(webUrlProblem(url)).toBe(problem);
  });
});

describe('allow-list of verify URLs in links', () => {
  const allowed = ['https://app.example.test/verify'];

  it.each([
    'https://app.example.test/verify',
    'https://app.example.test/verify?a=1',
    'https://app.example.test/verify/x',
  ])('lets the URL %s through', (url) => {
    expect(isWithinAllowed(url, allowed)).toBe(true);
  });

  it.each([
    'https://app.example.test/verify-not',
    'https://app.example.test/',
    'https://app.example.test/verify/../other',
    'https://app.example.test/verify/%2e%2e/other',
    'https://app.example.test:8443/verify',
    'http://app.example.test/verify',
    'https://app.example.test.evil.test/verify',
  ])('refuses the URL %s', (url) => {
    expect(isWithinAllowed(url, allowed)).toBe(false);
  });

  it('lets every URL through when the list is empty', () => {
    expect(isWithinAllowed('https://anywhere.example.test/', [])).toBe(true);
  });
});
