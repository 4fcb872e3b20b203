/** Changes in a list, for the event `upstream.tools_changed` (docs/webhooks.md#remote-mcp-servers). Pure. */
import type { UpstreamTool } from '../../store/upstreams/upstream-store.ts';
import type { Pin, PinState } from '../definitions/pins.ts';
import { spelled } from '../definitions/plain-text.ts';
import type { JudgedForm } from './judged-forms.ts';

/** The new state of a form; `withdrawn` if the server removed it before anybody decided. */
type ToolChange = PinState | 'withdrawn';

/** The changes of the tools of a server. */
export interface ToolNews {
  /** Number of forms, by their new state. */
  counts: Readonly<Record<ToolChange, number>>;
  /** The first of the changed forms. */
  tools: readonly {
    /** The tool's name at its server, with every character beyond ASCII as its code point. */
    tool: string;
    /** Our name for it; null if none can be made. */
    name: string | null;
    hash: string;
    state: ToolChange;
  }[];
}

/** Most forms that an event lists. Its counts cover all of them. */
const MAX_NAMED = 100;

/** @returns `undefined` if nothing has changed */
export function toolNews({
  changes,
  withdrawn,
  known,
  forms,
}: {
  changes: readonly Pin[];
  withdrawn: readonly UpstreamTool[];
  /** The forms before the change. */
  known: readonly UpstreamTool[];
  forms: readonly JudgedForm[];
}): ToolNews | undefined {
  const all: { tool: string; hash: string; state: ToolChange }[] = [
    ...changes,
    ...withdrawn.map(({ tool, hash }) => ({ tool, hash, state: 'withdrawn' as const })),
  ];
  if (all.length === 0) return undefined;
  const counts = { new: 0, approved: 0, held: 0, gone: 0, withdrawn: 0 };
  for (const { state } of all) counts[state] += 1;
  const names = new Map([
    ...forms.map(({ listed, name }) => [listed.name, name ?? null] as const),
    ...known.filter(({ name }) => name !== null).map(({ tool, name }) => [tool, name] as const),
  ]);
  const tools = all.slice(0, MAX_NAMED).map(({ tool, hash, state }) => ({
    tool: spelled(tool),
    name: names.get(tool) ?? null,
    hash,
    state,
  }));
  return { counts, tools };
}
