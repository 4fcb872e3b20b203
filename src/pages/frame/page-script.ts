/** Scripts of single pages, each allowed by its hash. Pages work without them. */
import { createHash } from 'node:crypto';
import { raw } from 'hono/html';
import type { Html } from '../words/html.ts';

/** A script of a page. */
export interface PageScript {
  /** Source expression for the policy's `script-src`: this script, and no other. */
  source: string;
  tag: Html;
}

/** @param text complete and unformatted, because the policy allows the text between the tags by its hash */
export function pageScript(text: string): PageScript {
  return {
    source: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    tag: raw(`<script>${text}</script>`),
  };
}
