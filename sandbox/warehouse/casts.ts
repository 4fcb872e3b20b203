/** Converts casts, which SQLite knows only for other types, to function calls. Pure. */
import { unsupported } from './refusal.ts';
import { isSymbol, isWord, type Token } from './scanner.ts';
import { castFunction } from './types.ts';

/**
 * `CAST(x AS DATE)` and similar become functions: positions of CAST with the function's name, and of the AS
 * to omit.
 */
export function castsOf(tokens: readonly Token[]): Map<number, string> {
  const casts = new Map<number, string>();
  const open: (number | undefined)[] = [];
  for (const [i, token] of tokens.entries()) {
    if (isSymbol(token, '(')) open.push(isWord(tokens[i - 1], 'CAST', 'TRY_CAST') ? i - 1 : undefined);
    if (isSymbol(token, ')')) open.pop();
    const cast = open.at(-1);
    if (cast === undefined || !isWord(token, 'AS')) continue;
    const name = castFunction(tokens[i + 1]?.text ?? '');
    if (name === undefined) throw unsupported(`CAST AS ${tokens[i + 1]?.text ?? ''}`);
    casts.set(cast, name).set(i, name);
  }
  return casts;
}

/** Start of the operand at the end of the pieces: a name, a literal, or a call. */
export function startOfOperand(pieces: readonly string[]): number {
  let at = pieces.length - 1;
  if (pieces[at]?.trim() !== ')') return Math.max(0, at);
  for (let depth = 0; at >= 0; at--) {
    const piece = pieces[at]?.trim();
    if (piece === ')') depth += 1;
    if (piece === '(') depth -= 1;
    if (depth === 0) break;
  }
  const isCall = at > 0 && /^\s*\w+$/.test(pieces[at - 1] ?? '') && !/^\s/.test(pieces[at] ?? '');
  return Math.max(0, isCall ? at - 1 : at);
}
