/** Line breaks in names and addresses, for the pages outside of this module too. */
export { breakable } from '../words/html.ts';
