/** Line breaks in names and addresses, also for pages outside this module. */
export { breakable } from '../words/html.ts';
