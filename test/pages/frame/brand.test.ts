import { describe, expect, it } from 'vitest';
import type { Brand } from '../../../src/core/environment.ts';
import { styleOf } from '../../../src/pages/frame/brand.ts';
import { openDesk, policyOf } from '../support.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

const BRAND: Brand = {
  name: 'Northlight <b>Supply</b>',
  logo: { mediaType: 'image/svg+xml', bytes: new TextEncoder().encode(SVG) },
  accent: '#7a1fa2',
  helpUrl: 'https://help.example.test/?a=1&b="2',
  privacyUrl: 'https://example.test/privacy',
};

/** One page of each kind of this desk: a link, a message, one that does not exist. */
const PATHS = ['/connect/token-1', '/connect/done', '/nowhere', '/'];

describe('brand of the operator on pages', () => {
  it.each(PATHS)('shows name, logo and links on %s', async (path) => {
    const response = await openDesk({ brand: BRAND, environmentName: 'production' }).app.request(path);
    const page = await response.text();
    expect(page).toContain(' · Northlight &lt;b&gt;Supply&lt;/b&gt;</title>');
    expect(page).toMatch(
      /<header><img src="\/brand\/logo-[0-9a-f]{16}\.svg" alt="" \/><span>Northlight &lt;b&gt;Supply&lt;\/b&gt;<\/span><\/header>/,
    );
    expect(page).toContain(
      '<a href="https://help.example.test/?a=1&amp;b=&quot;2" target="_blank" rel="noopener noreferrer">Help</a>',
    );
    expect(page).toContain('>Privacy</a>');
    expect(page).toContain('<li>Runs on Gatehouse</li>');
    expect(page).toContain('--button: #7a1fa2;');
    expect(policyOf(response)['img-src']).toBe("'self' data:");
  });

  it('has its links in German too', async () => {
    const response = await openDesk({ brand: BRAND }).app.request('/connect/done', {
      headers: { 'accept-language': 'de' },
    });
    const page = await response.text();
    expect(page).toContain('>Hilfe</a>');
    expect(page).toContain('>Datenschutz</a>');
    expect(page).toContain('<li>Läuft auf Gatehouse</li>');
  });

  it.each([
    ['staging', '<span>Gatehouse</span><small>staging</small></header>'],
    ['production', '<span>Gatehouse</span></header>'],
  ])('names the environment unless it is production: %s', async (environmentName, header) => {
    const page = await (await openDesk({ environmentName }).app.request('/connect/done')).text();
    expect(page).toContain(header);
  });

  it('keeps its own name and says nothing in the footer without one', async () => {
    const response = await openDesk().app.request('/connect/done');
    const page = await response.text();
    expect(page).toContain(' · Gatehouse</title>');
    expect(page).not.toContain('<footer>');
    expect(policyOf(response)['img-src']).toBe('data:');
  });
});

describe('logo of the brand', () => {
  const pathIn = async (desk: ReturnType<typeof openDesk>): Promise<string> =>
    /src="(\/brand\/[^"]+)"/.exec(await (await desk.app.request('/connect/done')).text())?.[1] ?? '';

  it('comes as a picture in which nothing runs', async () => {
    const desk = openDesk({ brand: BRAND });
    const response = await desk.app.request(await pathIn(desk));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(SVG);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('has another address with each picture', async () => {
    const png: Brand = { logo: { mediaType: 'image/png', bytes: new Uint8Array([1]) } };
    const first = await pathIn(openDesk({ brand: png }));
    expect(first).toMatch(/^\/brand\/logo-[0-9a-f]{16}\.png$/);
    expect(first).not.toBe(await pathIn(openDesk({ brand: BRAND })));
  });

  it.each(['/brand/logo-0000000000000000.svg', '/brand/other'])(
    'answers 404 to any other address: %s',
    async (path) => {
      expect((await openDesk({ brand: BRAND }).app.request(path)).status).toBe(404);
      expect((await openDesk().app.request(path)).status).toBe(404);
    },
  );
});

describe('accent colour of pages', () => {
  /** The value of a variable in one theme, the last that is written. */
  const valuesOf = (accent: string, name: string): string[] =>
    [...styleOf({ accent }).text.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'g'))].map(
      ([, value = '']) => value,
    );

  it.each(['#ffff00', '#ffffff', '#ff7a00', '#00e5ff', '#7a1fa2', '#000000', '#0b6650'])(
    'darkens it until white text on a button has a contrast of 4.5: %s',
    (accent) => {
      const [button = ''] = valuesOf(accent, 'button');
      expect(contrastOf('#ffffff', button)).toBeGreaterThanOrEqual(4.5);
      expect(valuesOf(accent, 'on-accent').slice(-2)).toEqual(['#ffffff', '#ffffff']);
    },
  );

  it.each(['#ffff00', '#ffffff', '#ff7a00', '#7a1fa2', '#000000'])(
    'makes links that can be read on light and on dark ground: %s',
    (accent) => {
      const [light = '', dark = ''] = valuesOf(accent, 'accent').slice(-2);
      expect(contrastOf(light, '#f3f4f1')).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(dark, '#1a211e')).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(dark, '#111614')).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('stays as it was chosen where it can be read already', () => {
    expect(valuesOf('#7a1fa2', 'button')).toEqual(['#7a1fa2']);
  });
});

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrastOf(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
      const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
