/**
 * Makes two readable themes from the one color that an operator chooses.
 *
 * @see WCAG 2.2 section 1.4.3 (contrast of text)
 */

type Rgb = readonly [number, number, number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** Backgrounds on which links have the least contrast: the ground of the light theme, the card of the dark theme. */
const LIGHT_GROUND: Rgb = [0xf3, 0xf4, 0xf1];
const DARK_CARD: Rgb = [0x1a, 0x21, 0x1e];

const MIN_CONTRAST = 4.5;

/**
 * Rules that follow the common stylesheet. In both themes buttons have the accent, darkened until white text on it
 * has a contrast of 4.5. Links have the same color on a light background, and a lighter one on a dark background.
 *
 * @param accent `#rrggbb`
 */
export function accentStyle(accent: string): string {
  const chosen = parsed(accent);
  const button = mixedUntilReadable(chosen, BLACK, [LIGHT_GROUND]);
  const darkTint = mix(DARK_CARD, chosen, 0.16);
  const link = mixedUntilReadable(chosen, WHITE, [DARK_CARD, darkTint]);
  return `
:root {
  --accent: ${hex(button)};
  --accent-over: ${hex(mix(button, BLACK, 0.2))};
  --tint: ${hex(mix(WHITE, button, 0.08))};
  --button: ${hex(button)};
  --button-over: ${hex(mix(button, BLACK, 0.2))};
  --on-accent: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --accent: ${hex(link)};
    --accent-over: ${hex(mix(link, WHITE, 0.25))};
    --tint: ${hex(darkTint)};
    --on-accent: #ffffff;
  }
}
`;
}

/** The contrast of two colors, from 1 to 21. */
function contrast(a: Rgb, b: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The color, mixed with `towards` just enough to be readable on each of the backgrounds. */
function mixedUntilReadable(colour: Rgb, towards: Rgb, grounds: readonly Rgb[]): Rgb {
  let share = 0;
  let mixed = colour;
  while (share < 1 && grounds.some((ground) => contrast(mixed, ground) < MIN_CONTRAST)) {
    share += 0.02;
    mixed = mix(colour, towards, share);
  }
  return mixed;
}

function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2): number =>
    Math.round(a[index] + (b[index] - a[index]) * Math.min(share, 1));
  return [part(0), part(1), part(2)];
}

function luminance(colour: Rgb): number {
  const linear = (value: number): number => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
}

function parsed(colour: string): Rgb {
  const part = (start: number): number => Number.parseInt(colour.slice(start, start + 2), 16);
  return [part(1), part(3), part(5)];
}

function hex(colour: Rgb): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
