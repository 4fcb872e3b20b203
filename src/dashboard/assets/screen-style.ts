/** Style of narrow screens, forced colors and reduced motion. It comes last, so that it overrides the others. */

/** CSS text. */
export const SCREEN_STYLE = `
@media (max-width: 75rem) { .four { grid-template-columns: repeat(2, minmax(0, 1fr)); } .two { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 56rem) {
  body { grid-template: "main" 1fr / minmax(0, 1fr); }
  .side { display: none; }
  .side:target { display: flex; position: fixed; inset: 0 auto 0 0; width: 17rem; background: var(--ground); z-index: 5; box-shadow: 0 0 0 100vmax rgb(0 0 0 / 0.4); }
  .burger { display: grid; margin-inline-start: -0.4rem; }
  .find { width: auto; flex: 1 1 8rem; min-width: 6.5rem; max-width: 12rem; } .find kbd { display: none; }
  main { padding-inline: var(--s4); } .bar { margin-inline: calc(-1 * var(--s4)); padding-inline: var(--s4); }
  .wide { display: none; }
}
@media (max-width: 34rem) {
  .four { gap: 0.6rem; } .kpi { padding: 0.75rem 0.85rem 0; } .kpi strong { font-size: 1.3rem; } .spark { margin-inline: -0.85rem; width: calc(100% + 1.7rem); height: 2rem; } .kpi .delta { display: none; }
  .attn li { grid-template-columns: 1.1rem minmax(0, 1fr); } .attn li .btn { grid-column: 2; justify-self: start; margin-top: 0.5rem; }
  .plot { grid-template-rows: 9rem auto; } .plot svg { height: 9rem; } .x span:nth-child(even) { display: none; }
  .narrow-off { display: none; }
  td, th { padding-inline: 0.4rem; } tr > :nth-last-child(1 of :not(.narrow-off, .wide)) { padding-inline-end: 0.9rem; } td .mono { overflow-wrap: anywhere; } .cell .tile { display: none; } td small { overflow-wrap: anywhere; }
  .card > header > .seg { order: 3; width: 100%; } .card > header > .seg label { flex: 1; justify-content: center; padding-inline: 0.3rem; }
  .legend { order: 3; width: 100%; } .runbar kbd { display: none; }
  .states > li > b { flex: none; } .states > li > span { min-width: 0; overflow-wrap: anywhere; } .states > li > small { width: auto; min-width: 2.5rem; white-space: nowrap; } .crumbs li:not(:first-child) { display: none; }
  .runbar p { display: none; } .runbar .btn { flex: 1; }
  .head .seg { width: 100%; } .head .seg a { flex: 1; justify-content: center; } .meter { width: 5rem; }
}
@media (forced-colors: active) { .card, .btn, .badge, .seg { border: 1px solid CanvasText; } .badge::before, .pip { forced-color-adjust: none; } }
@media (prefers-reduced-motion: reduce) { @view-transition { navigation: none; } }
.try { grid-template-columns: minmax(0, 0.82fr) minmax(0, 1fr); align-items: start; }
.col { display: grid; gap: var(--s4); min-width: 0; }
@media (max-width: 75rem) { .try { grid-template-columns: minmax(0, 1fr); } }
`;
