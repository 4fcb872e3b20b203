/** Audit actions for forms of tools. */

/** The action that records a form's new state. */
export const ACTIONS = {
  new: 'upstream_tool.found',
  approved: 'upstream_tool.approve',
  held: 'upstream_tool.hold',
  gone: 'upstream_tool.gone',
  withdrawn: 'upstream_tool.withdraw',
} as const;
