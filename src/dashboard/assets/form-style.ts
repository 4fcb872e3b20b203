/** Style of forms, code and results. */

/** CSS text. */
export const FORM_STYLE = `
/* forms */
.field { padding: 0.9rem 1.1rem; border-top: 1px solid var(--line-soft); }
.field > .top { display: flex; align-items: baseline; gap: 0.5rem; margin-bottom: 0.35rem; }
.field label, .label { font-weight: 590; }
.field .type { color: var(--faint); font-size: 0.78rem; font-family: var(--mono); }
.field .top .opt { margin-inline-start: auto; color: var(--faint); font-size: 0.78rem; }
.hint { color: var(--soft); font-size: 0.8125rem; margin-top: 0.35rem; }
.input, select, textarea { display: block; width: 100%; min-height: 2.25rem; padding: 0.4rem 0.65rem; border: 1px solid var(--field-line); border-radius: var(--r2); background: var(--field); color: inherit; font: inherit; }
.input:focus, select:focus, textarea:focus { outline: 2px solid var(--accent); outline-offset: 0; border-color: transparent; }
.masked { display: flex; gap: 0.4rem; align-items: center; }
textarea { font: 0.8125rem/1.6 var(--mono); resize: vertical; min-height: 5.6rem; tab-size: 2; }
select { appearance: none; text-overflow: ellipsis; padding-inline-end: 1.8rem; background-image: linear-gradient(45deg, transparent 50%, var(--soft) 50%), linear-gradient(-45deg, transparent 50%, var(--soft) 50%); background-size: 0.3rem 0.3rem; background-position: right 0.95rem center, right 0.65rem center; background-repeat: no-repeat; }
.rowset { display: grid; gap: 0.7rem; margin-top: 0.6rem; justify-items: start; }
.rowset > div { display: flex; flex-wrap: wrap; gap: 0.4rem 0.6rem; align-items: end; width: 100%; }
.rowset .members { flex: 1 1 12rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0.5rem; align-items: end; }
.rowset .field { padding: 0; border: 0; }
.rowset .field label { font-weight: 450; font-size: 0.8125rem; }
.runbar { display: flex; align-items: center; gap: 0.6rem; padding: 0.8rem 1.1rem; border-top: 1px solid var(--line); background: var(--card); border-radius: 0 0 var(--r3) var(--r3); }
.runbar p { flex: 1; min-width: 0; color: var(--soft); font-size: 0.78rem; line-height: 1.35; }
.tabs { display: flex; gap: 1.4rem; border-bottom: 1px solid var(--line); margin-bottom: 1.25rem; overflow-x: auto; scrollbar-width: none; }
.tabs a { padding: 0.55rem 0 0.65rem; color: var(--soft); font-weight: 530; border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap; }
.tabs a:hover { color: var(--ink); } .tabs [aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.tabs em { font-style: normal; color: var(--faint); font-weight: 450; font-variant-numeric: tabular-nums; margin-inline-start: 0.25rem; }
.facts { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; margin-top: 0.6rem; }
.copy { display: inline-flex; align-items: center; gap: 0.4rem; padding: 0.12rem 0.45rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--card); color: var(--ink); cursor: pointer; font: 0.8125rem/1.5 var(--mono); }
.copy .i { width: 0.85rem; height: 0.85rem; color: var(--faint); } .copy:hover { border-color: var(--field-line); }

/* result */
.outcome { display: flex; flex-wrap: wrap; align-items: center; gap: 0.45rem 1.1rem; padding: 0.7rem 1.1rem; border-block: 1px solid var(--line-soft); background: var(--sunken); font-size: 0.8125rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.outcome b { color: var(--ink); font-weight: 600; }
.pane { display: none; }
.card:has(#v-table:checked) .p-table, .card:has(#v-json:checked) .p-json, .card:has(#v-req:checked) .p-req, .card:has(#v-agent:checked) .p-agent { display: block; }
.code { margin: 0; padding: 0.9rem 1.1rem; font: 0.8rem/1.65 var(--mono); overflow-x: auto; white-space: pre; background: var(--sunken); }
.card > .code:last-child { border-radius: 0 0 var(--r3) var(--r3); }
.k { color: light-dark(#1d568c, #93c4f5); } .s { color: light-dark(#0b6650, #86e0c5); } .n { color: light-dark(#835000, #f0bd66); } .c { color: var(--faint); }
.mask { padding: 0 0.35rem; border-radius: 0.3rem; background: var(--idle-tint); color: var(--soft); }
.note { display: flex; gap: 0.6rem; margin: 0.9rem 1.1rem; padding: 0.7rem 0.85rem; border-radius: var(--r2); background: var(--tint); font-size: 0.8125rem; }
.note .i { margin-top: 0.1rem; color: var(--accent); }
.note.bad { background: var(--bad-tint); } .note.bad .i { color: var(--bad); } .note.wait { background: var(--warn-tint); } .note.wait .i { color: var(--warn); }
.burger { display: none; }
`;
