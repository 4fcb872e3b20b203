import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { viewFor } from '../../../src/pages/words/words.ts';
import { openDesk } from '../support.ts';

const PAGES = join(import.meta.dirname, '../../../src/pages');

describe('language of a page', () => {
  it.each([
    ['de', 'de'],
    ['de-AT,en;q=0.5', 'de'],
    ['fr-CH, fr;q=0.9, DE;q=0.8, en;q=0.7', 'de'],
    ['en;q=0.4, de;q=0.9', 'de'],
    ['en-GB', 'en'],
    ['de;q=0, en', 'en'],
    ['fr, it', 'en'],
    ['*', 'en'],
    ['', 'en'],
    ['constructor, __proto__', 'en'],
    [';;;q=,,,q=1;de', 'en'],
    [undefined, 'en'],
  ])('follows what the browser prefers: %j', (header, language) => {
    expect(viewFor(header, { name: 'production' }).language).toBe(language);
  });

  it('shows in the document, and caches keep both languages apart', async () => {
    const ask = async (language: string) =>
      openDesk().app.request('/connect/token-1', { headers: { 'accept-language': language } });
    const german = await ask('de-DE,de;q=0.9');
    expect(german.headers.get('vary')).toContain('accept-language');
    const page = await german.text();
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('<h1>Exa verbinden</h1>');
    expect(page).toContain('Diese Seite gilt bis');
    expect(page).toContain('<bdi lang="en">Made in the dashboard.</bdi>');
    expect(await (await ask('en')).text()).toContain('<h1>Connect Exa</h1>');
  });
});

describe('words of the pages', () => {
  it('leave no sentence untranslated', () => {
    const english = sentences(wordsOf('en'));
    const german = sentences(wordsOf('de'));
    expect([...german.keys()]).toEqual([...english.keys()]);
    const same = [...german].filter(([path, words]) => english.get(path) === words);
    expect(same.filter(([, words]) => words.trim().split(/\s+/).length > 2)).toEqual([]);
  });

  it('address nobody in the familiar form', () => {
    const familiar = [...sentences(wordsOf('de'))].filter(([, words]) =>
      /\b(du|dich|dir|dein|deine[mnrs]?)\b/i.test(words),
    );
    expect(familiar).toEqual([]);
  });

  it('stand in their own files, and in no page', () => {
    const found = readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('words'))
      .flatMap((name) =>
        wordsIn(readFileSync(join(PAGES, name), 'utf8')).map((words) => `${name}: ${words}`),
      );
    expect(found).toEqual([]);
  });
});

/** All words of a language. */
function wordsOf(language: string) {
  return viewFor(language, { name: 'production' }).words;
}

/** All texts, by their path. Functions are called with the names of their parameters. */
function sentences(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'function') return sentences(String(value('App', 'Host', 2)), path);
  if (typeof value !== 'object' || value === null || 'isEscaped' in value)
    return new Map([[path, String(value)]]);
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...sentences(inner, `${path}.${name}`)]));
}

/** Words between tags of a page's templates, and sentences in its strings. */
function wordsIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const texts = [...code.matchAll(/<\/?[a-z][^<>]*>([^<>`]*)/g)].map(([, text = '']) =>
    text.replaceAll(/\$\{[^}]*\}?/g, ' '),
  );
  const strings = [...code.matchAll(/'([A-Z][a-z]+ [a-z][^']*)'/g)].map(([, text = '']) => text);
  return [...texts.filter((text) => /^[\s.,:]*[A-Za-z][a-z]+[\s.,:?]*$/.test(text)), ...strings];
}
