/** Forms of tools for operators, and the differences between two of them. Pure. */
import type { Effect } from '../../catalog/model/types.ts';
import { isObject } from '../../core/json.ts';
import { toTimestampOrNull } from '../../core/clock.ts';
import type { UpstreamTool } from '../../store/upstreams/upstream-store.ts';
import { unseenEffect } from '../definitions/effects.ts';
import { canonicalJson, newestApproved, type PinState } from '../definitions/pins.ts';
import { spelled, visibleText } from '../definitions/plain-text.ts';
import { obstacleOf } from '../published/upstream-tool.ts';
import type { Finding } from '../../store/tables/upstream-tool-tables.ts';

/** One form of one tool. */
export interface ToolFormView {
  /** The tool's name at its server, with every character beyond ASCII as its code point. */
  tool: string;
  hash: string;
  state: PinState;
  /** Name under which it is published, or would be; null if no name can be made. */
  name: string | null;
  /** The approved effect, otherwise the one that its hints and its name stand for. */
  effect: Effect;
  /** Reason why it cannot be published, even if somebody approves it. */
  obstacle: string | null;
  /** Hits of the text check. */
  findings: Finding[];
  decided_by: string | null;
  decided_at: string | null;
}

/** One text or value that differs; null on a side that has none. */
export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

/** A form that waits for a person, compared with the approved one. */
export interface ToolDiff extends ToolFormView {
  /** Hash of the approved form; null if no form of this tool was approved. */
  approved_hash: string | null;
  /** Effect of the approved form. */
  approved_effect: Effect | null;
  changes: FieldChange[];
}

export function toFormView(form: UpstreamTool): ToolFormView {
  const listed = form.definition;
  return {
    tool: spelled(form.tool),
    hash: form.hash,
    state: form.state,
    name: form.name,
    effect: form.effect ?? unseenEffect(listed),
    obstacle: form.obstacle,
    findings: [...form.findings],
    decided_by: form.decided_by,
    decided_at: toTimestampOrNull(form.decided_at),
  };
}

/** Whether the form waits for a decision. */
export function isWaiting({ state }: Pick<UpstreamTool, 'state'>): boolean {
  return state === 'new' || state === 'held';
}

/** Reason why a form cannot be published now; null if it can. @param name our name, if there is one */
export function obstacleNow({ definition }: UpstreamTool, name: string | undefined): string | null {
  return obstacleOf(definition, name) ?? null;
}

/** Waiting forms by tool, each compared with its newest approved form. @param forms of one connection */
export function toolDiffs(forms: readonly UpstreamTool[]): ToolDiff[] {
  return forms.filter(isWaiting).map((form) => {
    const approved = newestApproved(forms, form.tool);
    return {
      ...toFormView(form),
      name: form.name ?? approved?.name ?? null,
      approved_hash: approved?.hash ?? null,
      approved_effect: approved?.effect ?? null,
      changes: changesBetween(approved?.definition ?? {}, form.definition),
    };
  });
}

/** Fields that differ, in the order of the new form. Fields that only the old one has come last. */
function changesBetween(before: unknown, after: unknown): FieldChange[] {
  const old = new Map(leavesOf(before, ''));
  const now = new Map(leavesOf(after, ''));
  return [...new Set([...now.keys(), ...old.keys()])]
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }));
}

/** Deepest level that is compared. Deeper values are shown as one text. */
const MAX_DEPTH = 60;

function* leavesOf(value: unknown, field: string, depth = 0): Generator<[field: string, text: string]> {
  const members = isObject(value) && depth < MAX_DEPTH ? Object.entries(value) : [];
  if (members.length === 0) {
    if (field !== '') yield [field, visibleText(typeof value === 'string' ? value : canonicalJson(value))];
    return;
  }
  for (const [name, member] of members)
    yield* leavesOf(member, field === '' ? visibleText(name) : `${field}.${visibleText(name)}`, depth + 1);
}
