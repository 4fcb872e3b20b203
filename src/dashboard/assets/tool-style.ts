/** Style of the page that tries a tool. */

/** CSS text. */
export const TOOL_STYLE = `
.tool-facts { margin: -0.6rem 0 0.9rem; }
.tool-facts .copyable code { flex: none; }
.seg button, .seg .now { min-height: 1.75rem; padding: 0.2rem 0.7rem; border: 0; border-radius: 0.4rem; background: none; color: var(--soft); font: inherit; font-weight: 530; cursor: pointer; }
.seg button:hover { color: var(--ink); }
.seg .now { background: var(--raised); color: var(--ink); font-weight: 600; box-shadow: 0 0 0 1px var(--line), 0 1px 2px rgb(0 0 0 / 0.07); cursor: default; }
.card > form > header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem var(--s3); padding: 0.85rem 1.1rem; }
.card > form > header > h2 { flex: 1 1 auto; }
textarea[rows="1"] { min-height: 2.25rem; font: inherit; field-sizing: content; }
.chosen { margin-top: 0.55rem; }
.chosen > span:nth-child(2) { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.find-account { display: flex; gap: 0.5rem; margin-top: 0.4rem; }
.more summary { padding: 0.8rem 1.1rem; border-top: 1px solid var(--line-soft); color: var(--accent); font-weight: 550; cursor: pointer; }
.runbar { flex-wrap: wrap; }
.runbar p { flex: 1 1 12rem; }
.btn.warned { background: var(--warn); border-color: transparent; color: var(--card); font-weight: 620; }
.btn.warned:hover { background: color-mix(in srgb, var(--warn) 85%, var(--ink)); }
.pane.alone, .card:has(#v-error:checked) .p-error, .card:has(#v-request:checked) .p-request { display: block; }
.card:has(#l-curl:checked) .p-curl, .card:has(#l-typescript:checked) .p-typescript, .card:has(#l-python:checked) .p-python, .card:has(#l-mcp:checked) .p-mcp { display: block; }
.samples .pane { position: relative; }
.samples .copy-btn { position: absolute; top: 0.35rem; right: 0.5rem; background: var(--card); border-color: var(--line); }
.trial .code { max-height: 34rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.trial .pane > .code:last-child { border-radius: 0 0 var(--r3) var(--r3); }
.card > .filters:last-child { border-bottom: 0; }
.outcome code { color: var(--bad); }
.asked { padding: 0 1.1rem 1.1rem; }
.asked form { display: grid; gap: 0.8rem; }
.asked h3 { font-size: 1rem; }
.asked h3:focus { outline: none; }
@media (max-width: 34rem) { .samples .code { padding-top: 2.6rem; } .runbar.stale p, .runbar p { display: block; flex-basis: 100%; } .card > form > header > .seg { order: 0; } }
`;
