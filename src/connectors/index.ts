/**
 * Handlers: code for the tools that the catalog grammar cannot express. Nothing else may call a provider for a tool.
 *
 * Registered by the name a catalog entry uses; a test holds names and entries together both ways.
 */
import type { ToolHandler } from '../catalog/types.ts';
import { answer } from './websearch/answer.ts';
import { findSimilar } from './websearch/find-similar.ts';
import { getWebset } from './websearch/get-webset.ts';
import { research } from './websearch/research.ts';
import { websets } from './websearch/websets.ts';

/** Handler by `<connector>/<name>`. */
export const handlers: ReadonlyMap<string, ToolHandler> = new Map([
  ['websearch/answer', answer],
  ['websearch/find-similar', findSimilar],
  ['websearch/get-webset', getWebset],
  ['websearch/research', research],
  ['websearch/websets', websets],
]);
