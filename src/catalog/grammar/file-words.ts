/** Small shapes shared by both kinds of catalog files. */
import * as z from 'zod';
import { word as wordWith } from '../../authorization-types/block-shapes.ts';

/**
 * Not the names of Gatehouse's own tools (`gatehouse_…`), and not the words that stand for toolsets of all connectors
 * (tool-selection.ts).
 */
export const CONNECTOR_NAME = /^(?!gatehouse(_|$)|(default|core|all)$)[a-z][a-z0-9_]{0,29}$/;

/** A header's name: a token of RFC 9110 section 5.6.2. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

/** Text with a certain spelling. @param expected completes "must be …" */
export const word = (pattern: RegExp, expected: string, meaning: string) =>
  wordWith(z, pattern, expected, meaning);

/** Text for people or models. */
export const line = (meaning: string, max: number) => z.string().min(3).max(max).describe(meaning);

/** Dotted path of a list in an answer. */
export const listPath = (meaning: string) =>
  word(/^(\.|[^\s.]+(\.[^\s.]+)*)$/, 'a dotted path without blanks, or .', meaning);
