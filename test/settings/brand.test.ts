import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/settings/settings.ts';
import { emptyFolder, problemsOf, settingsOf } from './settings-support.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z" fill="#035"/></svg>';
const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806', 'hex');

/** What is wrong with a logo of this content. */
function logoProblems(content: string | Buffer): string[] {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'work', 'logo'), content);
  try {
    settingsOf({ yaml: 'brand:\n  logo: logo' }, folder);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(({ line, key, message }) => `${line} ${key}: ${message}`);
  }
}

describe('brand in the settings', () => {
  it('belongs to each environment, and reads the logo', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'work', 'logo.svg'), SVG);
    const yaml = `brand:
  name: Northlight Supply
  logo: logo.svg
  accent: '#7A1FA2'
  help_url: https://help.example.test/agents
  privacy_url: https://example.test/privacy
environments:
  - name: production
    base_url: https://gate.example.test
    brand: {name: Northlight}`;
    const [development, production] = settingsOf({ yaml }, folder).environments;
    expect(development.brand).toEqual({
      name: 'Northlight Supply',
      logo: { mediaType: 'image/svg+xml', bytes: new TextEncoder().encode(SVG) },
      accent: '#7A1FA2',
      helpUrl: 'https://help.example.test/agents',
      privacyUrl: 'https://example.test/privacy',
    });
    expect(production?.brand).toEqual({ name: 'Northlight' });
  });

  it('has no parts where nothing is set', () => {
    expect(settingsOf({}).environments[0].brand).toEqual({});
  });

  it('takes its parts from environment variables too', () => {
    const env = { GATEHOUSE_BRAND_NAME: 'Northlight', GATEHOUSE_BRAND_ACCENT: '#123456' };
    expect(settingsOf({ env }).environments[0].brand).toEqual({ name: 'Northlight', accent: '#123456' });
  });

  it('reports every bad part at its own line', () => {
    const yaml = `brand:
  name: "two\\nlines"
  logo: missing.png
  accent: green
  help_url: javascript:alert(1)
  privacy_url: http://example.test/privacy
  colour: red`;
    const url = 'must be an https URL (http on loopback only) without user name, password or fragment';
    expect(problemsOf({ yaml }).toSorted()).toEqual([
      '2 brand.name: must be text of at most 60 characters in one line',
      '3 brand.logo: names a file that does not exist',
      '4 brand.accent: must be a colour such as #0b6650',
      `5 brand.help_url: ${url}`,
      `6 brand.privacy_url: ${url}`,
      '7 brand.colour: is not a setting',
    ]);
  });

  it.each([
    ['characters that turn the direction of text', 'name: "abc\\u202Edef"'],
    ['more than 60 characters', `name: ${'x'.repeat(61)}`],
    ['spaces around it', 'name: " x"'],
  ])('refuses a name with %s', (_what, line) => {
    expect(problemsOf({ yaml: `brand:\n  ${line}` })).toEqual([
      '2 brand.name: must be text of at most 60 characters in one line',
    ]);
  });
});

describe('settings: file of brand.logo', () => {
  it.each([
    ['a PNG', PNG],
    ['an SVG', SVG],
    ['an SVG with declaration and comment', `<?xml version="1.0"?>\n<!-- made by hand -->\n${SVG}\n`],
  ])('accepts %s as a logo', (_what, content) => {
    expect(logoProblems(content)).toEqual([]);
  });

  const PLAIN =
    '2 brand.logo: names an SVG file with a script, an event handler, foreign content or a DOCTYPE: export it as plain SVG';
  const KIND = '2 brand.logo: must name a PNG or SVG file';
  const BROKEN =
    '2 brand.logo: names an SVG file that browsers do not show: it needs xmlns="http://www.w3.org/2000/svg" and </svg> at its end';
  it.each([
    [
      'is too large',
      Buffer.alloc(50_001, PNG),
      '2 brand.logo: names a file of 50001 bytes: a logo has at most 50000',
    ],
    ['is empty', '', KIND],
    ['is a JPEG', Buffer.from('ffd8ffe000104a4649460001', 'hex'), KIND],
    ['is HTML', '<!doctype html><svg></svg>', KIND],
    ['is no UTF-8', Buffer.concat([Buffer.from(SVG), Buffer.from([0xff])]), KIND],
    ['is cut off', SVG.slice(0, -6), BROKEN],
    ['has no namespace', '<svg viewBox="0 0 8 8"></svg>', BROKEN],
    ['runs a script', SVG.replace('<path', '<script>alert(1)</script><path'), PLAIN],
    ['handles events', SVG.replace('<path', '<path onload="alert(1)"'), PLAIN],
    ['embeds a page', SVG.replace('<path', '<foreignObject/><path'), PLAIN],
    ['leads to a script', SVG.replace('<path', '<a href="javascript:alert(1)"/><path'), PLAIN],
  ])('refuses a file at start that %s', (_what, content, problem) => {
    expect(logoProblems(content)).toEqual([problem]);
  });

  it('refuses a folder as a logo', () => {
    expect(problemsOf({ yaml: 'brand:\n  logo: .' })).toEqual([
      '2 brand.logo: names a file that does not exist',
    ]);
  });
});
