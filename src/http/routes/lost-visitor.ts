/** Whether somebody who asks for what is not there sits in front of a browser and mistyped an address of a page. */
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

/** Addresses of programs: whoever asks there wants the error in their form, a browser too. */
const OF_PROGRAMS = /^\/(api|oauth|mcp|proxy|keys|\.well-known)(\/|$)/;

/** For GET outside the addresses of programs, where HTML is asked for by name and nothing is preferred to it. */
export function isLostVisitor(c: Context): boolean {
  if (c.req.method !== 'GET' || OF_PROGRAMS.test(new URL(c.req.url).pathname)) return false;
  const supports = ['application/json', 'text/html'];
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/html';
}
