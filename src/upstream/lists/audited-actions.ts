/** What the audit log says of forms of tools. */

/** What it says of a form that becomes this. */
export const ACTIONS = {
  new: 'upstream_tool.found',
  approved: 'upstream_tool.approve',
  held: 'upstream_tool.hold',
  gone: 'upstream_tool.gone',
  withdrawn: 'upstream_tool.withdraw',
} as const;
