/**
 * Reads the text of a provider's answer as XML: elements that hold either text or elements. Attributes are
 * ignored. Constructs that data does not need (document types, comments, CDATA, custom entities) are refused.
 * Pure.
 */

/** Maximum nesting: no real data is deeper. */
const MAX_DEPTH = 32;

/** A declaration, an end tag, a start tag with its attributes, or text. */
const PART =
  /(<\?xml\s[^<>?]*\?>)|<\/([A-Za-z_][\w.:-]*)\s*>|<([A-Za-z_][\w.:-]*)(?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>|([^<]+)/y;

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The text is not XML, or uses a part of XML that is not supported. */
export class UnreadableXml extends Error {
  override readonly name = 'UnreadableXml';
}

/** One element. */
export interface XmlElement {
  name: string;
  children: readonly XmlElement[];
  /** '' if it has children. */
  text: string;
}

interface OpenElement {
  name: string;
  children: XmlElement[];
  text: string;
}

/**
 * @returns the root element
 * @throws UnreadableXml
 */
export function parseXmlAnswer(text: string): XmlElement {
  const document: OpenElement = { name: '', children: [], text: '' };
  const open = [document];
  const source = text.replace(/^\ufeff/, '').trim();
  for (let at = 0; at < source.length;) {
    PART.lastIndex = at;
    const part = PART.exec(source);
    if (part === null) throw new UnreadableXml();
    const [, declaration, end, start, closed, words] = part;
    if (declaration !== undefined && at > 0) throw new UnreadableXml();
    if (end !== undefined) close(open, end);
    if (start !== undefined) {
      if (open.length > MAX_DEPTH) throw new UnreadableXml();
      open.push({ name: start, children: [], text: '' });
      if (closed === '/') close(open, start);
    }
    const inside = open.at(-1);
    if (words !== undefined && inside !== undefined) inside.text += decoded(words);
    at = PART.lastIndex;
  }
  const [root, another] = document.children;
  if (open.length !== 1 || root === undefined || another !== undefined || document.text.trim() !== '')
    throw new UnreadableXml();
  return root;
}

/** The text at a path of names from the root; `undefined` if an element is missing, repeated or empty. */
export function textOfElement(root: XmlElement, path: readonly string[]): string | undefined {
  const [first, ...rest] = path;
  let element = root.name === first ? root : undefined;
  for (const name of rest) {
    const found: XmlElement[] = element?.children.filter((child) => child.name === name) ?? [];
    element = found.length === 1 ? found[0] : undefined;
  }
  return element === undefined || element.text === '' ? undefined : element.text;
}

function close(open: OpenElement[], name: string): void {
  const element = open.pop();
  const parent = open.at(-1);
  if (element?.name !== name || parent === undefined) throw new UnreadableXml();
  const hasChildren = element.children.length > 0;
  if (hasChildren && element.text.trim() !== '') throw new UnreadableXml();
  parent.children.push({ ...element, text: hasChildren ? '' : element.text.trim() });
}

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|([a-z]+));|&/g,
    (_, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined && Object.hasOwn(NAMED, name)) return NAMED[name] ?? '';
      const digits = hex ?? decimal;
      const code = digits === undefined ? Number.NaN : Number.parseInt(digits, hex === undefined ? 10 : 16);
      if (!(code >= 0x20 && code <= 0x10_ff_ff) || (code >= 0xd8_00 && code <= 0xdf_ff))
        throw new UnreadableXml();
      return String.fromCodePoint(code);
    },
  );
}
