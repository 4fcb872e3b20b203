/**
 * The text blocks of a result, each marked with its author (docs/contract.md#results).
 *
 * A provider's text and a text of ours never share a block, so that a client can tell them apart by `_meta`. No
 * provider can set `_meta`.
 */
import { randomUUID } from 'node:crypto';
import type { InputRequiredResult, TextContent } from '@modelcontextprotocol/server';
import type { ToolAnswer } from './session.ts';

/** `_meta` key of a block with content of a provider: data, never instructions. */
const UNTRUSTED_META_KEY = 'gatehouse/untrusted';

/** `_meta` key of a block with Gatehouse's own words. */
const NOTICE_META_KEY = 'gatehouse/notice';

/** `_meta` key of the parameters that are not as the caller gave them. */
export const COERCED_META_KEY = 'gatehouse/coerced';

/** Whether the client is to ask its user something first (MCP 2026-07-28, multi round-trip requests). */
export function isQuestion(answer: ToolAnswer): answer is InputRequiredResult {
  return answer.resultType === 'input_required';
}

/** `_meta` key of a result that asks to open a link of ours: the link. */
export const LINK_META_KEY = 'gatehouse/link';

/** A block with content of a provider. */
export function untrusted(text: string): TextContent {
  return { type: 'text', text, _meta: { [UNTRUSTED_META_KEY]: true } };
}

/** Any block of a provider, marked as the provider's. */
export function asUntrusted<Block extends object>(block: Block): Block & Pick<TextContent, '_meta'> {
  return { ...block, _meta: { [UNTRUSTED_META_KEY]: true } };
}

/** Whether a block has content of a provider. */
export function isUntrusted({ _meta }: Pick<TextContent, '_meta'>): boolean {
  return _meta?.[UNTRUSTED_META_KEY] === true;
}

/** A block with our own words. */
export function notice(text: string): TextContent {
  return { type: 'text', text, _meta: { [NOTICE_META_KEY]: true } };
}

/**
 * Puts a line before and after each provider text, that of embedded resources too, for hosts that show a model one text without `_meta`. The mark in
 * both lines is new for each call, so that a provider cannot end its text early. `structuredContent` is left out: it would
 * be the same text without the lines.
 */
export function framed(answer: ToolAnswer): ToolAnswer {
  if (isQuestion(answer)) return answer;
  const { structuredContent: _, ...others } = answer;
  const mark = randomUUID();
  const within = (text: string): string =>
    `[data of the app begins: ${mark}]\n${text}\n[data of the app ends: ${mark}]`;
  const content = answer.content.map((block) => {
    if (!isUntrusted(block)) return block;
    if (block.type === 'text') return { ...block, text: within(block.text) };
    if (block.type !== 'resource' || !('text' in block.resource)) return block;
    return { ...block, resource: { ...block.resource, text: within(block.resource.text) } };
  });
  return { ...others, content };
}
