/** Reads the header `Link` of an answer (RFC 8288 section 3). Pure. */

/** A link at the start of the rest of a header, up to the comma behind it: its target, then its parameters. */
const LINK = /^[\s,]*<([^<>]*)>((?:[^",]|"(?:[^"\\]|\\.)*")*)/;

/** A parameter of a link: its name, and its value in quotes or as a token. */
const PARAMETER = /;\s*([^\s;=",]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * The target of the first link with the relation `next`, as it is written.
 *
 * @returns `null` if the header has none, or cannot be read up to it
 */
export function nextLinkIn(header: string): string | null {
  let rest = header;
  for (let link = LINK.exec(rest); link !== null; link = LINK.exec(rest)) {
    const [whole, target = '', parameters = ''] = link;
    if (relationsIn(parameters).includes('next')) return target;
    rest = rest.slice(whole.length);
  }
  return null;
}

/** The relations of a link. Of several `rel` parameters the first counts (RFC 8288 section 3.3). */
function relationsIn(parameters: string): readonly string[] {
  for (const [, name = '', quoted, token = ''] of parameters.matchAll(PARAMETER))
    if (name.toLowerCase() === 'rel')
      return (quoted?.replaceAll(/\\(.)/g, '$1') ?? token).toLowerCase().split(/\s+/);
  return [];
}
