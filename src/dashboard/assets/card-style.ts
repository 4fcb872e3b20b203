/** Style of buttons, choices, cards, figures and charts. */

/** CSS text. */
export const CARD_STYLE = `
/* buttons and choices */
.btn { display: inline-flex; align-items: center; justify-content: center; gap: 0.45rem; min-height: 2.125rem; padding: 0 0.85rem; border: 1px solid var(--line); border-radius: var(--r2); background: var(--card); color: var(--ink); font: inherit; font-weight: 550; white-space: nowrap; cursor: pointer; box-shadow: 0 1px 1px rgb(0 0 0 / 0.03); }
.btn:hover { border-color: var(--field-line); background: var(--sunken); }
.btn.primary { background: var(--accent); border-color: transparent; color: var(--on-accent); font-weight: 620; }
.btn.primary:hover { background: var(--accent-over); }
.btn.small { min-height: 1.75rem; padding-inline: 0.6rem; font-size: 0.8125rem; }
.btn.plain { border-color: transparent; background: none; box-shadow: none; color: var(--soft); }
.btn.plain:hover { background: var(--sunken); color: var(--ink); }
.btn kbd { background: none; border-color: color-mix(in srgb, currentColor 35%, transparent); color: inherit; opacity: 0.85; }
.seg { display: inline-flex; padding: 2px; border: 1px solid var(--line); border-radius: var(--r2); background: var(--sunken); }
.seg a, .seg label { display: inline-flex; align-items: center; gap: 0.4rem; min-height: 1.75rem; padding-inline: 0.7rem; border-radius: 0.4rem; color: var(--soft); font-weight: 530; cursor: pointer; white-space: nowrap; font-variant-numeric: tabular-nums; }
.seg a:hover, .seg label:hover { color: var(--ink); }
.seg [aria-current], .seg label:has(:checked) { background: var(--raised); color: var(--ink); font-weight: 600; box-shadow: 0 0 0 1px var(--line), 0 1px 2px rgb(0 0 0 / 0.07); }
.seg label:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 1px; }
.seg input { position: absolute; opacity: 0; width: 0; height: 0; margin: 0; }

/* cards */
.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--r3); box-shadow: var(--shadow); min-width: 0; }
.card > header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem var(--s3); padding: 0.85rem 1.1rem; }
.card > header > h2 { flex: 1 1 auto; }
.wrap > .card + .card, [data-live] > .card + .card { margin-top: var(--s4); }
.card > header + table, .card > header + .scroll { border-top: 1px solid var(--line-soft); }
.card > header p { color: var(--soft); font-size: 0.8125rem; }
.grid { display: grid; gap: var(--s4); margin-bottom: var(--s4); }
.two { grid-template-columns: minmax(0, 1.62fr) minmax(0, 1fr); }
.four { grid-template-columns: repeat(4, minmax(0, 1fr)); }

/* attention */
.attn { border-color: color-mix(in srgb, var(--c-bad) 34%, var(--line)); margin-bottom: var(--s4); }
.attn header { padding-bottom: 0.35rem; }
.attn h2 { display: flex; align-items: center; gap: 0.5rem; }
.attn li { display: grid; grid-template-columns: 1.1rem minmax(0, 1fr) auto; gap: 0 0.8rem; align-items: center; padding: 0.7rem 1.1rem; }
.attn li + li { border-top: 1px solid var(--line-soft); }
.attn li > .i { align-self: start; margin-top: 0.12rem; }
.attn .i.bad { color: var(--c-bad); } .attn .i.warn { color: var(--warn); }
.attn b { font-weight: 600; }
.attn p { color: var(--soft); font-size: 0.8125rem; }

/* figures */
.kpi { padding: 0.95rem 1.1rem 0; display: flex; flex-direction: column; overflow: hidden; }
.kpi h2 { display: flex; align-items: center; justify-content: space-between; color: var(--soft); font-weight: 500; font-size: 0.8125rem; letter-spacing: 0; }
.kpi .fig { display: flex; align-items: baseline; gap: 0.5rem; margin: 0.3rem 0 0.5rem; font-size: inherit; color: inherit; }
.kpi strong { font-size: 1.625rem; font-weight: 620; letter-spacing: -0.025em; font-variant-numeric: tabular-nums; line-height: 1.2; }
.kpi strong small { font-size: 0.95rem; font-weight: 550; letter-spacing: 0; color: var(--soft); margin-inline-start: 0.12rem; }
.delta { font-size: 0.8125rem; font-weight: 550; font-variant-numeric: tabular-nums; color: var(--soft); }
.delta.good { color: var(--ok); } .delta.worse { color: var(--bad); }
.kpi .sub { color: var(--soft); font-size: 0.8125rem; margin: -0.4rem 0 0.75rem; }
.spark { width: calc(100% + 2.2rem); height: 2.6rem; margin: auto -1.1rem 0; flex: none; }
.spark path { fill: none; stroke: var(--c-ok); stroke-width: 1.6; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.spark path.area { fill: color-mix(in srgb, var(--c-ok) 13%, transparent); stroke: none; }
.spark.bad path { stroke: var(--c-bad); } .spark.bad path.area { fill: color-mix(in srgb, var(--c-bad) 12%, transparent); stroke: none; }
.spark.grey path { stroke: var(--faint); } .spark.grey path.area { fill: color-mix(in srgb, var(--faint) 11%, transparent); stroke: none; }
.stack { display: block; width: 100%; height: 0.55rem; border-radius: 1rem; overflow: hidden; margin-top: auto; margin-bottom: 1.15rem; flex: none; }
.f-ok { fill: var(--c-ok); } .f-wait { fill: var(--c-wait); } .f-bad { fill: var(--c-bad); } .f-idle { fill: light-dark(#c8cfca, #4a5650); }

/* chart */
.chart { padding: 0 1.1rem 0.9rem; }
.chart details { margin-top: 0.6rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; color: var(--soft); font-size: 0.8125rem; }
.legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
.legend span::before { content: ""; width: 0.6rem; height: 0.6rem; border-radius: 0.18rem; background: var(--c-ok); }
.legend .w::before { background: var(--c-wait); } .legend .b::before { background: var(--c-bad); }
.plot { display: grid; grid-template-columns: 2.4rem minmax(0, 1fr); grid-template-rows: 13rem auto; margin-top: 0.75rem; color: var(--faint); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.plot .y { display: flex; flex-direction: column; justify-content: space-between; margin-block: -0.55rem; }
.plot svg { width: 100%; height: 13rem; overflow: visible; }
.plot .x { grid-column: 2; display: flex; justify-content: space-between; padding-top: 0.4rem; }
.plot line { stroke: var(--c-grid); vector-effect: non-scaling-stroke; }
.plot g:hover rect.hit { fill: color-mix(in srgb, var(--ink) 6%, transparent); }
.plot rect.hit { fill: transparent; }
details.data summary { color: var(--soft); font-size: 0.8125rem; cursor: pointer; width: fit-content; }
`;
