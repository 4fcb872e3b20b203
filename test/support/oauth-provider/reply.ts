/** An answer of the provider before anything is done to it; the same members as a fault has. */

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function json(status: number, value: unknown): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  };
}

export function html(status: number, text: string): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: `<h1>${text}</h1>` };
}
