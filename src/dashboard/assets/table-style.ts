/** Style of tables, badges and status lists. */

/** CSS text. */
export const TABLE_STYLE = `
/* tables */
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th { padding: 0.5rem 0.75rem; background: var(--sunken); color: var(--soft); font-size: 0.78rem; font-weight: 550; text-align: start; white-space: nowrap; border-bottom: 1px solid var(--line-soft); }
th a:hover { text-decoration: underline; text-underline-offset: 0.2em; }
th[aria-sort] a::after { content: " ↑"; } th[aria-sort=descending] a::after { content: " ↓"; }
td { padding: 0.6rem 0.75rem; border-bottom: 1px solid var(--line-soft); vertical-align: middle; }
tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child { padding-inline-start: 1.1rem; } th:last-child, td:last-child { padding-inline-end: 1.1rem; }
tbody tr:hover { background: var(--sunken); }
.p-table td { white-space: nowrap; }
.r { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.cell { display: flex; align-items: center; gap: 0.7rem; min-width: 0; }
.cell > span:last-child { min-width: 0; line-height: 1.32; }
.cell b { font-weight: 580; } .cell small, td small { display: block; color: var(--soft); font-size: 0.78rem; }
td > a:hover, .cell b a:hover { text-decoration: underline; text-underline-offset: 0.2em; }
.tile { width: 1.9rem; height: 1.9rem; border-radius: 0.5rem; display: grid; place-items: center; font-size: 0.75rem; font-weight: 680; flex: none; background: var(--idle-tint); color: var(--idle); }
.tile.a { background: light-dark(#e7e9fb, #26294a); color: light-dark(#3a3fa0, #b3b7ff); }
.tile.o { background: light-dark(#e2effb, #173049); color: light-dark(#14558f, #93c8f7); }
.tile.y { background: light-dark(#fce8e6, #431f1c); color: light-dark(#a8261c, #ffa79d); }
.tile.s { background: light-dark(#e0f4f8, #10343c); color: light-dark(#0b6076, #7fd3e6); }
.tile.e { background: light-dark(#f6eedb, #3a2f14); color: light-dark(#76530a, #ecc877); }
.meter { width: 7.5rem; height: 0.4rem; border-radius: 1rem; overflow: hidden; margin-bottom: 0.3rem; }

/* badges: a shape and a word, never colour alone */
.badge { display: inline-flex; align-items: center; gap: 0.35rem; padding: 0.1rem 0.5rem 0.1rem 0.4rem; border-radius: 1rem; font-size: 0.78rem; font-weight: 580; line-height: 1.4; white-space: nowrap; background: var(--idle-tint); color: var(--idle); }
.badge::before { content: ""; width: 0.45rem; height: 0.45rem; border-radius: 50%; background: currentColor; }
.badge.ok { background: var(--ok-tint); color: var(--ok); }
.badge.wait { background: var(--warn-tint); color: var(--warn); } .badge.wait::before { background: none; border: 1.5px solid currentColor; }
.badge.bad { background: var(--bad-tint); color: var(--bad); } .badge.bad::before { border-radius: 1px; transform: rotate(45deg); }
.badge.info { background: var(--info-tint); color: var(--info); }
.badge.flat::before { display: none; } .badge.flat { padding-inline: 0.5rem; }
.tag { padding: 0.08rem 0.4rem; border: 1px solid var(--line); border-radius: 0.35rem; color: var(--soft); font-size: 0.75rem; white-space: nowrap; }
.live { display: inline-flex; align-items: center; gap: 0.45rem; color: var(--soft); font-size: 0.8125rem; font-weight: 530; }
.live::before { content: ""; width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--c-ok); box-shadow: 0 0 0 3px color-mix(in srgb, var(--c-ok) 25%, transparent); }

/* status list */
.states { padding: 0 1.1rem 0.6rem; }
.states li { display: flex; align-items: center; gap: 0.6rem; padding: 0.47rem 0; border-top: 1px solid var(--line-soft); }
.states li:first-of-type { border-top: 0; }
.states > li > b.soft { font-weight: 450; }
.states > li > b { margin-inline-start: auto; font-variant-numeric: tabular-nums; font-weight: 580; }
.states > li > small { color: var(--soft); width: 2.9rem; text-align: end; font-variant-numeric: tabular-nums; font-size: 0.8125rem; }
.foot { padding: 0.65rem 1.1rem; border-top: 1px solid var(--line-soft); font-size: 0.8125rem; display: flex; justify-content: space-between; gap: var(--s3); color: var(--soft); }
`;
