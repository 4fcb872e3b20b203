/** Style of what the components add: flash strip, filters, secrets, confirmation, details, checklists. */

/** CSS text. */
export const ADDED_STYLE = `
.flash { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; margin-top: var(--s4); padding: 0.6rem 0.9rem; border: 1px solid color-mix(in srgb, var(--c-ok) 35%, var(--line)); border-radius: var(--r2); background: var(--ok-tint); color: var(--ok); font-weight: 550; }
.side .close { display: none; }
.side .env-only { display: flex; align-items: center; gap: var(--s2); padding: 0.5rem 0.65rem; border: 1px solid var(--line); border-radius: var(--r2); background: var(--card); }
.env-only > span { min-width: 0; line-height: 1.3; }
.env-only small, .env-list small { overflow-wrap: anywhere; }
.env-list { margin-top: 0.3rem; padding: 0.4rem; border: 1px solid var(--line); border-radius: var(--r2); background: var(--raised); }
.env-list a { display: flex; align-items: center; gap: var(--s2); padding: 0.35rem 0.4rem; border-radius: var(--r1); line-height: 1.3; }
.env-list a:hover { background: var(--sunken); }
.env-list p { padding: 0.4rem; color: var(--soft); font-size: 0.75rem; }
.who a:hover { text-decoration: underline; text-underline-offset: 0.2em; }
.who bdi { overflow-wrap: anywhere; }
main:focus { outline: none; }
.btn.danger { color: var(--bad); }
.btn.danger-solid { background: var(--bad); border-color: transparent; color: var(--card); font-weight: 620; }
.btn[disabled] { opacity: 0.55; cursor: default; }
.copy-btn.done { color: var(--ok); }
@media (scripting: none) { [data-copy] { display: none; } }
.filters { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 0.6rem; padding: 0.85rem 1.1rem; border-bottom: 1px solid var(--line-soft); }
.filters label { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.2rem; color: var(--soft); font-size: 0.78rem; flex: 1 1 9.5rem; max-width: 15rem; min-width: 0; }
.filters label:has([type="datetime-local"]) { flex-basis: 13rem; }
td time { white-space: nowrap; }
.how { display: block; color: var(--soft); }
.how .copyable { align-items: flex-start; margin-top: 0.5rem; }
.how .code { border-radius: var(--r2); }
.filters label > * { color: var(--ink); }
.filters .acts { display: flex; gap: 0.5rem; align-items: center; min-height: 2.25rem; }
.filter-box summary { padding: 0.75rem 1.1rem; border-bottom: 1px solid var(--line-soft); color: var(--soft); font-weight: 550; cursor: pointer; }
@media (min-width: 34.01rem) { @supports selector(::details-content) { .filter-box summary { display: none; } .filter-box::details-content { display: block; content-visibility: visible; } } }
.states > li > b { flex: none; white-space: nowrap; }
.grid.start { align-items: start; }
.foot { align-items: center; flex-wrap: wrap; }
.foot > span { flex: 1 1 12rem; } .foot > span + span { flex: none; }
.body > .stack { margin: 0; }
.empty { padding: 1.8rem 1.1rem; display: grid; gap: 0.8rem; justify-items: start; color: var(--soft); } :is(header, .body) + .empty { padding-top: 0.4rem; }
.body { padding: 0 1.1rem 1.1rem; }
.problems { margin: 0 0 var(--s4); padding: 0.8rem 1.1rem; border: 1px solid color-mix(in srgb, var(--c-bad) 45%, var(--line)); border-radius: var(--r2); background: var(--bad-tint); color: var(--bad); }
.problems h2:focus { outline: none; }
.problems ul { list-style: disc; padding-inline-start: 1.2rem; margin-top: 0.3rem; }
.problems a { text-decoration: underline; text-underline-offset: 0.2em; }
.field .wrong { color: var(--bad); font-size: 0.8125rem; font-weight: 550; margin-bottom: 0.35rem; }
.input[aria-invalid="true"], select[aria-invalid="true"], textarea[aria-invalid="true"] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
.checks { display: grid; gap: 0.35rem; }
.checks label, .check { display: flex; align-items: baseline; gap: 0.55rem; font-weight: 450; }
.hint + .checks { margin-top: 0.5rem; }
.checks small, .check small { display: block; color: var(--soft); font-size: 0.78rem; }
.checks input, .check input { accent-color: var(--accent); flex: none; }
fieldset.field { border: 0; border-top: 1px solid var(--line-soft); margin: 0; min-width: 0; }
fieldset.field legend { float: inline-start; width: 100%; padding: 0; margin-bottom: 0.35rem; font-weight: 590; }
fieldset.field legend + * { clear: both; }
.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; padding: 0.9rem 1.1rem; border-top: 1px solid var(--line-soft); } .buttons .btn { max-width: 100%; padding-block: 0.3rem; white-space: normal; }
.narrow { max-width: 44rem; }
.facts-list { display: grid; }
.facts-list > div { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: 0.1rem 1rem; padding: 0.55rem 1.1rem; border-top: 1px solid var(--line-soft); }
.facts-list > div:has(> dd > .copyable) { align-items: baseline; }
.facts-list dt { color: var(--soft); }
.facts-list dd { overflow-wrap: anywhere; }
.facts-list dd small { display: block; color: var(--soft); font-size: 0.78rem; }
.copyable { display: flex; align-items: center; gap: 0.4rem; min-width: 0; }
.copyable code, .copyable .code { min-width: 0; flex: 1; overflow-wrap: anywhere; }
.once { border-color: color-mix(in srgb, var(--warn) 40%, var(--line)); }
.once .code { white-space: pre-wrap; overflow-wrap: anywhere; }
.once .lead { padding: 0 1.1rem 0.8rem; color: var(--soft); }
.tick { display: flex; align-items: flex-start; gap: 0.8rem; padding: 0.8rem 1.1rem; border-top: 1px solid var(--line-soft); }
.tick > span:nth-child(2) { flex: 1; min-width: 0; }
.tick b { font-weight: 600; }
.tick p { color: var(--soft); font-size: 0.8125rem; }
.tick .mark { width: 1.25rem; height: 1.25rem; border-radius: 50%; border: 1.5px solid var(--field-line); flex: none; display: grid; place-items: center; font-size: 0.75rem; color: var(--soft); }
.tick.done .mark { background: var(--c-ok); border-color: transparent; color: var(--card); }
.tick.done b { color: var(--soft); font-weight: 500; }
.path { padding: 0 1.1rem 1.1rem; display: grid; gap: 0.45rem; }
.path li { display: flex; gap: 0.6rem; align-items: baseline; }
.path .num { margin-inline-start: auto; }
.plain-list { list-style: disc; padding-inline-start: 1.2rem; display: grid; gap: 0.25rem; }
.body h3 { font-size: 0.875rem; margin-bottom: 0.3rem; }
.steps { list-style: decimal; padding-inline-start: 1.3rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; }
.steps .code { margin-top: 0.4rem; border-radius: var(--r2); }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: var(--s3); padding: 1.1rem; }
.gallery a { display: flex; gap: 0.7rem; height: 100%; padding: 0.8rem; border: 1px solid var(--line); border-radius: var(--r2); line-height: 1.35; }
.gallery a:hover { border-color: var(--accent); }
.gallery b { display: block; font-weight: 600; }
.gallery small { color: var(--soft); font-size: 0.8125rem; }
details.more { border-top: 1px solid var(--line-soft); } details.more > summary { padding: 0.8rem 1.1rem; cursor: pointer; color: var(--soft); }
.col { align-content: start; }
.tags { display: flex; flex-wrap: wrap; gap: 0.25rem; max-width: 26rem; }
.entries > li { border-top: 1px solid var(--line-soft); }
.entries summary { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.8rem; padding: 0.6rem 1.1rem; cursor: pointer; }
.entries summary:hover { background: var(--sunken); }
.entries summary small { color: var(--soft); }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: var(--s3); padding: 0 1.1rem 1.1rem; }
.sides h3 { font-size: 0.8125rem; margin-bottom: 0.3rem; }
.sides .code { border-radius: var(--r2); white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 56rem) { .sides { grid-template-columns: minmax(0, 1fr); } }
.foreign { white-space: pre-wrap; overflow-wrap: anywhere; }
.diff > li { display: grid; gap: 0.25rem; padding: 0.55rem 1.1rem; border-top: 1px solid var(--line-soft); font-size: 0.8125rem; }
.diff > li > div:has(small) { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: 0 0.6rem; }
.diff small, .diff > li > code, .diff summary { color: var(--soft); }
.diff del, .diff ins { padding: 0.15rem 0.5rem; border-radius: var(--r1); text-decoration: none; background: var(--bad-tint); } .diff ins { background: var(--ok-tint); }
.diff mark { color: inherit; background: color-mix(in srgb, var(--c-bad) 28%, transparent); } .diff ins mark { background: color-mix(in srgb, var(--c-ok) 38%, transparent); }
.diff summary { display: list-item; padding: 0; } .entries b, .warns span, .plain-list { min-width: 0; overflow-wrap: anywhere; }
.decide { clear: both; display: grid; grid-template-columns: auto 12rem minmax(0, 1fr); align-items: end; gap: 0.6rem 1rem; } .decide .field { padding: 0; border: 0; } .decide .check { min-height: 2.25rem; align-items: center; }
.stacked .facts-list > div { grid-template-columns: minmax(0, 1fr); }
.wrap > .card + .grid { margin-top: var(--s4); }
.part { margin-block: var(--s4); }
.tick > .say { flex: 1; min-width: 0; }
.wrap > .note { margin: 0 0 var(--s4); }
.outcome + .sides { padding-top: 0.9rem; } .sides .code + .code { margin-top: 0.5rem; }
.once .copyable { border-top: 1px solid var(--line-soft); }
.body > .acts-row { margin-top: 0.6rem; }
.acts-row { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.warns { display: grid; gap: 0.4rem; padding: 0 1.1rem 1rem; } .warns li { display: flex; gap: 0.6rem; } .warns .i { margin-top: 0.15rem; color: var(--warn); }
form.inline { display: inline-flex; }
.pager { display: flex; gap: 0.5rem; align-items: center; }
h1 { overflow-wrap: anywhere; } .head > * { min-width: 0; }
.two:has(> .col) { align-items: start; }
.cell b, .cell small, td code, td bdi { overflow-wrap: anywhere; } td .mono { overflow-wrap: break-word; }
.buttons-row { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
.role-acts { display: flex; } .role-acts, .role-form { flex-wrap: wrap; gap: 0.4rem; align-items: center; } td:first-child > .cell { min-width: 8rem; } .role-form select { width: auto; min-height: 1.75rem; padding-block: 0.1rem; }
@media (min-width: 64rem) { .role-acts, .role-form { flex-wrap: nowrap; } }
.under { padding: 0 1.1rem 0.8rem; color: var(--soft); font-size: 0.8125rem; } .under.wrong { color: var(--bad); font-weight: 550; }
.stack-of-cards > .card + .card { margin-top: var(--s4); }
.tool-group { border-top: 1px solid var(--line-soft); } .tool-group summary { padding: 0.6rem 1.1rem; font-weight: 550; cursor: pointer; }
.checks.many { grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); padding: 0.2rem 1.1rem 0.9rem; } .checks span { min-width: 0; overflow-wrap: anywhere; }
#f-toolsets .checks { grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); margin-top: 0.6rem; }
@media (min-width: 56rem) and (min-height: 44rem) { .total { position: sticky; bottom: 0; } html:has(.total) { scroll-padding-bottom: 10rem; } }
.grid .copyable .code { white-space: pre-wrap; overflow-wrap: anywhere; border-radius: var(--r2); } .check small, .checks small { font-weight: 450; }
.timeline { padding: 0 1.1rem 0.9rem; }
.timeline li { padding: 0.55rem 0 0.55rem 0.9rem; border-inline-start: 2px solid var(--line); overflow-wrap: anywhere; }
.timeline small { color: var(--soft); font-size: 0.78rem; }
main a.link, td a { min-height: 1.5rem; }
@media (max-width: 56rem) { .side:target .close { display: grid; position: absolute; inset: 0.6rem 0.6rem auto auto; } }
@media (max-width: 34rem) { th:first-child, td:first-child { padding-inline-start: 0.9rem; } th:last-child, td:last-child { padding-inline-end: 0.9rem; } td:first-child > .cell { min-width: 6.5rem; } td .badge { white-space: normal; } .seg { flex-wrap: wrap; } td code { overflow-wrap: anywhere; } .filters label { max-width: none; } .facts-list > div, .decide, .diff > li > div:has(small) { grid-template-columns: minmax(0, 1fr); } .tick { flex-wrap: wrap; } .tick > .say { flex-basis: 14rem; } .tick:has(> .btn) > span:nth-child(2) { flex-basis: 14rem; } .tick > .btn { margin-inline-start: 2rem; } }
`;
