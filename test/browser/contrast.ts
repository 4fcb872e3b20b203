/** How well text can be read: the contrast of WCAG 2.2, computed in the page from what is really painted. */
import type { Page } from 'playwright-core';

/** Runs in the page, so it is plain JavaScript. */
const SCRIPT = String.raw`(() => {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (channels(color)[3] !== 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join('').trim();
    if (text === '') continue;
    const values = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))];
    found.push({ text, ratio: (Math.max(...values) + 0.05) / (Math.min(...values) + 0.05) });
  }
  return found;
})()`;

/** Every piece of text of a page with its contrast against what lies behind it; 4.5 is enough for small text. */
export async function contrasts(page: Page): Promise<{ text: string; ratio: number }[]> {
  return page.evaluate<{ text: string; ratio: number }[]>(SCRIPT);
}
