/**
 * Style of the frame: tokens, page, side navigation, bar. Names that `pages/frame/stylesheet.ts` also has mean the
 * same there.
 */

/** CSS text. */
export const LAYOUT_STYLE = `
:root {
  color-scheme: light dark;
  /* surfaces */
  --ground: light-dark(#f3f4f1, #111614);
  --card: light-dark(#ffffff, #1a211e);
  --sunken: light-dark(#f8f9f7, #151b19);
  --raised: light-dark(#ffffff, #222b27);
  --tint: light-dark(#e9f3ef, #1b2f28);
  /* text */
  --ink: light-dark(#1b2420, #e9efec);
  --soft: light-dark(#56625c, #a5b2ac);
  --faint: light-dark(#66716b, #8d9a94);
  /* lines */
  --line: light-dark(#d9ded9, #303a36);
  --line-soft: light-dark(#e9ece8, #262f2b);
  --field: light-dark(#ffffff, #121816);
  --field-line: light-dark(#a9b3ae, #4b5752);
  /* accent */
  --accent: light-dark(#0b6650, #5fd0ae);
  --accent-over: light-dark(#084d3c, #86e0c5);
  --on-accent: light-dark(#ffffff, #06241b);
  /* states: text on tint reaches 4.5:1 in both themes */
  --ok: light-dark(#0b6650, #6bd6b5);
  --ok-tint: light-dark(#e2f2eb, #16332a);
  --warn: light-dark(#835000, #f0bd66);
  --warn-tint: light-dark(#fdf0da, #38290f);
  --bad: light-dark(#a3211a, #ff9d92);
  --bad-tint: light-dark(#fbeae8, #3d1f1c);
  --info: light-dark(#1d568c, #93c4f5);
  --info-tint: light-dark(#e6eff8, #182b3e);
  --idle: light-dark(#56625c, #a5b2ac);
  --idle-tint: light-dark(#eceeeb, #28312d);
  /* charts */
  --c-ok: light-dark(#3f9c83, #3f9f84);
  --c-wait: light-dark(#b87d1a, #d19d4f);
  --c-bad: light-dark(#cf4b41, #df6a60);
  --c-grid: light-dark(#e9ece8, #2a332f);
  /* space: 4 px grid */
  --s1: 0.25rem; --s2: 0.5rem; --s3: 0.75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2rem;
  --r1: 0.375rem; --r2: 0.55rem; --r3: 0.8rem;
  --shadow: 0 1px 2px rgb(0 0 0 / 0.04), 0 8px 24px -18px rgb(0 0 0 / 0.22);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
@view-transition { navigation: auto; }
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 400 0.875rem/1.45 var(--sans); 
  display: grid; grid-template: "side main" 1fr / 15.25rem minmax(0, 1fr);
}
a { color: inherit; text-decoration: none; }
p, h1, h2, h3, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
code, pre, .mono { font-family: var(--mono); font-size: 0.92em; font-variant-ligatures: none; }
svg { display: block; }
.i { width: 1rem; height: 1rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--r1); }
.hide { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: var(--s4); top: -4rem; padding: var(--s2) var(--s4); background: var(--accent); color: var(--on-accent); border-radius: var(--r2); z-index: 9; }
.skip:focus { top: var(--s3); }
.num { font-variant-numeric: tabular-nums; }
.soft { color: var(--soft); }
.link { color: var(--accent); font-weight: 550; white-space: nowrap; }
.link:hover { color: var(--accent-over); text-decoration: underline; text-underline-offset: 0.2em; }

/* side */
.side { grid-area: side; position: sticky; top: 0; height: 100vh; display: flex; flex-direction: column; padding: var(--s4) var(--s3) var(--s3); overflow-y: auto; }
.brand { display: flex; align-items: center; gap: 0.55rem; padding: 0.15rem var(--s2) var(--s4); font-size: 0.975rem; font-weight: 650; letter-spacing: -0.005em; }
.brand svg { width: 1.5rem; height: 1.5rem; color: var(--accent); }
.env { position: relative; margin-bottom: var(--s4); }
.env summary { display: flex; align-items: center; gap: var(--s2); padding: 0.5rem 0.65rem; border: 1px solid var(--line); border-radius: var(--r2); background: var(--card); cursor: pointer; list-style: none; box-shadow: 0 1px 1px rgb(0 0 0 / 0.03); }
.env summary::-webkit-details-marker { display: none; }
.env b { font-weight: 600; }
.env small { display: block; color: var(--soft); font-size: 0.75rem; }
.env summary > span { flex: 1; min-width: 0; line-height: 1.3; }
.env summary > span small { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pip { width: 0.55rem; height: 0.55rem; border-radius: 50%; background: var(--c-ok); flex: none; }
.pip.prod { background: var(--c-wait); }
.nav h2 { padding: var(--s4) 0.65rem 0.3rem; color: var(--faint); font-size: 0.75rem; font-weight: 550; }
.nav ul { display: grid; gap: 1px; }
.nav a { display: flex; align-items: center; gap: 0.65rem; padding: 0.4rem 0.65rem; border-radius: var(--r2); color: var(--soft); font-weight: 500; }
.nav a .i { opacity: 0.85; }
.nav a:hover { background: color-mix(in srgb, var(--ink) 5%, transparent); color: var(--ink); }
.nav a[aria-current] em { color: inherit; }
.nav a[aria-current] { background: color-mix(in srgb, var(--accent) 11%, transparent); color: var(--accent); font-weight: 600; }
.nav em { margin-inline-start: auto; font-style: normal; font-size: 0.75rem; font-variant-numeric: tabular-nums; color: var(--faint); font-weight: 500; }
.nav em.hot { padding: 0 0.4rem; border-radius: 1rem; background: var(--bad-tint); color: var(--bad); font-weight: 600; }
.me { margin-top: auto; padding: var(--s3) var(--s2) 0; display: flex; align-items: center; gap: 0.6rem; }
.me > .who { flex: 1; min-width: 0; line-height: 1.3; font-weight: 550; }
.me small { display: block; color: var(--soft); font-weight: 400; font-size: 0.75rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.face { width: 2rem; height: 2rem; border-radius: 50%; display: grid; place-items: center; background: var(--tint); color: var(--accent); font-size: 0.75rem; font-weight: 650; flex: none; }

/* main */
main { grid-area: main; padding: 0 var(--s6) var(--s6); min-width: 0; border-inline-start: 1px solid var(--line); }
.bar { display: flex; align-items: center; gap: var(--s3); height: 3.5rem; margin-inline: calc(-1 * var(--s6)); padding-inline: var(--s6); border-bottom: 1px solid var(--line); position: sticky; top: 0; background: var(--ground); z-index: 2; }
.bar nav { min-width: 0; overflow: hidden; }
.crumbs { display: flex; align-items: center; gap: 0.45rem; color: var(--soft); min-width: 0; }
.crumbs li { display: flex; align-items: center; gap: 0.45rem; white-space: nowrap; min-width: 0; }
.crumbs li:first-child { flex: none; } .crumbs li:last-child { flex-shrink: 4; } .crumbs li > :last-child { overflow: hidden; text-overflow: ellipsis; }
.crumbs .pip { margin-inline-end: 0.1rem; }
.crumbs li + li::before { content: "/"; color: var(--faint); opacity: 0.6; }
.crumbs a:hover { color: var(--ink); }
.crumbs [aria-current] { color: var(--ink); font-weight: 600; }
.find { margin-inline-start: auto; flex: none; display: flex; align-items: center; gap: 0.5rem; width: 19rem; height: 2.125rem; padding-inline: 0.65rem; border: 1px solid var(--line); border-radius: var(--r2); background: var(--card); color: var(--faint); }
.find input { flex: 1; min-width: 0; border: 0; background: none; color: var(--ink); font: inherit; outline: none; }
.find input::placeholder { color: var(--faint); opacity: 1; } .find input { text-overflow: ellipsis; }
.find:focus-within { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
kbd { font: 500 0.7rem/1 var(--sans); padding: 0.2rem 0.35rem; border: 1px solid var(--line); border-radius: 0.3rem; color: var(--faint); background: var(--sunken); }
.icon-btn { width: 2.125rem; height: 2.125rem; display: grid; place-items: center; border: 1px solid transparent; border-radius: var(--r2); background: none; color: var(--soft); cursor: pointer; }
.icon-btn:hover { background: var(--card); border-color: var(--line); color: var(--ink); }
.wrap { max-width: 80rem; margin-inline: auto; }
.head { display: flex; flex-wrap: wrap; align-items: flex-end; gap: var(--s3) var(--s4); padding-block: 1.6rem 1.25rem; }
.head > div:first-child { flex: 1 1 20rem; }
h1 { font-size: 1.5rem; font-weight: 650; line-height: 1.2; letter-spacing: -0.018em; }
h2 { font-size: 0.9375rem; font-weight: 620; letter-spacing: -0.005em; }
.head p { margin-top: 0.3rem; color: var(--soft); max-width: 46rem; text-wrap: pretty; }
`;
