/**
 * The one stylesheet of all pages, inlined in each: a page needs no second request and works wherever it is
 * served. The content security policy allows exactly this text and no other style.
 */
/** Light and dark, wide and narrow; system fonts, no images. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f1;
  --card: #ffffff;
  --ink: #1b2420;
  --soft: #56625c;
  --line: #d9ded9;
  --field: #ffffff;
  --field-line: #7c8882;
  --accent: #0b6650;
  --accent-over: #084d3c;
  --on-accent: #ffffff;
  --button: var(--accent);
  --button-over: var(--accent-over);
  --tint: #e9f3ef;
  --danger: #a3211a;
  --danger-tint: #fbecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111614;
    --card: #1a211e;
    --ink: #e9efec;
    --soft: #a5b2ac;
    --line: #303a36;
    --field: #121816;
    --field-line: #74817b;
    --accent: #5fd0ae;
    --accent-over: #86e0c5;
    --on-accent: #06241b;
    --tint: #1b2f28;
    --danger: #ff9d92;
    --danger-tint: #3a1e1b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  align-items: center;
  padding: clamp(1rem, 6vh, 4.5rem) 1rem 2rem;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
header, main, footer { width: 100%; max-width: 31rem; }
header {
  display: flex;
  align-items: center;
  gap: 0.55rem;
  margin-bottom: 1rem;
  padding-inline: 0.25rem;
  font-weight: 650;
  letter-spacing: 0.01em;
}
header svg { width: 1.6rem; height: 1.6rem; color: var(--accent); flex: none; }
header img { display: block; height: 2rem; max-width: 9rem; object-fit: contain; flex: none; }
header small { padding: 0 0.5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); font-weight: 400; font-size: 0.8125rem; }
header > a { display: flex; align-items: center; gap: 0.55rem; color: inherit; text-decoration: none; }
header:has(nav) { flex-wrap: wrap; justify-content: space-between; }
nav { display: flex; flex-wrap: wrap; align-items: center; gap: 0 0.8rem; font-size: 0.875rem; font-weight: 400; letter-spacing: 0; }
nav a, nav button { display: inline-block; width: auto; min-height: 2rem; padding: 0; border-radius: 0.2rem; background: none; color: var(--soft); font-weight: 400; line-height: 2rem; text-decoration: none; }
nav a:hover, nav button:hover { background: none; color: var(--accent); text-decoration: underline; }
nav [aria-current] { color: var(--ink); font-weight: 650; }
.flash { padding: 0.6rem 0.9rem; border-radius: 0.6rem; background: var(--tint); font-size: 0.9375rem; }
main {
  padding: clamp(1.25rem, 5vw, 2.25rem);
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 1rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / 0.05), 0 12px 32px -18px rgb(0 0 0 / 0.25);
}
footer ul { display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; margin: 0; padding: 0; list-style: none; }
footer ul a { display: inline-block; min-height: 1.5rem; }
footer p { margin-bottom: 0.5rem; }
footer { margin-top: 1rem; padding-inline: 0.25rem; color: var(--soft); font-size: 0.875rem; }
h1 { margin: 0 0 0.5rem; font-size: clamp(1.4rem, 5vw, 1.75rem); line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; }
h2 { margin: 1.75rem 0 0.5rem; font-size: 1.05rem; }
p { margin: 0 0 1rem; }
main > :last-child, form > :last-child, .note > :last-child { margin-bottom: 0; }
.lead { color: var(--soft); }
a { color: var(--accent); text-underline-offset: 0.2em; }
a:hover { color: var(--accent-over); }
dl { margin: 1.25rem 0; padding: 0; border-block: 1px solid var(--line); }
dl > div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.6rem 0; }
dl > div + div { border-top: 1px solid var(--line); }
dt { flex: 0 0 6.5rem; color: var(--soft); }
dd { flex: 1 1 10rem; margin: 0; font-weight: 550; }
dd small { display: block; color: var(--soft); font-weight: 400; font-size: 0.875rem; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
ul.commands { margin: 0 0 1rem; padding: 0; list-style: none; }
ul.commands li { padding: 0.55rem 0; border-top: 1px solid var(--line); }
ul.commands li:last-child { border-bottom: 1px solid var(--line); }
ul.commands code { display: block; font-weight: 600; }
ul.commands code span { white-space: nowrap; }
ul.commands li > span { color: var(--soft); font-size: 0.9375rem; }
.scopes { margin: 0 0 1.25rem; padding: 0; list-style: none; border-block: 1px solid var(--line); font-size: 0.9375rem; }
.scopes li { padding: 0.45rem 0; line-height: 1.4; }
.scopes li + li { border-top: 1px solid var(--line); }
.scopes span { display: block; }
.scopes code { font-size: 0.875rem; }
.scopes .danger { margin-inline: -0.6rem; padding-inline: 0.6rem; background: var(--danger-tint); color: var(--danger); font-weight: 600; }
.scopes span + code { color: var(--soft); font-size: 0.8125rem; }
.powers { margin: 0 0 0.75rem; padding: 0; list-style: none; border-block: 1px solid var(--line); font-size: 0.9375rem; }
.powers li { display: flex; flex-wrap: wrap; gap: 0 0.75rem; padding: 0.45rem 0; line-height: 1.4; }
.powers li + li { border-top: 1px solid var(--line); }
.powers b { flex: 0 0 6.5rem; font-weight: 650; }
.powers span { flex: 1 1 12rem; }
.powers code { display: block; }
.powers small { display: block; color: var(--soft); font-size: 0.875rem; }
.powers .danger b { color: var(--danger); }
details { margin: 0 0 0.75rem; font-size: 0.9375rem; }
summary { padding-block: 0.15rem; color: var(--soft); cursor: pointer; }
details ul { margin-top: 0.4rem; }
.join { display: flex; align-items: center; gap: 0.5rem; margin-bottom: 0.9rem; }
.join span { display: grid; place-items: center; width: 2.4rem; height: 2.4rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--tint); font-weight: 650; }
.join span:first-child { border-color: transparent; background: var(--button); color: var(--on-accent); }
.join i { width: 1.6rem; border-top: 2px dotted var(--field-line); }
.apps { display: flex; flex-wrap: wrap; gap: 0.4rem 0.9rem; margin: 0 0 0.4rem; padding: 0; list-style: none; font-size: 0.9375rem; }
.apps li { display: flex; align-items: center; gap: 0.4rem; min-width: 0; }
.apps i { display: grid; place-items: center; flex: none; width: 1.6rem; height: 1.6rem; border: 1px solid var(--line); border-radius: 0.45rem; background: var(--tint); font-size: 0.8125rem; font-style: normal; font-weight: 650; }
.prompts { margin: 0 0 1rem; padding: 0; list-style: none; }
.prompts li { padding: 0.5rem 0.8rem; border-radius: 0.55rem; background: var(--tint); }
.prompts li + li { margin-top: 0.4rem; }
figure { margin: 0 0 1rem; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); }
figcaption { color: var(--soft); font-size: 0.875rem; }
blockquote { margin: 0.15rem 0 0; }
.note { margin: 1.25rem 0; padding: 0.85rem 1rem; border-radius: 0.6rem; background: var(--tint); font-size: 0.9375rem; }
.note p { margin-bottom: 0.4rem; }
.problem { background: var(--danger-tint); }
.problem h2 { margin: 0 0 0.3rem; font-size: 1rem; }
.problem h2, .error { color: var(--danger); }
.problem a { color: var(--danger); }
.problem h2:focus { outline: none; }
.problem ul { margin: 0.25rem 0 0; padding-inline-start: 1.2rem; }
.field { margin-bottom: 1.25rem; }
label { display: block; margin-bottom: 0.3rem; font-weight: 600; }
label span { color: var(--soft); font-weight: 400; }
.hint, .error { margin: 0 0 0.4rem; font-size: 0.9375rem; }
.hint { color: var(--soft); }
.error { font-weight: 600; }
input, select, textarea {
  display: block;
  width: 100%;
  min-height: 2.875rem;
  padding: 0.5rem 0.8rem;
  border: 1px solid var(--field-line);
  border-radius: 0.55rem;
  background: var(--field);
  color: inherit;
  font: inherit;
}
input[type=checkbox] { display: inline-block; width: 1.1rem; min-height: 0; height: 1.1rem; margin: 0 0.5rem 0 0; vertical-align: -0.15rem; accent-color: var(--accent); }
label.box { display: flex; margin-bottom: 1rem; }
label.box input { flex: none; margin-top: 0.25rem; }
textarea { resize: vertical; font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: 0.9375rem; }
.masked { display: flex; gap: 0.5rem; align-items: start; }
.masked > :first-child { flex: 1; min-width: 0; }
.mask:not(:placeholder-shown) { -webkit-text-security: disc; }
::placeholder { color: var(--soft); opacity: 1; }
input[aria-invalid], select[aria-invalid], textarea[aria-invalid] { border-color: var(--danger); box-shadow: inset 0 0 0 1px var(--danger); }
input[autocomplete=one-time-code] { font-size: 1.375rem; font-variant-numeric: tabular-nums; letter-spacing: 0.3em; }
button, .button {
  display: block;
  width: 100%;
  min-height: 3rem;
  padding: 0.6rem 1.2rem;
  border: 0;
  border-radius: 0.55rem;
  background: var(--button);
  color: var(--on-accent);
  font: inherit;
  font-weight: 650;
  cursor: pointer;
}
button:hover, .button:hover { background: var(--button-over); }
.button { color: var(--on-accent); line-height: 1.8rem; text-align: center; text-decoration: none; }
.button:hover { color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button.quiet, .button.quiet { border: 1px solid var(--field-line); background: var(--card); color: var(--ink); font-weight: 550; }
button.quiet:hover, .button.quiet:hover { border-color: var(--accent); background: var(--tint); }
.masked button { flex: none; width: auto; min-height: 2.875rem; padding: 0.5rem 0.9rem; }
.masked [hidden] { display: none; }
button.danger, .button.danger { color: var(--danger); }
button.danger:hover, .button.danger:hover { border-color: var(--danger); background: var(--danger-tint); }
button small { display: block; color: var(--soft); font-weight: 400; font-size: 0.875rem; }
form + p { margin-top: 1.25rem; }
form + form, form + .button, .button + form, .actions > * + * { margin-top: 0.75rem; }
.choices { margin: 0 0 1rem; padding: 0; list-style: none; }
.choices li + li { margin-top: 0.6rem; }
.choices [aria-current] { padding: 0.7rem 1.2rem; border: 1px solid var(--line); border-radius: 0.55rem; text-align: center; }
.choices small { display: block; color: var(--soft); font-size: 0.875rem; }
.sessions { margin: 0 0 1rem; padding: 0; list-style: none; border-block: 1px solid var(--line); }
.sessions li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding: 0.7rem 0; }
.sessions li + li { border-top: 1px solid var(--line); }
.sessions li > span { flex: 1 1 12rem; }
.sessions small { display: block; color: var(--soft); font-size: 0.875rem; }
.sessions time { white-space: nowrap; }
.sessions button { flex: none; width: auto; min-height: 2.5rem; padding-block: 0.3rem; }
.status { font-weight: 550; }
.status::before { content: ""; display: inline-block; width: 0.6rem; height: 0.6rem; margin-inline-end: 0.45rem; border: 2px solid currentColor; border-radius: 50%; vertical-align: -0.03rem; }
.status.works { color: var(--accent); }
.status.works::before { background: currentColor; }
.status.broken { color: var(--danger); }
.status.broken::before { border-radius: 0.1rem; background: currentColor; transform: rotate(45deg) scale(0.85); }
.status.ended { color: var(--soft); font-weight: 400; }
.status.ended::before { display: none; }
.sessions .row { flex: none; display: flex; max-width: 100%; flex-wrap: wrap; gap: 0.5rem; }
.sessions .button { flex: none; width: auto; min-height: 2.5rem; padding-block: 0.3rem; }
.reference details { margin: 0; padding: 0.3rem 0; border-top: 1px solid var(--line); }
.reference summary:hover h3 { color: var(--accent); }
.reference h3 { display: inline; color: var(--ink); font-size: 0.9375rem; font-weight: 550; }
.reference summary small { display: block; padding-inline-start: 1.1rem; }
.reference details > div { scroll-margin-top: 5rem; padding: 0.5rem 0 0.5rem 1.1rem; }
.reference h4 { margin: 1rem 0 0.25rem; font-size: 0.875rem; color: var(--soft); }
.reference pre { margin: 0 0 1rem; padding: 0.7rem 0.9rem; border-radius: 0.55rem; background: var(--tint); overflow-x: auto; }
.fields small { color: var(--soft); }
.fields { margin: 0 0 1rem; padding: 0; list-style: none; font-size: 0.9375rem; }
.fields li { padding: 0.35rem 0; }
.fields .fields { margin: 0.25rem 0 0; padding-inline-start: 1rem; border-inline-start: 2px solid var(--line); }
.fields p { margin: 0.1rem 0 0; }
body:has(.reference) :is(header, main, footer) { max-width: 56rem; }
.mark { display: block; width: 3rem; height: 3rem; margin-bottom: 1rem; color: var(--accent); }
main > p > a:only-child, footer > a { display: inline-block; min-height: 1.5rem; }
@media (max-width: 30rem) {
  nav { column-gap: 0.7rem; }
  body { padding-top: 0.75rem; line-height: 1.45; }
  header { margin-bottom: 0.4rem; }
  main { padding: 0.8rem 1.1rem 1rem; }
  .lead, .note { font-size: 0.9375rem; line-height: 1.4; }
  .lead { margin-bottom: 0.5rem; }
  .join { display: none; }
  h2 { margin: 0.75rem 0 0.35rem; }
  dl { margin: 0.5rem 0; }
  dl > div { padding: 0.35rem 0; }
  dt { font-size: 0.875rem; }
  .powers { margin-bottom: 0.4rem; }
  .powers li { padding: 0.25rem 0; line-height: 1.35; }
  .note { margin: 0.5rem 0; padding: 0.45rem 0.8rem; }
  details { margin-bottom: 0.4rem; }
  dt, .powers b { flex-basis: 100%; }
  dd { flex-basis: 100%; }
}
@media (forced-colors: active) {
  main, .note, button, .button { border: 1px solid CanvasText; }
}
`;
